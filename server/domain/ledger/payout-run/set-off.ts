import type { Transaction, View } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { announceMoney } from "../announcement.ts";
import { commissions, newCommission } from "../commission/commission.ts";
import {
  groupOf,
  groupQuery,
  promoterCampaignIn,
  type GroupKey,
  type Taken,
  type UnpaidGroup,
} from "../payout/creation.ts";
import type { SetOff } from "../payout/payout.ts";

/** What a promoter has in each campaign, in one unit, made until an instant and in no payout. */
export async function ownGroups(
  view: View,
  accountId: number,
  { promoter_id, unit, until }: Pick<GroupKey, "promoter_id" | "unit"> & { until: string },
): Promise<UnpaidGroup[]> {
  const all = groupQuery(view, accountId, until);
  const rows = await view.rows(all.where("promoter_id", "=", promoter_id).where("unit", "=", unit));
  return rows.map(groupOf);
}

/**
 * What the payout of a campaign pays back of the debts in others. The largest sum pays first. Each call divides
 * what is left in the same way, so the order in which the payouts are made does not matter.
 *
 * @see docs/spec/money.md "Payouts", 6
 */
export function setOffsOf(
  groups: Pick<UnpaidGroup, "campaign_id" | "amount">[],
  campaignId: number,
): SetOff[] {
  const debts = groups
    .filter(({ amount }) => amount < 0)
    .map((debt) => ({ campaign_id: debt.campaign_id, amount: -debt.amount }))
    .toSorted((one, other) => one.campaign_id - other.campaign_id);
  const paying = groups
    .filter(({ amount }) => amount > 0)
    .toSorted((one, other) => other.amount - one.amount || one.campaign_id - other.campaign_id);
  for (const payer of paying) {
    const setOffs: SetOff[] = [];
    let left = payer.amount;
    for (const debt of debts) {
      const amount = Math.min(left, debt.amount);
      if (amount > 0) setOffs.push({ campaign_id: debt.campaign_id, amount });
      debt.amount -= amount;
      left -= amount;
    }
    if (payer.campaign_id === campaignId) return setOffs;
  }
  return [];
}

/** The sum of what is set off. */
export function sumOfSetOffs(setOffs: SetOff[]): number {
  return setOffs.reduce((sum, { amount }) => sum + amount, 0);
}

/**
 * Writes what is set off as pairs of commissions: a negative one in the payout, and a positive one in the campaign
 * that owed. So every payout and every balance stays the sum of its commissions.
 */
export async function writeSetOffs(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { taken, set_offs, payout_id, at }: SetOffs,
): Promise<void> {
  const { account_id, promoter_id, campaign_id, promoter_campaign_id, unit } = taken;
  const own = { account_id, promoter_id, unit, created_at: at, is_silent: true as const };
  for (const { campaign_id: owing, amount } of set_offs) {
    const owedBy = await promoterCampaignIn(tx.view, { ...taken, campaign_id: owing });
    const paying = { campaign_id, promoter_campaign_id, amount: -amount, payout_id };
    const paid = { campaign_id: owing, promoter_campaign_id: owedBy, amount, payout_id: null };
    await write(tx, context, {
      ...own,
      ...paying,
      set_off: { campaign_id: owing },
      internal_note: `It pays back what the promoter owed in campaign ${owing}`,
    });
    await write(tx, context, {
      ...own,
      ...paid,
      set_off: { campaign_id },
      internal_note: `What the promoter owed is paid back by campaign ${campaign_id}`,
    });
  }
}

interface SetOffs {
  /** The commissions that the payout pays. */
  taken: Taken;
  set_offs: SetOff[];
  payout_id: number;
  /** The end of the run's period. A later one would let a run that goes on set the debt off again. */
  at: string;
}

async function write(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  given: Omit<Parameters<typeof newCommission>[0], "id">,
): Promise<void> {
  const commission = newCommission({ ...given, id: await context.store.nextId("commission") });
  await tx.insert(commissions, commission);
  await announceMoney(tx, context, { entity: "commission", before: null, after: commission });
}
