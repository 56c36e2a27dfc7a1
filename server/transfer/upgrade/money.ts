import { accounts } from "../../domain/account/account.ts";
import { commissions, newCommission } from "../../domain/commission/commission.ts";
import { payouts } from "../../domain/payout/payout.ts";
import { promoters } from "../../domain/promoter/promoter.ts";
import { promoterCampaigns } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { SYSTEM } from "../../domain/account/record.ts";
import type { Commission } from "../../domain/commission/record.ts";
import type { Payout } from "../../domain/payout/record.ts";
import type { Promoter } from "../../domain/promoter/record.ts";
import type { Unit } from "../../domain/money/unit.ts";
import type { AtomicDriver } from "../../storage/driver.ts";
import { newStore } from "../../storage/store.ts";
import { formerBalances, type FormerBalance } from "./former-collections.ts";
import { allIn, entryIn } from "../records-in.ts";
import type { Work } from "../work.ts";

/** The limit of sums to try when looking for the commissions that add up to one; more would take too long. */
const MOST_SUMS = 100_000;

/** An account's commissions and payouts. */
interface Money {
  commissions: Commission[];
  payouts: Payout[];
}

/**
 * Layout 5 kept balances in addition to the records that they are the sum of. Only the balance knew what
 * another program had paid, so the commissions that add up to it are marked as paid elsewhere. Earnings
 * without a commission, for example from `tidemark seed`, become a commission. So each balance stays the
 * same, to the cent.
 */
export async function upgradeMoney(driver: AtomicDriver, work: Work): Promise<void> {
  for (const { id } of await allIn(driver, accounts, SYSTEM)) {
    const money = {
      commissions: await allIn(driver, commissions, id),
      payouts: await allIn(driver, payouts, id),
    };
    for (const balance of await allIn(driver, formerBalances, id)) {
      const own = ofPromoter(money, balance.promoterId);
      const made = await explain(driver, balance, own);
      await work.commit({
        puts: made.map((commission) => entryIn(commissions, commission)),
        // In the same commit, so that no balance is explained twice.
        removes: [entryIn(formerBalances, balance)[0]],
      });
    }
    await markOthers(driver, work, id);
  }
}

function ofPromoter({ commissions: earned, payouts: paid }: Money, promoterId: number): Money {
  return {
    commissions: earned.filter((commission) => commission.promoterId === promoterId),
    payouts: paid.filter((payout) => payout.promoterId === promoterId),
  };
}

/** Finds or makes the commissions that, with the payouts, add up to a balance. */
async function explain(driver: AtomicDriver, balance: FormerBalance, money: Money): Promise<Commission[]> {
  const made: Commission[] = [];
  for (const [unit, { earnings, paid }] of Object.entries(balance.units)) {
    const earned = money.commissions.filter((each) => each.unit === unit && each.status === "approved");
    const unexplained = earnings - sumOf(earned);
    if (unexplained !== 0) earned.push(await carriedOver(driver, balance, [unit as Unit, unexplained]));
    const paidHere = money.payouts.filter((each) => each.unit === unit && each.status === "completed");
    const paidElsewhere = subsetOf(earned, paid - sumOf(paidHere));
    made.push(...earned.map((each) => ({ ...each, isPaidElsewhere: paidElsewhere.has(each) })));
  }
  return made;
}

async function carriedOver(
  driver: AtomicDriver,
  { accountId, promoterId }: FormerBalance,
  [unit, amount]: [Unit, number],
): Promise<Commission> {
  const store = newStore(driver);
  const promoter = (await store.get(promoters, accountId, promoterId)) as Promoter;
  const { defaultPromoterCampaignId: promoterCampaignId, createdAt } = promoter;
  const promoterCampaign = await store.get(promoterCampaigns, accountId, promoterCampaignId);
  return newCommission({
    accountId,
    id: await store.nextId("commission"),
    promoterCampaignId,
    promoterId,
    campaignId: promoterCampaign?.campaignId ?? 0,
    unit,
    amount,
    createdAt,
  });
}

/** Commissions that add up to a sum, the oldest first. If none do, those that come nearest. */
function subsetOf(earned: Commission[], sum: number): Set<Commission> {
  const made = new Map<number, Commission[]>([[0, []]]);
  for (const commission of earned) {
    // A snapshot, so that a commission is not added to sums that already include it.
    const known = Array.from(made);
    for (const [before, parts] of known) {
      const next = before + commission.amount;
      if (!made.has(next)) made.set(next, [...parts, commission]);
    }
    if (made.has(sum) || made.size > MOST_SUMS) break;
  }
  const nearest = [...made.keys()].reduce((best, each) =>
    Math.abs(sum - each) < Math.abs(sum - best) ? each : best,
  );
  return new Set(made.get(nearest));
}

function sumOf(amounts: { amount: number }[]): number {
  return amounts.reduce((sum, { amount }) => sum + amount, 0);
}

/** Marks all other commissions as not paid elsewhere. */
async function markOthers(driver: AtomicDriver, work: Work, accountId: number): Promise<void> {
  const unmarked = (await allIn(driver, commissions, accountId)).filter(
    (each) => !("isPaidElsewhere" in each),
  );
  const puts = unmarked.map((commission) =>
    entryIn(commissions, { ...(commission as Commission), isPaidElsewhere: false }),
  );
  if (puts.length > 0) await work.commit({ puts });
}
