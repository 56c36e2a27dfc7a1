import type { Transaction } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import { accounts, servedAccounts } from "../../program/account/account.ts";
import { SYSTEM, type LeasedContext } from "../../context.ts";
import type { Earning } from "../commission/earnings.ts";
import { leads, type Lead } from "../../people/lead/lead.ts";
import {
  acceptsLeads,
  earnsFromLeads,
  promoterCampaigns,
  type PromoterCampaign,
} from "../../people/promoter-campaign/promoter-campaign.ts";
import { addCommissions } from "./commissions.ts";
import { isRefunded, leftPart, sales, type Sale } from "./sale.ts";

/** The commissions that a client wants later, without further sales. */
export interface InstalmentPlan {
  /** Days from the sale to the first commission. Null: immediately. */
  startInDays: number | null;
  /** Days between two commissions. Null: there is only one. */
  everyDays: number | null;
  /** How many follow the first. Null: until the customer leaves, at most MOST_INSTALMENTS. */
  maxCount: number | null;
}

/** A sale's future commissions, with the terms of the sale. */
interface Instalments {
  accountId: number;
  saleId: number;
  leadId: number;
  earnings: Earning[];
  nextAt: string;
  everyDays: number | null;
  /** How many are left. */
  leftCount: number;
}

export const instalments = table<Instalments>()({
  name: "instalment",
  key: ["sale_id"],
  columns: { sale_id: "integer", lead_id: "integer", next_at: "text" },
  indexes: { due: { on: ["next_at"] } },
});

/**
 * Whether a sale's earning waits for the first instalment. A target is reached once, with the sale itself.
 */
export function comesLater(earning: Earning, plan: InstalmentPlan | null): boolean {
  return plan !== null && plan.startInDays !== null && !isTarget(earning);
}

/**
 * Ten years of weeks, or forty of months. Otherwise a daily plan of a sale from decades ago would earn
 * thousands of commissions in one go.
 *
 * @see docs/spec/money.md "Sales", 6
 */
const MOST_INSTALMENTS = 520;

/** Records the commissions that come later. */
export async function addInstalments(
  tx: Transaction,
  { sale, plan, earnings, at }: { sale: Sale; plan: InstalmentPlan | null; earnings: Earning[]; at: Date },
): Promise<void> {
  if (plan === null || earnings.length === 0) return;
  const { startInDays, everyDays, maxCount } = plan;
  const waitDays = startInDays ?? everyDays;
  if (waitDays === null) return;
  const firstCount = startInDays === null ? 0 : 1;
  const wanted = everyDays === null ? firstCount : (maxCount ?? MOST_INSTALMENTS) + firstCount;
  const leftCount = Math.min(wanted, MOST_INSTALMENTS);
  if (leftCount === 0) return;
  await tx.insert(instalments, {
    accountId: sale.accountId,
    saleId: sale.id,
    leadId: sale.leadId,
    earnings: earnings.filter((earning) => !isTarget(earning)),
    nextAt: laterBy(at, waitDays).toISOString(),
    everyDays,
    leftCount,
  });
}

/** Commits between two pauses, in which other jobs get their turn. */
const MADE_AT_ONCE = 100;

/**
 * Makes the commissions of all due instalments, one commit for each. A missed instalment is made up for
 * later. An interrupted run can continue, because each commit also records the next instalment.
 */
export async function* makeInstalments(run: LeasedContext): AsyncGenerator<void> {
  const { store, clock } = run;
  let madeCount = 0;
  for await (const { id } of servedAccounts(store)) {
    for await (const chunk of store.scan(instalments, "due", id, [])) {
      const due = chunk.filter(({ nextAt }) => Date.parse(nextAt) <= clock().getTime());
      for (const { accountId, saleId } of due) {
        while (await makeNext(run, accountId, saleId)) {
          if (++madeCount % MADE_AT_ONCE === 0) yield;
        }
      }
      if (due.length < chunk.length) break;
    }
  }
}

