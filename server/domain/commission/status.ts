import { Failure } from "../../failure.ts";
import { digest } from "../../storage/digests.ts";
import type { Reader, Transaction, View } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { ensureNonCashPayout } from "../payout/non-cash.ts";
import { refuseSettled, withdrawFromPayouts } from "../payout/withdrawal.ts";
import type { Show } from "../show.ts";
import { commissions } from "./commission.ts";
import type { Commission, CommissionStatus } from "./record.ts";

/**
 * Sets the status of a commission. Any status may follow any other, and a held commission is no longer held.
 * Commissions that take it back get the same status, because they would otherwise take back what the promoter
 * never got.
 *
 * @throws Failure `refused` if it is paid, its payout is not pending, or it takes back another commission
 */
export async function setCommissionStatus(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { commission, status }: { commission: Commission; status: CommissionStatus },
): Promise<Commission> {
  await refuseFollower(tx, commission, status);
  const family = await withTakeBacks(tx, commission);
  for (const each of family) await refuseSettled(tx, each);
  const changing = family.filter((each) => each.status !== status || each.approveAt !== null);
  const leaving = status === "approved" ? changing : await withdrawFromPayouts(tx, context, changing);
  const statusUpdatedAt = context.now.toISOString();
  for (const [at, freed] of leaving.entries()) {
    const after = { ...freed, status, approveAt: null, statusUpdatedAt };
    await tx.put(commissions, after);
    // If refunds have taken a part back, the next run pays the rest instead.
    if (family.length === 1) await ensureNonCashPayout(tx, context, after);
    await announce(tx, context, { entity: "commission", before: changing[at]!, after });
  }
  return loadCommission(tx, commission.accountId, commission.id);
}

/** Names commissions: one by its id, or all of an event. The first given field decides. null: not given. */
export interface CommissionSelector {
  id: number | null;
  eventId: string | null;
}

/**
 * Sets the status of one commission, or of all that an event has earned: those of the promoter, of the parents and of
 * the promoters who share. Returns the first. null: the status stays.
 *
 * @throws Failure `missing` if nothing is named, `not_found`, `refused`
 */
export function changeCommissionStatus<T>(
  context: Context,
  accountId: number,
  { selector, status, show }: StatusChange<T>,
): Promise<T> {
  return context.store.transact(async (tx) => {
    const ids = await namedIds(tx.view, { accountId, ...selector });
    for (const id of ids) {
      const commission = await loadCommission(tx, accountId, id);
      if (status !== null) await setCommissionStatus(tx, context, { commission, status });
    }
    return show(tx.view, await loadCommission(tx, accountId, ids[0]));
  });
}

interface StatusChange<T> {
  selector: CommissionSelector;
  status: CommissionStatus | null;
  show: Show<Commission, T>;
}

async function namedIds(
  view: View,
  { accountId, id, eventId }: CommissionSelector & { accountId: number },
): Promise<[number, ...number[]]> {
  if (id !== null) return [id];
  if (eventId === null) throw new Failure("missing", "You need to find the reward either by id or event_id.");
  const found = await view.list(commissions, "event", accountId, [digest(eventId)]);
  // A refund may have the id of a sale. What it took back follows the commissions of its own sale.
  const earned = found.filter(({ takesBackId }) => takesBackId === null);
  const [first, ...others] = (earned.length > 0 ? earned : found).map((commission) => commission.id);
  if (first === undefined) throw new Failure("not_found", "Commission not found.");
  return [first, ...others];
}

/** @throws Failure `not_found` */
export async function loadCommission(reader: Reader, accountId: number, id: number): Promise<Commission> {
  const commission = await reader.get(commissions, accountId, id);
  if (commission === null) throw new Failure("not_found", "Commission not found.");
  return commission;
}

/** A commission that takes another one back has the status of that one, and no other. */
async function refuseFollower(
  reader: Reader,
  { accountId, id, takesBackId, status }: Commission,
  wanted: CommissionStatus,
): Promise<void> {
  if (takesBackId === null || status === wanted) return;
  if ((await reader.get(commissions, accountId, takesBackId)) === null) return;
  throw new Failure("refused", `Commission ${id} takes back commission ${takesBackId} and follows it`);
}

/** A commission, and those that take it back. */
export async function withTakeBacks(reader: Reader, commission: Commission): Promise<Commission[]> {
  const family = [commission];
  for (const id of commission.takenBackByIds) {
    const takeBack = await reader.get(commissions, commission.accountId, id);
    if (takeBack !== null) family.push(takeBack);
  }
  return family;
}
