import { answer, api } from "../../ui/api/client.ts";
import { askAndAct, type Action } from "../../ui/batch/action.ts";
import { these } from "../../ui/batch/selection.ts";
import { several } from "../../ui/format.ts";
import { loadPayouts, USUAL } from "./query.ts";
import type { PaymentsBatch, Payout } from "./words.ts";

const MARK_AS_PAID: Action = {
  verb: "Mark",
  as: " as paid",
  doing: "Marking",
  done: "marked as paid",
  effect: "Do this when you have sent the money. Promoters see then that they are paid.",
  isDanger: false,
  send: (ids) => outcomeOf(api.POST("/api/v2/company/payouts/mark_as_paid", { body: { ids } })),
};

/** What owners can do with payouts. */
export const PAYOUT_ACTIONS: Action[] = [
  MARK_AS_PAID,
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

/** The API's maximum page size. */
const MOST = 100;
const OPEN: ReadonlySet<Payout["status"]> = new Set(["pending", "processing"]);

/** Asks, then marks the payouts of a batch as paid, without those that were paid or came back before. */
export async function markBatchAsPaid(batch: PaymentsBatch, reload: () => Promise<void>): Promise<void> {
  const ids: number[] = [];
  const { signal } = new AbortController();
  for (let number = 1, total = 1; (number - 1) * MOST < total; number++) {
    const wanted = { ...USUAL, batch: String(batch.id), sort: "", number, length: MOST };
    const found = await loadPayouts(wanted, signal);
    total = found.total;
    ids.push(...found.rows.filter(({ status }) => OPEN.has(status)).map(({ id }) => id));
  }
  const who = `${several(ids.length, "payout")} of ${batch.ext_reference}`;
  await askAndAct(MARK_AS_PAID, { records: these(ids), one: "payout", who, reload });
}

/** Payouts name what was refused as records, other nouns as sentences. */
async function outcomeOf(call: Parameters<typeof answer<Refused>>[0]) {
  const { processing_errors: refused } = (await answer(call)).data;
  return { processing_errors: refused.map(({ id, message }) => `${id}: ${message}`) };
}

interface Refused {
  data: { processing_errors: { id: number; message: string }[] };
}
