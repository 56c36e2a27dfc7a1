import type { Account } from "../account/record.ts";
import type { Lead } from "../lead/record.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { Failure } from "../../failure.ts";
import { commissions } from "../commission/commission.ts";
import type { Context } from "../context.ts";
import { leads } from "../lead/lead.ts";
import { addPastClicks } from "../visitor/past-clicks.ts";
import { payoutMethods } from "../payout-method/payout-method.ts";
import { payouts } from "../payout/payout.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import { refTokens } from "../promoter-campaign/ref-token.ts";
import { commissionOf, leadOf, newMember, newPayout, type Member, type SeedPlan } from "./records.ts";
import { newDice } from "./values.ts";

/** Records in one commit: enough to share its cost, few enough to let other requests in. */
const CHUNK = 250;

/** How many records of each kind to make. */
export interface SeedSize {
  promoters: number;
  leads: number;
  payouts: number;
}

/** Refuses to mix made-up people with real ones, because they can't be told apart later. @throws Failure `refused` */
export async function requireNobody(store: Store, { id, publicId }: Account): Promise<void> {
  const somePromoters = await store.page(promoters, "id", id, [], { limit: 1 });
  const someLeads = await store.page(leads, "id", id, [], { limit: 1 });
  if (somePromoters.length + someLeads.length === 0) return;
  throw new Failure("refused", `Account ${publicId} already has people: seed another one, or pass --force`);
}

/**
 * Fills an account with a believable program. The same day, store and size give the same result. Leads and payouts
 * need promoters, so without promoters none are made.
 *
 * Choice: nobody is notified, because this is history.
 */
export async function seed({ store, now }: Context, account: Account, size: SeedSize): Promise<void> {
  const plan: SeedPlan = {
    accountId: account.id,
    campaignId: account.defaultCampaignId,
    netPayoutDays: account.netPayoutDays,
    now: new Date(`${now.toISOString().slice(0, 10)}T00:00:00.000Z`),
    dice: newDice(size.promoters),
  };
  const members: Member[] = [];
  for (const count of chunks(size.promoters)) {
    const made = await newMembers(store, plan, count);
    await putAll(store, made, putMember);
    members.push(...made);
  }
  if (members.length === 0) return;
  for (const count of chunks(size.leads)) {
    const ids = await nextIds(store, "lead", count);
    const eventIds = await nextIds(store, "event", count);
    const made = ids.map((id, at) => leadOf(plan, members, { id, eventId: eventIds[at] ?? 0 }));
    await putAll(store, made, putLead);
  }
  for (const count of chunks(size.payouts)) {
    const made = (await nextIds(store, "payout", count)).map((id) => newPayout(plan, members, id));
    const ids = await nextIds(store, "commission", count);
    const earned = made.map((payout, at) => commissionOf(payout, ids[at] ?? 0));
    await putAll(store, made, (tx, payout) => tx.put(payouts, payout));
    await putAll(store, earned, (tx, commission) => tx.put(commissions, commission));
  }
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
