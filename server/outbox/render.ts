import { accounts, SYSTEM } from "../domain/account/account.ts";
import { loadCampaign } from "../domain/campaign/campaign.ts";
import type { RecordChange } from "../domain/event/event-type.ts";
import {
  findSelectedPayoutMethod,
  payoutMethods,
  type PayoutMethod,
} from "../domain/payout-method/payout-method.ts";
import { promoterCampaigns, type PromoterCampaign } from "../domain/promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../domain/promoter/promoter.ts";
import type { Balance } from "../domain/commission/balance.ts";
import type { Commission } from "../domain/commission/commission.ts";
import type { Lead } from "../domain/lead/lead.ts";
import type { Payout } from "../domain/payout/payout.ts";
import type { PromoCode } from "../domain/promo-code/promo-code.ts";
import type { Store } from "../storage/store.ts";
import { showCommission } from "../v2/commission/commission-json.ts";
import { embeddedPromoterJson } from "../v2/embedded-json.ts";
import { showPaymentsBatch } from "../v2/payments-batch/payments-batch-json.ts";
import { payoutJson } from "../v2/payout/payout-json.ts";
import { payoutMethodJson } from "../v2/payout/payout-method-json.ts";
import { showPromoCode } from "../v2/promo-code/promo-codes.ts";
import {
  promoterCampaignJson,
  readPromoterCampaignParts,
} from "../v2/promoter-campaign/promoter-campaign-json.ts";
import { promoterJson } from "../v2/promoter/promoter-json.ts";
import { readPromoterParts } from "../v2/promoter/promoter-parts.ts";
import { showReferral } from "../v2/referral/referral-json.ts";

type Json = Record<string, unknown>;

/** A change as receivers see it: the record in V2's shape, and its fields that differ from before. */
export interface Rendering {
  data: Json;
  changes: Record<string, [old: unknown, now: unknown]>;
}

/** Renders a change. The records that it refers to are shown as they are now. @throws Failure `not_found` if one was deleted */
export async function render(store: Store, change: RecordChange): Promise<Rendering> {
  const { before, after } = change;
  const data = await dataOf(store, change, "after");
  if (before === null || after === null) return { data, changes: {} };
  const former = await dataOf(store, change, "before");
  const changes: Rendering["changes"] = {};
  for (const [name, now] of Object.entries(data)) {
    if (JSON.stringify(former[name]) !== JSON.stringify(now)) changes[name] = [former[name], now];
  }
  return { data, changes };
}

/** The record before or after the change. A deleted record is shown as it was last. */
async function dataOf(store: Store, change: RecordChange, time: "before" | "after"): Promise<Json> {
  switch (change.entity) {
    case "commission":
      return commissionData(store, recordAt(change, time));
    case "promoter":
      return promoterData(store, recordAt(change, time), change.balance?.[time]);
    case "promoter_campaign":
      return promoterCampaignData(store, recordAt(change, time));
    case "referral":
      return referralData(store, recordAt(change, time));
    case "promo_code":
      return promoCodeData(store, recordAt(change, time));
    case "payments_batch":
      return showPaymentsBatch(store, recordAt(change, time));
    case "payout":
      return payoutData(store, recordAt(change, time));
    case "payout_method":
      return payoutMethodData(store, recordAt(change, time));
  }
}

function recordAt<R>(change: { before: R | null; after: R | null }, time: "before" | "after"): R {
  const record = change[time] ?? change.before;
  if (record === null) throw new Error("A change has no record");
  return record;
}

async function commissionData(store: Store, commission: Commission): Promise<Json> {
  const shown = await showCommission(store, commission);
  const promoter = await store.get(promoters, commission.accountId, commission.promoterId);
  return { ...shown, promoter_campaign: { ...shown.promoter_campaign, promoter: ownerJson(promoter) } };
}

/**
 * The balance is shown as it is now, unless it is what changed. The parent is left out: an erasure of the parent must
 * not have to look for them in the events of others.
 */
async function promoterData(store: Store, promoter: Promoter, balance?: Balance): Promise<Json> {
  const account = await store.get(accounts, SYSTEM, promoter.accountId);
  if (account === null) throw new Error(`Account ${promoter.accountId} is gone`);
  const extras = { withPayoutMethod: true, withParent: false };
  const parts = await readPromoterParts(store, account, { promoter, ...extras });
  return promoterJson({ ...parts, balance: balance ?? parts.balance, setupUrl: null });
}

async function promoterCampaignData(store: Store, promoterCampaign: PromoterCampaign): Promise<Json> {
  const { accountId, promoterId } = promoterCampaign;
  const promoter = await store.get(promoters, accountId, promoterId);
  const parts = await readPromoterCampaignParts(store, promoterCampaign, promoter ?? NOBODY);
  return { ...promoterCampaignJson(parts), promoter: ownerJson(promoter) };
}

async function referralData(store: Store, lead: Lead): Promise<Json> {
  const shown = await showReferral(store, lead);
  const promoter = await store.get(promoters, lead.accountId, lead.promoterId);
  return { ...shown, promoter_campaign: { ...shown.promoter_campaign, promoter: ownerJson(promoter) } };
}

/** V2's promo code does not name its promoter. Receivers need the promoter's `cust_id`, so it is added. */
async function promoCodeData(store: Store, promoCode: PromoCode): Promise<Json> {
  const { accountId, promoterCampaignId } = promoCode;
  const owner = await store.get(promoterCampaigns, accountId, promoterCampaignId);
  const promoter = owner && (await store.get(promoters, accountId, owner.promoterId));
  return { ...(await showPromoCode(store, promoCode)), promoter: ownerJson(promoter) };
}

async function payoutData(store: Store, payout: Payout): Promise<Json> {
  const { accountId, promoterId, payoutMethodId } = payout;
  const promoter = await store.get(promoters, accountId, promoterId);
  const campaign = await loadCampaign(store, accountId, payout.campaignId);
  const method =
    payoutMethodId === null
      ? await findSelectedPayoutMethod(store, accountId, promoterId)
      : await store.get(payoutMethods, accountId, payoutMethodId);
  const shown = payoutJson({ payout, promoter: promoter ?? NOBODY, campaign, method });
  return { ...shown, promoter: ownerJson(promoter) };
}

async function payoutMethodData(store: Store, method: PayoutMethod): Promise<Json> {
  const promoter = await store.get(promoters, method.accountId, method.promoterId);
  return { ...payoutMethodJson(method), promoter: ownerJson(promoter) };
}

/** The promoter that a record belongs to, with `cust_id`, the client's own id. */
function ownerJson(promoter: Promoter | null): Json | null {
  return promoter && { ...embeddedPromoterJson(promoter), cust_id: promoter.custId };
}

/** Replaces a deleted promoter, because the serialisers need one. In the result, null takes its place. */
const NOBODY = { profile: { firstName: null, lastName: null } } as Promoter;
