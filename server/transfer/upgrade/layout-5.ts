import { accounts, type Account } from "../../domain/program/account/account.ts";
import { campaigns, type Campaign } from "../../domain/program/campaign/campaign.ts";
import { commissions, newCommission, type Commission } from "../../domain/ledger/commission/commission.ts";
import type { Unit } from "../../domain/money.ts";
import { payouts, type Payout } from "../../domain/ledger/payout/payout.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { pastClicks, visitors, type PastClicks, type Visitor } from "../../domain/people/visitor/visitor.ts";
import { IDS, type Item, type Items } from "../item.ts";
import { item, recordsOf, type Changes } from "./conversion.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const USUAL_COOKIE_DAYS = 60;

type FormerVisitor = Omit<Visitor, "promoterId" | "campaignId" | "expiresAt">;

/** The promoter and campaign of a promoterCampaign's clicks. */
interface Owner {
  promoterId: number;
  campaignId: number;
  cookieDays: number;
}

/**
 * Adds its promoter, campaign and cookie expiry to each visitor. Clicks without a visitor, or whose visitor has expired,
 * become past clicks.
 *
 * A promoterCampaign's clicks count for its current campaign, because the store did not keep the campaign of each click. If
 * the promoterCampaign was deleted, they count for the default campaign and no promoter.
 */
export async function clicks(items: Items): Promise<Changes> {
  const ownerOf = await readOwners(items);
  const visitCounts = new Map<string, number>();
  for (const { accountId, createdAt, promoterCampaignId } of await recordsOf<Visitor>(items, visitors)) {
    const visit = `${accountId} ${createdAt.slice(0, 10)} ${promoterCampaignId}`;
    visitCounts.set(visit, (visitCounts.get(visit) ?? 0) + 1);
  }
  return {
    [visitors.name]: (visitor: FormerVisitor) => [item(visitors, owned(visitor, ownerOf(visitor)))],
    [pastClicks.name]: (past: PastClicks) => {
      const { accountId, day, promoterCampaignId } = past;
      const count = past.count - (visitCounts.get(`${accountId} ${day} ${promoterCampaignId}`) ?? 0);
      const { promoterId, campaignId } = ownerOf(past);
      return count > 0 ? [item(pastClicks, { ...past, promoterId, campaignId, count })] : [];
    },
  };
}

/** The maximum number of sums when searching commissions that add up to a balance; more would be too slow. */
const MOST_SUMS = 100_000;

/** The balance of a promoter, which layout 5 stored beside the commissions and payouts that it is the sum of. */
interface FormerBalance {
  accountId: number;
  promoterId: number;
  units: Partial<Record<Unit, { earnings: number; paid: number }>>;
}

/** The records that explain balances. */
interface Money {
  commissions: Commission[];
  payouts: Payout[];
  promoters: Promoter[];
  promoterCampaigns: PromoterCampaign[];
}

/**
 * Layout 5 stored balances beside the records that they are the sum of. Only the balance included what another program had
 * paid, so commissions that add up to that are marked as paid elsewhere. Earnings without a commission, for example from
 * `tidemark seed`, become a commission. So each balance stays exactly the same.
 */
export async function money(items: Items): Promise<Changes> {
  const all: Money = {
    commissions: await recordsOf(items, commissions),
    payouts: await recordsOf(items, payouts),
    promoters: await recordsOf(items, promoters),
    promoterCampaigns: await recordsOf(items, promoterCampaigns),
  };
  let nextId = 1;
  for (const ids of await recordsOf<{ accountId: 0; kind: string; next: number }>(items, { name: IDS })) {
    if (ids.kind === commissions.name) nextId = ids.next;
  }
  const isPaidElsewhere = new Map<string, boolean>();
  /** The items that replace each balance. */
  const made = new Map<string, Item[]>();
  for (const balance of await recordsOf<FormerBalance>(items, BALANCES)) {
    const { known, carriedOver } = explain(balance, all, () => nextId++);
    for (const each of known) isPaidElsewhere.set(placeOf(each), each.isPaidElsewhere);
    const next = { collection: IDS, text: JSON.stringify({ kind: commissions.name, next: nextId }) };
    made.set(
      placeOf(balance),
      carriedOver.length > 0 ? [...carriedOver.map((each) => item(commissions, each)), next] : [],
    );
  }
  return {
    [BALANCES.name]: (balance: FormerBalance) => made.get(placeOf(balance))!,
    [commissions.name]: (commission: Commission) => [
      item(commissions, {
        ...commission,
        isPaidElsewhere: isPaidElsewhere.get(placeOf(commission)) ?? false,
      }),
    ],
  };
}

