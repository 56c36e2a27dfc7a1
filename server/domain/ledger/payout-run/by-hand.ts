import { Failure, isOutage } from "../../../failure.ts";
import type { Account } from "../../program/account/account.ts";
import { recordBatch, type BatchProcess } from "../../batch.ts";
import { commissions, isUnpaid, type Commission } from "../commission/commission.ts";
import { payoutTerms, type Payout, type PayoutStatus } from "../payout/payout.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { CARRY_REASONS } from "./payout-run.ts";
import { insertPayout, takeUnpaid, type GroupKey, type Taken } from "../payout/creation.ts";
import { moveWithin } from "../payout/status.ts";
import { loadPromoter, promoters } from "../../people/promoter/promoter.ts";
import { loadSelected, type Selection } from "../../people/promoter/search.ts";
import { loadPromoterCampaign } from "../../people/promoter-campaign/promoter-campaign.ts";

/**
 * Pays chosen commissions: one payout for each promoter, campaign and unit among them. Those that can't be
 * paid are named in the result. The account's minimum and its other rules apply to the runs of a period only.
 *
 * @see docs/spec/v2.md "Commissions"
 */
export async function payCommissions(
  context: Context,
  account: Account,
  { label, ids }: { label: string; ids: number[] },
): Promise<BatchProcess> {
  const groups = new Map<string, ChosenGroup>();
  const faults = new Map<number, string>();
  for (const id of ids) {
    const commission = await context.store.get(commissions, account.id, id);
    const fault = faultOf(commission);
    if (commission === null || fault !== null) faults.set(id, fault ?? "");
    else addTo(groups, commission);
  }
  const groupRef = `custom-${context.chance.uuid()}`;
  for (const group of groups.values()) {
    for (const [id, fault] of await tryGroup(context, account, { group, group_ref: groupRef }))
      faults.set(id, fault);
  }
  const errors = ids.flatMap((id) => (faults.has(id) ? [`${id}: ${faults.get(id)}`] : []));
  return recordBatch(context, account.id, { label, total: ids.length, errors });
}

/** Chosen commissions that share one payout. */
interface ChosenGroup extends GroupKey {
  ids: number[];
}

/**
 * Pays a group, and reports the reason for all its commissions if it can't be paid. The other groups are paid
 * anyway.
 */
async function tryGroup(
  context: Context,
  account: Account,
  { group, group_ref }: { group: ChosenGroup; group_ref: string },
): Promise<Map<number, string>> {
  try {
    return await payGroup(context, account, { group, group_ref });
  } catch (error) {
    if (!(error instanceof Failure) || isOutage(error)) throw error;
    return new Map(group.ids.map((id) => [id, error.message]));
  }
}

/** Pays the chosen commissions of one group. Returns the ids of unpaid ones, with the reason. */
async function payGroup(
  context: Context,
  account: Account,
  { group, group_ref }: { group: ChosenGroup; group_ref: string },
): Promise<Map<number, string>> {
  const id = await context.store.nextId("payout");
  return context.store.transact(async (tx) => {
    const faults = new Map<number, string>();
    const paid = await readUnpaid(tx, account.id, group);
    const isPaid = paid.reduce((sum, { amount }) => sum + amount, 0) > 0;
    if (isPaid) {
      for (const commission of paid) await tx.put(commissions, { ...commission, payout_id: id });
      await payByHand(tx, context, { account, id, group_ref, taken: takenOf(paid) });
    }
    for (const commissionId of group.ids) {
      if (isPaid && paid.some((each) => each.id === commissionId)) continue;
      const commission = await tx.get(commissions, account.id, commissionId);
      faults.set(commissionId, faultOf(commission) ?? CARRY_REASONS.nothing_to_pay);
    }
    return faults;
  });
}

/** The promoter to pay, and the initial state of the payout. */
export interface PromoterPayment {
  selection: Selection;
  /** Null for the promoter's default campaign. */
  campaign_id: number | null;
  status: PayoutStatus;
}

