import { asRefusal } from "../api/refusal.ts";
import { toast, toastRefusal } from "./toast.tsx";

/** Does something by one click, and says what was done, or why it was not. */
export async function tell(work: () => Promise<string>): Promise<void> {
  try {
    toast(await work());
  } catch (error) {
    toastRefusal(asRefusal(error));
  }
}