function owned(visitor: FormerVisitor, { cookieDays, promoterId, campaignId }: Owner): Visitor {
  const expiresAt = new Date(Date.parse(visitor.createdAt) + cookieDays * DAY_MS).toISOString();
  return { ...visitor, promoterId, campaignId, expiresAt };
}

async function readOwners(
  items: Items,
): Promise<(of: { accountId: number; promoterCampaignId: number }) => Owner> {
  const cookieDays = new Map<string, number>();
  for (const { accountId, id, visitorCookieDays } of await recordsOf<Campaign>(items, campaigns)) {
    cookieDays.set(`${accountId} ${id}`, visitorCookieDays);
  }
  const defaults = new Map<number, number>();
  for (const { id, defaultCampaignId } of await recordsOf<Account>(items, accounts)) {
    defaults.set(id, defaultCampaignId);
  }
  const places = new Map<string, PromoterCampaign>();
  for (const each of await recordsOf<PromoterCampaign>(items, promoterCampaigns)) {
    places.set(`${each.accountId} ${each.id}`, each);
  }
  return ({ accountId, promoterCampaignId }) => {
    const place = places.get(`${accountId} ${promoterCampaignId}`);
    const campaignId = place?.campaignId ?? defaults.get(accountId) ?? 0;
    return {
      promoterId: place?.promoterId ?? 0,
      campaignId,
      cookieDays: cookieDays.get(`${accountId} ${campaignId}`) ?? USUAL_COOKIE_DAYS,
    };
  };
}

const BALANCES = { name: "balance" };

function placeOf({
  accountId,
  ...rest
}: { accountId: number } & ({ id: number } | { promoterId: number })): string {
  return `${accountId} ${"id" in rest ? rest.id : rest.promoterId}`;
}

/** Finds or makes the commissions that, with the payouts, add up to a balance. */
function explain(
  balance: FormerBalance,
  all: Money,
  nextId: () => number,
): { known: Commission[]; carriedOver: Commission[] } {
  const isOwn = ({ accountId, promoterId }: { accountId: number; promoterId: number }) =>
    accountId === balance.accountId && promoterId === balance.promoterId;
  const [known, carriedOver]: [Commission[], Commission[]] = [[], []];
  for (const [unit, { earnings, paid }] of Object.entries(balance.units)) {
    const approved = all.commissions.filter((each) => each.unit === unit && each.status === "approved");
    const earned = approved.filter(isOwn);
    const unexplained = earnings - sumOf(earned);
    const missing =
      unexplained === 0
        ? []
        : [carryOver(balance, all, { id: nextId(), unit: unit as Unit, amount: unexplained })];
    const completed = all.payouts.filter((each) => each.unit === unit && each.status === "completed");
    const paidElsewhere = subsetOf([...earned, ...missing], paid - sumOf(completed.filter(isOwn)));
    const marked = (each: Commission) => ({ ...each, isPaidElsewhere: paidElsewhere.has(each) });
    known.push(...earned.map(marked));
    carriedOver.push(...missing.map(marked));
  }
  return { known, carriedOver };
}

function carryOver(
  { accountId, promoterId }: FormerBalance,
  all: Money,
  given: Pick<Commission, "id" | "unit" | "amount">,
): Commission {
  const isPlace = (id: number) => (each: { accountId: number; id: number }) =>
    each.accountId === accountId && each.id === id;
  const promoter = all.promoters.find(isPlace(promoterId))!;
  const { defaultPromoterCampaignId: promoterCampaignId, createdAt } = promoter;
  const campaignId = all.promoterCampaigns.find(isPlace(promoterCampaignId))?.campaignId ?? 0;
  return newCommission({ ...given, accountId, promoterCampaignId, promoterId, campaignId, createdAt });
}

/** Commissions that add up to a sum, or come closest to it, oldest first. */
function subsetOf(earned: Commission[], sum: number): Set<Commission> {
  const made = new Map<number, Commission[]>([[0, []]]);
  for (const commission of earned) {
    // A copy, so that a commission is not added to sums that already include it.
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
