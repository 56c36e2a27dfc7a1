import type { Transaction } from "../../../storage/store.ts";
import { integer, json, table, time, type RowOf } from "../../../storage/table.ts";
import { accounts, servedAccounts } from "../../program/account/account.ts";
import { SYSTEM, type LeasedContext } from "../../context.ts";
import { DAY_MS, isoOf } from "../../span.ts";
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
  start_in_days: number | null;
  /** Days between two commissions. Null: there is only one. */
  every_days: number | null;
  /** How many follow the first. Null: until the customer leaves, at most MOST_INSTALMENTS. */
  max_count: number | null;
}

const fields = {
  sale_id: integer(),
  lead_id: integer(),
  earnings: json<Earning[]>(),
  next_at: time(),
  every_days: integer().nullable(),
  /** How many are left. */
  left_count: integer(),
};

/** A sale's future commissions, with the terms of the sale. */
type Instalments = RowOf<typeof fields>;

export const instalments = table("instalment", fields, {
  key: ["sale_id"],
  indexes: { due: { on: ["next_at"] } },
});

/**
 * Whether a sale's earning waits for the first instalment. A target is reached once, with the sale itself.
 */
export function comesLater(earning: Earning, plan: InstalmentPlan | null): boolean {
  return plan !== null && plan.start_in_days !== null && !isTarget(earning);
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
  const { start_in_days, every_days, max_count } = plan;
  const waitDays = start_in_days ?? every_days;
  if (waitDays === null) return;
  const firstCount = start_in_days === null ? 0 : 1;
  const wanted = every_days === null ? firstCount : (max_count ?? MOST_INSTALMENTS) + firstCount;
  const leftCount = Math.min(wanted, MOST_INSTALMENTS);
  if (leftCount === 0) return;
  await tx.insert(instalments, {
    account_id: sale.account_id,
    sale_id: sale.id,
    lead_id: sale.lead_id,
    earnings: earnings.filter((earning) => !isTarget(earning)),
    next_at: laterBy(at, waitDays),
    every_days,
    left_count: leftCount,
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
      const due = chunk.filter(({ next_at }) => Date.parse(next_at) <= clock().getTime());
      for (const { account_id, sale_id } of due) {
        while (await makeNext(run, account_id, sale_id)) {
          if (++madeCount % MADE_AT_ONCE === 0) yield;
        }
      }
      if (due.length < chunk.length) break;
    }
  }
}

/** Whether an earning is the bonus of a target. */
export function isTarget({ reward }: Earning): boolean {
  return reward.promoter_reward_type === "target";
}

/** An instant some days later. */
function laterBy(at: Date, days: number): string {
  return isoOf(at.getTime() + days * DAY_MS);
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
    if (plan === null || Date.parse(plan.next_at) > now.getTime()) return false;
    const sale = await tx.get(sales, accountId, saleId);
    const lead = await tx.get(leads, accountId, plan.lead_id);
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
        at: new Date(plan.next_at),
        earnings: await leftOf(tx, plan, sale),
      },
    );
    await tx.put(sales, { ...sale, commission_ids: [...sale.commission_ids, ...made.map(({ id }) => id)] });
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
function hasEnded({ next_at }: Instalments, { state, cancelled_at, archived_at }: Lead, sale: Sale): boolean {
  if (archived_at || state === "refunded" || isRefunded(sale)) return true;
  return cancelled_at === null ? state === "cancelled" : Date.parse(next_at) >= Date.parse(cancelled_at);
}

async function writeNext(tx: Transaction, plan: Instalments): Promise<void> {
  const leftCount = plan.left_count - 1;
  if (leftCount === 0 || plan.every_days === null) {
    await tx.remove(instalments, plan.account_id, plan.sale_id);
    return;
  }
  const nextAt = laterBy(new Date(plan.next_at), plan.every_days);
  await tx.put(instalments, { ...plan, left_count: leftCount, next_at: nextAt });
}

/**
 * The unrefunded part of the sale's earnings, for those who may earn on this day. The parts of a split are
 * consecutive, and are cut so that they add up to the rest of the whole.
 *
 * @see docs/spec/money.md "Who earns"
 */
async function leftOf(tx: Transaction, { earnings }: Instalments, sale: Sale): Promise<Earning[]> {
  const own = await tx.get(promoterCampaigns, sale.account_id, sale.promoter_campaign_id);
  if (own === null || !earnsFromLeads(own)) return [];
  const left: Earning[] = [];
  let given = 0;
  for (const earning of earnings) {
    const { whole_amount } = earning;
    const upTo = given + earning.amount;
    const amount = leftPart(sale, upTo) - leftPart(sale, given);
    given = upTo === whole_amount ? 0 : upTo;
    if (amount === 0) continue;
    const due = { ...earning, amount, whole_amount: leftPart(sale, whole_amount) };
    const isForOwn = earning.promoter_campaign_id === own.id;
    if (isForOwn || (await isAccepted(tx, sale.account_id, earning.promoter_campaign_id))) left.push(due);
    else if (earning.tier_level === 1) left.push(ownPart(due, own));
  }
  return left;
}

async function isAccepted(tx: Transaction, accountId: number, id: number): Promise<boolean> {
  const owner = await tx.get(promoterCampaigns, accountId, id);
  return owner !== null && acceptsLeads(owner);
}

/** A share of a split that falls back to the lead's own promoter. */
function ownPart(share: Earning, own: PromoterCampaign): Earning {
  const { is_share: _, ...part } = share;
  return { ...part, promoter_campaign_id: own.id };
}
