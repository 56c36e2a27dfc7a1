import { asRefusal } from "../api/refusal.ts";
import { toast, toastRefusal } from "./toast.tsx";

/** Runs an action of a button, and shows its result or error as a toast. */
export async function tell(work: () => Promise<string>): Promise<void> {
  try {
    toast(await work());
  } catch (error) {
    toastRefusal(asRefusal(error));
  }
}
