import { Failure } from "../../../failure.ts";
import { digest } from "../../../storage/digests.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { servedAccounts, type Account } from "../../program/account/account.ts";
import { daysLater, timeZoneOf } from "../../program/account/time-zone.ts";
import { loadCampaign } from "../../program/campaign/campaign.ts";
import type { Context, LeasedContext } from "../../context.ts";
import { announceMoney } from "../announcement.ts";
import type { Lead } from "../../people/lead/lead.ts";
import type { Unit } from "../../money.ts";
import { isoOf } from "../../span.ts";
import { ensureNonCashPayout } from "../payout/creation.ts";
import { loadPayout, type Payout } from "../payout/payout.ts";
import { moveWithin, refuseSettled, withdrawFromPayouts } from "../payout/status.ts";
import { commissions, type Commission, type CommissionStatus } from "./commission.ts";

/**
 * Sets the status of a commission. Any status may follow any other, and a held commission is no longer held.
 * Commissions that take it back get the same status; otherwise they would take back money that the promoter
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
  const changing = family.filter((each) => each.status !== status || each.approve_at !== null);
  const leaving = status === "approved" ? changing : await withdrawFromPayouts(tx, context, changing);
  const statusUpdatedAt = context.now.toISOString();
  for (const [at, freed] of leaving.entries()) {
    const after = { ...freed, status, approve_at: null, status_updated_at: statusUpdatedAt };
    await tx.put(commissions, after);
    // If refunds have taken a part back, the next run pays the rest instead.
    if (family.length === 1) await ensureNonCashPayout(tx, context, after);
    await announceMoney(tx, context, { entity: "commission", before: changing[at]!, after });
  }
  return loadCommission(tx, commission.account_id, commission.id);
}

interface StatusChange {
  selector: CommissionSelector;
  status: CommissionStatus | null;
}

/**
 * Identifies one commission by its id, or all of an event. The first given field decides. Null fields are not
 * given.
 */
interface CommissionSelector {
  id: number | null;
  event_id: string | null;
}

/**
 * Sets the status of one commission, or of all that an event has earned: those of the promoter, of the
 * parents and of the promoters who share. Returns the first, or null if the status is unchanged.
 *
 * @throws Failure `missing` if none is named, `not_found`, `refused`
 */
export async function changeCommissionStatus(
  tx: Transaction,
  context: Context,
  accountId: number,
  { selector, status }: StatusChange,
): Promise<Commission> {
  const ids = await namedIds(tx.view, { account_id: accountId, ...selector });
  for (const id of ids) {
    const commission = await loadCommission(tx, accountId, id);
    if (status !== null) await setCommissionStatus(tx, context, { commission, status });
  }
  return loadCommission(tx, accountId, ids[0]);
}

/** @throws Failure `not_found` */
export async function loadCommission(reader: Reader, accountId: number, id: number): Promise<Commission> {
  const commission = await reader.get(commissions, accountId, id);
  if (commission === null) throw new Failure("not_found", "Commission not found.");
  return commission;
}

/** A commission, and those that take it back. */
export async function withTakeBacks(reader: Reader, commission: Commission): Promise<Commission[]> {
  const family = [commission];
  for (const id of commission.taken_back_by_ids) {
    const takeBack = await reader.get(commissions, commission.account_id, id);
    if (takeBack !== null) family.push(takeBack);
  }
  return family;
}

/** The facts that decide whether a new commission needs approval. */
interface NewEarning {
  account: Account;
  lead: Lead;
  campaign_id: number;
  unit: Unit;
  /** Before the split. The account's maximum applies to the whole, not to each part. */
  whole_amount: number;
  /** When it was earned. */
  at: Date;
}

/**
 * Whether a new commission is approved immediately, held until its day, or waits for approval.
 *
 * @see docs/spec/money.md "Approval"
 */
export async function approvalOf(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  { account, lead, campaign_id, unit, whole_amount, at }: NewEarning,
): Promise<Pick<Commission, "status" | "approve_at">> {
  const campaign = await loadCampaign(tx, account.id, campaign_id);
  const { max_auto_approve_cents } = account;
  const isSuspect = lead.fraud_check !== "no_suspicion";
  const isLarge = max_auto_approve_cents !== null && unit === "cash" && whole_amount > max_auto_approve_cents;
  if (!campaign.auto_approve_commissions || isSuspect || isLarge)
    return { status: "pending", approve_at: null };
  const { commission_hold_days } = campaign;
  const approveAt = commission_hold_days > 0 ? daysLater(timeZoneOf(account), at, commission_hold_days) : at;
  return commission_hold_days > 0 && approveAt > now
    ? { status: "pending", approve_at: isoOf(approveAt.getTime()) }
    : { status: "approved", approve_at: null };
}

