import { answer } from "../api/client.ts";
import { asRefusal } from "../api/refusal.ts";
import { toastRefusal } from "./toast.tsx";

/**
 * Whether signing out succeeded. If not, the user sees why, because someone else may use this computer next.
 */
export async function hasEnded(call: Parameters<typeof answer<unknown>>[0]): Promise<boolean> {
  try {
    await answer(call);
    return true;
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal.status === 401) return true; // it had already ended
    toastRefusal(refusal);
    return false;
  }
}
