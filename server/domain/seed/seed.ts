import type { Account } from "../account/record.ts";
import type { Lead } from "../lead/record.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { Failure } from "../../failure.ts";
import type { Context } from "../context.ts";
import { withoutLog } from "../audit/audited-store.ts";
import { leads } from "../lead/lead.ts";
import { addPastClicks } from "../visitor/past-clicks.ts";
import { payoutMethods } from "../payout-method/payout-method.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import { refTokens } from "../promoter-campaign/ref-token.ts";
import { leadOf, newMember, type Member, type SeedPlan } from "./records.ts";
import { customerOf, seedPayouts, seedRewards, seedSales, type SeedCustomer } from "./sales.ts";
import { newDice } from "./values.ts";

/** Records in one commit: enough to share its cost, few enough to let other requests in. */
const CHUNK = 250;

/** How many records of each kind to make. */
export interface SeedSize {
  promoters: number;
  leads: number;
  /** About as many; none if there are no leads to pay. */
  sales: number;
}

/** Refuses to mix made-up people with real ones, because they can't be told apart later. @throws Failure `refused` */
export async function requireNobody(store: Store, { id, publicId }: Account): Promise<void> {
  const somePromoters = await store.page(promoters, "id", id, [], { limit: 1 });
  const someLeads = await store.page(leads, "id", id, [], { limit: 1 });
  if (somePromoters.length + someLeads.length === 0) return;
  throw new Failure("refused", `Account ${publicId} already has people: seed another one, or pass --force`);
}

/**
 * Fills an account with a believable program: promoters, some of them parents of others, leads, and what they paid in
 * the last year by the rules of real sales, up to the payouts. The same day, store and size give the same people and
 * amounts. Without promoters nothing is made.
 *
 * Choice: nobody is notified, because this is history.
 */
export async function seed(given: Context, account: Account, size: SeedSize): Promise<void> {
  const today = new Date(`${given.now.toISOString().slice(0, 10)}T00:00:00.000Z`);
  const context = { ...withoutLog(given), now: today, isHistory: true };
  const { store } = context;
  const { id: accountId, defaultCampaignId: campaignId } = account;
  const plan: SeedPlan = { accountId, campaignId, now: today, dice: newDice(size.promoters) };
  const members: Member[] = [];
  for (const count of chunks(size.promoters)) {
    const made = await newMembers(store, plan, count);
    await putAll(store, made, putMember);
    members.push(...made);
  }
  if (members.length === 0) return;
  const customers: SeedCustomer[] = [];
  let salesCount = 0;
  for (const count of chunks(size.leads)) {
    const ids = await nextIds(store, "lead", count);
    const eventIds = await nextIds(store, "event", count);
    const made = ids.map((id, at) => leadOf(plan, members, { id, eventId: eventIds[at] ?? 0 }));
    await putAll(store, made, putLead);
    for (const lead of made) {
      const customer = salesCount < size.sales ? customerOf(plan.dice, lead, today) : null;
      if (customer !== null) customers.push(customer);
      salesCount += customer?.paidAt.length ?? 0;
    }
  }
  if (customers.length === 0) return;
  await seedRewards(context, account);
  await seedSales(context, account, customers);
  await seedPayouts(context, account);
}

function* chunks(count: number): Generator<number> {
  for (let done = 0; done < count; done += CHUNK) yield Math.min(CHUNK, count - done);
}

async function nextIds(store: Store, kind: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) ids.push(await store.nextId(kind));
  return ids;
}

async function newMembers(store: Store, plan: SeedPlan, count: number): Promise<Member[]> {
  const ids = await nextIds(store, "promoter", count);
  const promoterCampaignIds = await nextIds(store, "promoter-campaign", count);
  const payoutMethodIds = await nextIds(store, "payout-method", count);
  return ids.map((id, at) =>
    newMember(plan, {
      id,
      promoterCampaignId: promoterCampaignIds[at] ?? 0,
      payoutMethodId: payoutMethodIds[at] ?? 0,
      // Every fifth promoter was brought in by the one before.
      parentPromoterId: at % 5 === 4 ? (ids[at - 1] ?? null) : null,
    }),
  );
}

function putAll<R>(
  store: Store,
  records: R[],
  put: (tx: Transaction, record: R) => Promise<void>,
): Promise<void> {
  return store.transact(async (tx) => {
    for (const record of records) await put(tx, record);
  });
}

async function putMember(
  tx: Transaction,
  { promoter, promoterCampaign, payoutMethod }: Member,
): Promise<void> {
  const { accountId, id: promoterCampaignId, refToken: token } = promoterCampaign;
  await tx.put(promoters, promoter);
  await tx.put(promoterCampaigns, promoterCampaign);
  await tx.put(refTokens, { accountId, token, promoterCampaignId });
  if (payoutMethod !== null) await tx.put(payoutMethods, payoutMethod);
}

/** Each lead came by a click, whose visitor has long expired. */
async function putLead(tx: Transaction, lead: Lead): Promise<void> {
  const { accountId, promoterCampaignId, promoterId, campaignId, origin, createdAt } = lead;
  await tx.put(leads, lead);
  const day = createdAt.slice(0, 10);
  await addPastClicks(tx, { accountId, promoterCampaignId, promoterId, campaignId, day, origin, count: 1 });
}
