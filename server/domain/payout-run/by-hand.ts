import { Failure, isOutage } from "../../failure.ts";
import type { Account } from "../account/record.ts";
import type { BatchProcess } from "../batch/record.ts";
import type { Commission } from "../commission/record.ts";
import type { Payout, PayoutStatus } from "../payout/record.ts";
import type { Transaction } from "../../storage/store.ts";
import { recordBatch } from "../batch/batch.ts";
import { commissions } from "../commission/commission.ts";
import type { Context } from "../context.ts";
import { payoutTerms } from "../payout/terms.ts";
import { CARRY_REASONS } from "./carry-reason.ts";
import { insertPayout, readUnpaid, sumOf, type UnpaidGroup } from "../payout/creation.ts";
import { moveWithin } from "../payout/status-moves.ts";
import { loadPromoter } from "../promoter/promoter.ts";
import { loadSelected, type Selection } from "../promoter/selection.ts";
import { loadPromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import type { Show } from "../show.ts";

/**
 * Pays chosen commissions: one payout for each promoter, campaign and unit among them. Those that can't be paid are
 * named in the result.
 *
 * Choice: the account's minimum and its other rules bind only the runs of a period, because here the company chooses.
 */
export async function payCommissions(
  context: Context,
  account: Account,
  { label, ids }: { label: string; ids: number[] },
): Promise<BatchProcess> {
  const groups = new Map<string, UnpaidGroup>();
  const faults = new Map<number, string>();
  for (const id of ids) {
    const commission = await context.store.get(commissions, account.id, id);
    const fault = faultOf(commission);
    if (commission === null || fault !== null) faults.set(id, fault ?? "");
    else addTo(groups, commission);
  }
  const groupRef = `custom-${context.chance.uuid()}`;
  for (const group of groups.values()) {
    for (const [id, fault] of await tryGroup(context, account, { group, groupRef })) faults.set(id, fault);
  }
  const errors = ids.flatMap((id) => (faults.has(id) ? [`${id}: ${faults.get(id)}`] : []));
  return recordBatch(context, account.id, { label, total: ids.length, errors });
}

interface ChosenGroup {
  group: UnpaidGroup;
  groupRef: string;
}

/** Pays a group, and names the reason for all its commissions if it can't be paid. The other groups are paid anyway. */
async function tryGroup(
  context: Context,
  account: Account,
  { group, groupRef }: ChosenGroup,
): Promise<Map<number, string>> {
  try {
    return await payGroup(context, account, { group, groupRef });
  } catch (error) {
    if (!(error instanceof Failure) || isOutage(error)) throw error;
    return new Map(group.commissionIds.map((id) => [id, error.message]));
  }
}

/** Pays the chosen commissions of one group. Returns the ids of those that it did not pay, and why. */
async function payGroup(
  context: Context,
  account: Account,
  { group, groupRef }: ChosenGroup,
): Promise<Map<number, string>> {
  const id = await context.store.nextId("payout");
  return context.store.transact(async (tx) => {
    const faults = new Map<number, string>();
    const paid = await readUnpaid(tx, account.id, group);
    const isPaid = sumOf(paid) > 0;
    if (isPaid) await payByHand(tx, context, { account, id, groupRef, paid });
    for (const commissionId of group.commissionIds) {
      if (isPaid && paid.some((each) => each.id === commissionId)) continue;
      const commission = await tx.get(commissions, account.id, commissionId);
      faults.set(commissionId, faultOf(commission) ?? CARRY_REASONS.nothing_to_pay);
    }
    return faults;
  });
}

/** Whose unpaid money is paid, and how the payout begins. */
export interface PromoterPayment<T> {
  selection: Selection;
  /** null: the promoter's default campaign. */
  campaignId: number | null;
  status: PayoutStatus;
  show: Show<Payout, T>;
}

/**
 * Pays all unpaid money of a promoter in one campaign.
 *
 * @throws Failure `not_found`, or `refused` if there is nothing to pay
 */
export async function payPromoter<T>(
  context: Context,
  account: Account,
  { selection, status, show, ...given }: PromoterPayment<T>,
): Promise<T> {
  const { store } = context;
  const { promoter } = await loadSelected(store, account.id, selection);
  const campaignId =
    given.campaignId ??
    (await loadPromoterCampaign(store, account.id, promoter.defaultPromoterCampaignId)).campaignId;
  const group: UnpaidGroup = { promoterId: promoter.id, campaignId, unit: "cash", commissionIds: [] };
  const start = [promoter.id, campaignId, group.unit];
  for await (const chunk of store.scan(commissions, "unpaid", account.id, start)) {
    group.commissionIds.push(...chunk.map((commission) => commission.id));
  }
  const id = await store.nextId("payout");
  return store.transact(async (tx) => {
    const paid = await readUnpaid(tx, account.id, group);
    if (sumOf(paid) <= 0) throw new Failure("refused", CARRY_REASONS.nothing_to_pay);
    const payout = await payByHand(tx, context, { account, id, groupRef: null, paid });
    const isMoved = status !== "pending";
    return show(tx.view, isMoved ? await moveWithin(tx, context, { payout, to: status }) : payout);
  });
}

interface ByHand extends Pick<Payout, "id" | "groupRef"> {
  account: Account;
  paid: Commission[];
}

/** Choice: the period reaches from the first commission to the day of the payout. */
async function payByHand(
  tx: Transaction,
  context: Context,
  { account, id, groupRef, paid }: ByHand,
): Promise<Payout> {
  const made = paid.map(({ createdAt }) => createdAt).toSorted();
  const now = context.now.toISOString();
  const [first = now, last = now] = [made.at(0), made.at(-1)];
  const { promoterId, unit } = paid[0]!;
  const promoter = await loadPromoter(tx, account.id, promoterId);
  const period = { start: first, end: last > now ? last : now };
  const terms = payoutTerms({ unit, amount: sumOf(paid) }, period, { ...account, promoter });
  return insertPayout(tx, context, {
    id,
    runId: null,
    groupRef,
    terms: { ...terms, hasOwnTerms: true },
    paid,
  });
}

/** Why a commission can't be paid. null: it can. */
function faultOf(commission: Commission | null): string | null {
  if (commission === null) return "Commission not found.";
  const { status, payoutId, isPaidElsewhere } = commission;
  if (isPaidElsewhere) return "Another program has paid it";
  if (payoutId !== null) return `It belongs to payout ${payoutId}`;
  return status === "approved" ? null : `A ${status} commission can't be paid`;
}

function addTo(groups: Map<string, UnpaidGroup>, { id, promoterId, campaignId, unit }: Commission): void {
  const key = `${promoterId} ${campaignId} ${unit}`;
  const group = groups.get(key) ?? { promoterId, campaignId, unit, commissionIds: [] };
  group.commissionIds.push(id);
  groups.set(key, group);
}
