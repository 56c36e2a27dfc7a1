import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import { withoutLog } from "../audit/audited-store.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { leads, type Lead } from "../lead/lead.ts";
import { archivePromoter } from "../promoter/changes.ts";
import { promoters } from "../promoter/promoter.ts";
import { createPromoCode } from "../promo-code/changes.ts";
import { findRewards } from "../reward/reward.ts";
import { asItIs } from "../show.ts";
import type { Store } from "../../storage/store.ts";
import { seedArrivals } from "./arrivals.ts";
import { seedDeliveries } from "./deliveries.ts";
import { newDice } from "./dice.ts";
import { seedLeads } from "./leads.ts";
import { seedMembers, type Member } from "./members.ts";
import { seedPayouts } from "./payouts.ts";
import type { SeedPlan } from "./plan.ts";
import { seedProgram } from "./program.ts";
import { customerChance, customerOf, seedDecisions, seedSales, type SeedCustomer } from "./sales.ts";

/** So many promoters have a code each. */
const PROMO_CODES = 12;
/** One in so many promoters was archived. */
const PER_ARCHIVED = 25;
/** The part of the whole work that comes before the sales. */
const EARLY_SHARE = 0.2;
const SALES_SHARE = 0.6;

/** How many records of each kind to make. */
export interface SeedSize {
  promoters: number;
  leads: number;
  /** About as many; none if there are no leads to pay. */
  sales: number;
  /** How many payments are recorded at once. With one, every store gives the same ids. Absent: enough to be quick. */
  paymentsAtOnce?: number;
}

/** The records that a seed makes, and a listener that hears how far it is: a number from 0 to 1. */
export type SeedOptions = SeedSize & { onProgress?: (share: number) => void };

/** Refuses to mix made-up people with real ones, because they can't be told apart later. @throws Failure `refused` */
export async function requireNobody(store: Store, account: Account): Promise<void> {
  if (!(await hasPeople(store, account))) return;
  const fault = `Account ${account.publicId} already has people: seed another one, or pass --force`;
  throw new Failure("refused", fault);
}

/** Whether the account has promoters or leads. */
export async function hasPeople(store: Store, { id }: Account): Promise<boolean> {
  const somePromoters = await store.page(promoters, "id", id, [], { limit: 1 });
  const someLeads = await store.page(leads, "id", id, [], { limit: 1 });
  return somePromoters.length + someLeads.length > 0;
}

/**
 * Fills an account with a believable program: campaigns, promoters, some of them parents of others, their leads, and
 * what these paid in the year that ends now, by the rules of real sales, up to the payouts. The same moment, store and size
 * give the same people and amounts. Without promoters nothing is made.
 *
 * Choice: nobody is notified, because this is history.
 */
export async function seed(
  given: Context,
  account: Account,
  { onProgress = () => {}, ...size }: SeedOptions,
): Promise<void> {
  if (size.promoters === 0) return;
  const context = { ...withoutLog(given), isHistory: true };
  const campaigns = await seedProgram(context, account);
  const plan: SeedPlan = { context, account, campaigns, dice: newDice(size.promoters) };
  const members = await seedMembers(plan, size.promoters);
  await seedPromoCodes(plan, members);
  const arrivals = await seedArrivals(
    context,
    await loadCampaign(context.store, account.id, account.defaultCampaignId),
  );
  const chance = customerChance(size);
  const customers: SeedCustomer[] = [];
  let latest: Lead[] = [];
  for await (const made of seedLeads(plan, size.leads, { members, arrivals })) {
    latest = made;
    for (const lead of made) {
      const customer = plan.dice.percent(chance) ? customerOf(plan.dice, lead, context.now) : null;
      if (customer !== null) customers.push(customer);
    }
  }
  onProgress(EARLY_SHARE);
  for await (const share of seedSales(plan, customers, size.paymentsAtOnce)) {
    onProgress(EARLY_SHARE + SALES_SHARE * share);
  }
  await seedDecisions(plan);
  await seedPayouts(plan);
  await seedDeliveries(plan, { members, leads: latest });
  await archiveSome(plan, members);
  onProgress(1);
}

/** Gives the first promoters codes. */
async function seedPromoCodes({ context, account }: SeedPlan, members: Member[]): Promise<void> {
  const window = { limit: 1, offset: 0 };
  const { records } = await findRewards(context.store, account.id, { scope: "referrals", ...window });
  const [reward] = records;
  if (reward === undefined) return;
  for (const { promoterCampaign } of members.slice(0, PROMO_CODES)) {
    const { id: promoterCampaignId, refToken } = promoterCampaign;
    await createPromoCode(context, account.id, {
      code: `${refToken.toUpperCase()}-10`,
      rewardId: reward.id,
      promoterCampaignId,
      description: null,
      metadata: null,
      details: null,
      show: asItIs,
    });
  }
}

/** Archives a few promoters. */
async function archiveSome({ context, account }: SeedPlan, members: Member[]): Promise<void> {
  for (let at = PER_ARCHIVED - 1; at < members.length; at += PER_ARCHIVED) {
    await archivePromoter(context, account.id, members[at]!.promoter.id);
  }
}
