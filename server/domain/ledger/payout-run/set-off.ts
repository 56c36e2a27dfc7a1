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
  { promoterId, unit, until }: Pick<GroupKey, "promoterId" | "unit"> & { until: string },
): Promise<UnpaidGroup[]> {
  const all = groupQuery(view, accountId, until);
  const rows = await view.rows(all.where("promoter_id", "=", promoterId).where("unit", "=", unit));
  return rows.map(groupOf);
}

/**
 * What the payout of a campaign pays back of the debts in others. The largest sum pays first. Each call divides
 * what is left in the same way, so the order in which the payouts are made does not matter.
 *
 * @see docs/spec/money.md "Payouts", 6
 */
export function setOffsOf(
  groups: Pick<UnpaidGroup, "campaignId" | "amount">[],
  campaignId: number,
): SetOff[] {
  const debts = groups
    .filter(({ amount }) => amount < 0)
    .map((debt) => ({ campaignId: debt.campaignId, amount: -debt.amount }))
    .toSorted((one, other) => one.campaignId - other.campaignId);
  const paying = groups
    .filter(({ amount }) => amount > 0)
    .toSorted((one, other) => other.amount - one.amount || one.campaignId - other.campaignId);
  for (const payer of paying) {
    const setOffs: SetOff[] = [];
    let left = payer.amount;
    for (const debt of debts) {
      const amount = Math.min(left, debt.amount);
      if (amount > 0) setOffs.push({ campaignId: debt.campaignId, amount });
      debt.amount -= amount;
      left -= amount;
    }
    if (payer.campaignId === campaignId) return setOffs;
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
  { taken, setOffs, payoutId, at }: SetOffs,
): Promise<void> {
  const { accountId, promoterId, campaignId, promoterCampaignId, unit } = taken;
  const own = { accountId, promoterId, unit, createdAt: at, isSilent: true as const };
  for (const { campaignId: owing, amount } of setOffs) {
    const owedBy = await promoterCampaignIn(tx.view, { ...taken, campaignId: owing });
    const paying = { campaignId, promoterCampaignId, amount: -amount, payoutId };
    const paid = { campaignId: owing, promoterCampaignId: owedBy, amount, payoutId: null };
    await write(tx, context, {
      ...own,
      ...paying,
      setOff: { campaignId: owing },
      internalNote: `It pays back what the promoter owed in campaign ${owing}`,
    });
    await write(tx, context, {
      ...own,
      ...paid,
      setOff: { campaignId },
      internalNote: `What the promoter owed is paid back by campaign ${campaignId}`,
    });
  }
}

interface SetOffs {
  /** The commissions that the payout pays. */
  taken: Taken;
  setOffs: SetOff[];
  payoutId: number;
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