/** Whether an earning is the bonus of a target. */
export function isTarget({ reward }: Earning): boolean {
  return reward.promoterRewardType === "target";
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** An instant some days later. */
function laterBy(at: Date, days: number): Date {
  return new Date(at.getTime() + days * DAY_MS);
}

/** Makes the next instalment of a sale. False if none is due. */
function makeNext(
  { store, clock, guard }: LeasedContext,
  accountId: number,
  saleId: number,
): Promise<boolean> {
  return store.transact(async (tx) => {
    await guard(tx);
    const now = clock();
    const plan = await tx.get(instalments, accountId, saleId);
    if (plan === null || Date.parse(plan.nextAt) > now.getTime()) return false;
    const sale = await tx.get(sales, accountId, saleId);
    const lead = await tx.get(leads, accountId, plan.leadId);
    const account = await tx.get(accounts, SYSTEM, accountId);
    if (account === null || lead === null || sale === null || hasEnded(plan, lead, sale)) {
      await tx.remove(instalments, accountId, saleId);
      return false;
    }
    // Like a sale, an instalment of a denied lead earns nothing. Those after the denial do.
    if (lead.state === "denied") {
      await writeNext(tx, plan);
      return true;
    }
    const made = await addCommissions(
      tx,
      { store, now },
      {
        account,
        lead,
        sale,
        at: new Date(plan.nextAt),
        earnings: await leftOf(tx, plan, sale),
      },
    );
    await tx.put(sales, { ...sale, commissionIds: [...sale.commissionIds, ...made.map(({ id }) => id)] });
    await writeNext(tx, plan);
    return true;
  });
}

/**
 * Instalments end with the customer, or when the sale is completely refunded. Those that were due before the
 * customer left are still made, however late the job runs.
 *
 * @see docs/spec/money.md "Sales", 6
 */
function hasEnded({ nextAt }: Instalments, { state, cancelledAt, archivedAt }: Lead, sale: Sale): boolean {
  if (archivedAt || state === "refunded" || isRefunded(sale)) return true;
  return cancelledAt === null ? state === "cancelled" : Date.parse(nextAt) >= Date.parse(cancelledAt);
}

async function writeNext(tx: Transaction, plan: Instalments): Promise<void> {
  const leftCount = plan.leftCount - 1;
  if (leftCount === 0 || plan.everyDays === null) {
    await tx.remove(instalments, plan.accountId, plan.saleId);
    return;
  }
  const nextAt = laterBy(new Date(plan.nextAt), plan.everyDays).toISOString();
  await tx.put(instalments, { ...plan, leftCount, nextAt });
}

/**
 * The unrefunded part of the sale's earnings, for those who may earn on this day. The parts of a split are
 * consecutive, and are cut so that they add up to the rest of the whole.
 *
 * @see docs/spec/money.md "Who earns"
 */
async function leftOf(tx: Transaction, { earnings }: Instalments, sale: Sale): Promise<Earning[]> {
  const own = await tx.get(promoterCampaigns, sale.accountId, sale.promoterCampaignId);
  if (own === null || !earnsFromLeads(own)) return [];
  const left: Earning[] = [];
  let given = 0;
  for (const earning of earnings) {
    const { wholeAmount } = earning;
    const upTo = given + earning.amount;
    const amount = leftPart(sale, upTo) - leftPart(sale, given);
    given = upTo === wholeAmount ? 0 : upTo;
    if (amount === 0) continue;
    const due = { ...earning, amount, wholeAmount: leftPart(sale, wholeAmount) };
    const isForOwn = earning.promoterCampaignId === own.id;
    if (isForOwn || (await isAccepted(tx, sale.accountId, earning.promoterCampaignId))) left.push(due);
    else if (earning.tierLevel === 1) left.push(ownPart(due, own));
  }
  return left;
}

async function isAccepted(tx: Transaction, accountId: number, id: number): Promise<boolean> {
  const owner = await tx.get(promoterCampaigns, accountId, id);
  return owner !== null && acceptsLeads(owner);
}

/** A share of a split that falls back to the lead's own promoter. */
function ownPart(share: Earning, own: PromoterCampaign): Earning {
  const { isShare: _, ...part } = share;
  return { ...part, promoterCampaignId: own.id };
}
