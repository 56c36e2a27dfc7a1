import { answer } from "../api/client.ts";
import { asRefusal } from "../api/refusal.ts";
import { toastRefusal } from "./toast.tsx";

/**
 * Whether a session has ended as it was asked to. If it has not, the reader is told: somebody else may sit at this
 * computer next.
 */
export async function hasEnded(call: Parameters<typeof answer<unknown>>[0]): Promise<boolean> {
  try {
    await answer(call);
    return true;
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal.status === 401) return true; // There was none any more.
    toastRefusal(refusal);
    return false;
  }
}