/**
 * Pays all unpaid money of a promoter in one campaign.
 *
 * @throws Failure `not_found`, or `refused` if there is nothing to pay
 */
export async function payPromoter(
  tx: Transaction,
  context: Context,
  account: Account,
  { selection, status, ...given }: PromoterPayment,
): Promise<Payout> {
  const { promoter } = await loadSelected(tx, account.id, selection);
  const campaignId =
    given.campaign_id ??
    (await loadPromoterCampaign(tx, account.id, promoter.default_promoter_campaign_id)).campaign_id;
  const group = {
    account_id: account.id,
    promoter_id: promoter.id,
    campaign_id: campaignId,
    unit: "cash",
  } as const;
  const id = await tx.nextId("payout");
  await tx.lock(promoters, account.id, promoter.id);
  const taken = await takeUnpaid(tx, group, { until: null, payout_id: id });
  if (taken === null || taken.amount <= 0) throw new Failure("refused", CARRY_REASONS.nothing_to_pay);
  const payout = await payByHand(tx, context, { account, id, group_ref: null, taken });
  return status === "pending" ? payout : moveWithin(tx, context, { payout, to: status });
}

/** The commissions of a group that are still unpaid. The commit fails if one of them changes meanwhile. */
async function readUnpaid(
  reader: Reader,
  accountId: number,
  { promoter_id, campaign_id, unit, ids }: ChosenGroup,
): Promise<Commission[]> {
  const unpaid: Commission[] = [];
  for (const id of ids) {
    const commission = await reader.get(commissions, accountId, id);
    if (commission === null || !isUnpaid(commission)) continue;
    // Its lead may have moved to another promoter meanwhile.
    if (commission.promoter_id !== promoter_id || commission.campaign_id !== campaign_id) continue;
    if (commission.unit === unit) unpaid.push(commission);
  }
  return unpaid;
}

/** The sums of chosen commissions of one group. There is at least one. */
function takenOf(paid: Commission[]): Taken {
  const made = paid.map(({ created_at }) => created_at).toSorted();
  const latest = paid.at(-1)!;
  return {
    ...latest,
    amount: paid.reduce((sum, { amount }) => sum + amount, 0),
    first_at: made[0]!,
    last_at: made.at(-1)!,
  };
}

interface ByHand extends Pick<Payout, "id" | "group_ref"> {
  account: Account;
  taken: Taken;
}

/** The period reaches from the first commission to the day of the payout. */
async function payByHand(
  tx: Transaction,
  context: Context,
  { account, id, group_ref, taken }: ByHand,
): Promise<Payout> {
  const { promoter_id, first_at, last_at } = taken;
  const now = context.now.toISOString();
  const promoter = await loadPromoter(tx, account.id, promoter_id);
  const period = { start: first_at, end: last_at > now ? last_at : now };
  const terms = payoutTerms(taken, period, { ...account, promoter });
  const own = { id, run_id: null, group_ref, latest: taken };
  return insertPayout(tx, context, { ...own, terms: { ...terms, has_own_terms: true } });
}

/** The reason why a commission can't be paid, or null. */
function faultOf(commission: Commission | null): string | null {
  if (commission === null) return "Commission not found.";
  const { status, payout_id, is_paid_elsewhere, set_off } = commission;
  if (set_off !== undefined) return "It sets off a debt in another campaign";
  if (is_paid_elsewhere) return "Another program has paid it";
  if (payout_id !== null) return `It belongs to payout ${payout_id}`;
  return status === "approved" ? null : `A ${status} commission can't be paid`;
}

function addTo(groups: Map<string, ChosenGroup>, { id, promoter_id, campaign_id, unit }: Commission): void {
  const key = `${promoter_id} ${campaign_id} ${unit}`;
  const group = groups.get(key) ?? { promoter_id, campaign_id, unit, ids: [] };
  group.ids.push(id);
  groups.set(key, group);
}