/** Commits between two pauses, in which other jobs get their turn. */
const APPROVED_AT_ONCE = 100;

/**
 * Approves the held commissions whose day has come, one commit for each. An interrupted run leaves the others
 * for the next one, and a missed day is made up for later.
 */
export async function* approveHeldCommissions(run: LeasedContext): AsyncGenerator<void> {
  const { store, clock } = run;
  let approvedCount = 0;
  for await (const { id: accountId } of servedAccounts(store)) {
    for await (const chunk of store.scan(commissions, "due", accountId, [])) {
      const due = chunk.filter(({ approve_at }) => isDue(approve_at, clock()));
      for (const { id } of due) {
        await approve(run, accountId, id);
        if (++approvedCount % APPROVED_AT_ONCE === 0) yield;
      }
      if (due.length < chunk.length) break;
    }
  }
}

/**
 * Records that the promoter got a non-cash reward, such as credits, or reverts that: the payout of the
 * commission is completed, or pending again.
 *
 * @throws Failure `not_found`, or `refused` for money and for commissions without a payout
 */
export async function setFulfilment(
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, isFulfilled }: { id: number; isFulfilled: boolean },
): Promise<Payout> {
  const payout = await payoutOf(tx, await loadCommission(tx, accountId, id));
  if (isFulfilled === (payout.status === "completed")) {
    throw new Failure("refused", `Commission ${id} is ${isFulfilled ? "already" : "not"} fulfilled`);
  }
  return moveWithin(tx, context, { payout, to: isFulfilled ? "completed" : "pending" });
}

/** A commission that takes back another one always has that one's status. */
async function refuseFollower(
  reader: Reader,
  { account_id, id, takes_back_id, status }: Commission,
  wanted: CommissionStatus,
): Promise<void> {
  if (takes_back_id === null || status === wanted) return;
  if ((await reader.get(commissions, account_id, takes_back_id)) === null) return;
  throw new Failure("refused", `Commission ${id} takes back commission ${takes_back_id} and follows it`);
}

async function namedIds(
  view: View,
  { account_id, id, event_id }: CommissionSelector & { account_id: number },
): Promise<[number, ...number[]]> {
  if (id !== null) return [id];
  if (event_id === null)
    throw new Failure("missing", "You need to find the reward either by id or event_id.");
  const found = await view.list(commissions, "event", account_id, [digest(event_id)]);
  // A refund may have the id of a sale. Commissions that take back others follow those of their own sale.
  const earned = found.filter(({ takes_back_id }) => takes_back_id === null);
  const [first, ...others] = (earned.length > 0 ? earned : found).map((commission) => commission.id);
  if (first === undefined) throw new Failure("not_found", "Commission not found.");
  return [first, ...others];
}

function isDue(approveAt: string | null, now: Date): boolean {
  return approveAt !== null && Date.parse(approveAt) <= now.getTime();
}

async function approve(run: LeasedContext, accountId: number, id: number): Promise<void> {
  const { store, clock, guard } = run;
  await store.transact(async (tx) => {
    await guard(tx);
    const now = clock();
    const commission = await tx.get(commissions, accountId, id);
    // It may have been decided meanwhile.
    if (commission?.status !== "pending" || !isDue(commission.approve_at, now)) return;
    // A commission that takes back another is approved with that one. Its id is lower if another process made
    // it.
    const { takes_back_id } = commission;
    if (takes_back_id !== null && (await tx.get(commissions, accountId, takes_back_id)) !== null) return;
    await setCommissionStatus(tx, { store, now }, { commission, status: "approved" });
  });
}

async function payoutOf(tx: Transaction, commission: Commission): Promise<Payout> {
  const { account_id, id, unit, status, payout_id } = commission;
  if (unit === "cash") throw new Failure("refused", `Commission ${id} is money, which payouts pay`);
  if (status !== "approved") throw new Failure("refused", `Commission ${id} is ${status}`);
  if (payout_id === null) throw new Failure("refused", `Commission ${id} has no payout yet`);
  return loadPayout(tx, account_id, payout_id);
}
