import { answer, api } from "../../ui/api/client.ts";
import type { Action } from "../../ui/batch/action.ts";

/** What owners can do with payouts. */
export const PAYOUT_ACTIONS: Action[] = [
  {
    verb: "Mark",
    as: " as paid",
    doing: "Marking",
    done: "marked as paid",
    effect: "Do this when you have sent the money. Promoters see then that they are paid.",
    isDanger: false,
    send: (ids) => outcomeOf(api.POST("/api/v2/company/payouts/mark_as_paid", { body: { ids } })),
  },
  {
    verb: "Mark",
    as: " as unpaid",
    doing: "Marking",
    done: "marked as unpaid",
    effect: "Do this when the money came back. The payouts wait to be paid again.",
    isDanger: true,
    send: (ids) => outcomeOf(api.POST("/api/v2/company/payouts/mark_as_unpaid", { body: { ids } })),
  },
  {
    verb: "Remove",
    doing: "Removing",
    done: "removed",
    effect:
      "Payouts that moved no money are removed. Their commissions wait for the next run. Delete a batch before you remove its payouts.",
    isDanger: true,
    send: (ids) => outcomeOf(api.DELETE("/api/v2/company/payouts/destroy", { body: { ids } })),
  },
];

/** Payouts name what was refused as records, other nouns as sentences. */
async function outcomeOf(call: Parameters<typeof answer<Refused>>[0]) {
  const { processing_errors: refused } = (await answer(call)).data;
  return { processing_errors: refused.map(({ id, message }) => `${id}: ${message}`) };
}

interface Refused {
  data: { processing_errors: { id: number; message: string }[] };
}
