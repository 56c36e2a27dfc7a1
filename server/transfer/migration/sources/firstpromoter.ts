import { Failure } from "../../../failure.ts";
import type {
  ArchivedRows,
  Source,
  SourceLink,
  SourcePayoutMethod,
  SourceRecord,
  SourceReward,
} from "../model.ts";
import { newRemarks, readRows, remarkClosed, tenThousandths, type Duration } from "../shapes.ts";
import {
  askFirstPromoter,
  campaignShape,
  methodShape,
  parentShape,
  promoterCampaignShape,
  promoterShape,
  referralLinkShape,
  referralShape,
  rewardShape,
  type Campaign,
  type Promoter,
  type Referral,
  type Reward,
} from "./firstpromoter-answers.ts";
import { commissions, noteSales, payouts, sales, type Reading } from "./firstpromoter-money.ts";

const PROMOTER_LISTS = ["promoters", "promoters-archived"];
/** In the order in which FirstPromoter's script reads them, after the campaign's own. */
const LINK_PARAMS = ["fp_ref", "fpr", "via", "ref", "a", "_from", "_by", "deal", "_go", "_get"];
const MOVED = / \(moved\)$/;

/** @see https://docs.firstpromoter.com/api-reference-v2 */
export const firstpromoter: Source = {
  name: "firstpromoter",
  title: "FirstPromoter",
  baseUrl: "https://api.firstpromoter.com/api/v2/company",
  keyHint: "the API key, and the account id on a separate line",
  // 400 per minute are allowed.
  limit: { requests: 370, withinMs: 60_000 },
  headers: (key) => {
    const [apiKey, accountId, ...further] = key.split(/[\s:]+/);
    if (!apiKey || !accountId || further.length > 0)
      throw new Failure("invalid", "The key must be the API key and the account id, each on its own line");
    return { authorization: `Bearer ${apiKey}`, "account-id": accountId };
  },
  linkParams: LINK_PARAMS,
  fetch: askFirstPromoter,
  records: firstPromoterRecords,
};

async function* firstPromoterRecords(archive: ArchivedRows): AsyncGenerator<SourceRecord> {
  const reading: Reading = {
    archive,
    remarks: newRemarks(),
    customers: new Map(),
    sales: new Map(),
    payouts: new Map(),
    paid: new Map(),
  };
  yield* campaigns(reading);
  yield* promoters(reading);
  yield* places(reading);
  yield* codes(reading);
  yield* customers(reading);
  await noteSales(reading);
  yield* sales(reading);
  yield* commissions(reading);
  yield* payouts(reading);
  await remarkClosed(archive, reading.remarks);
  yield* reading.remarks.all();
}

async function* campaigns(reading: Reading): AsyncGenerator<SourceRecord> {
  const rewards = new Map<string, Reward>();
  for (const list of ["rewards-promoters", "rewards-referrals"]) {
    for await (const row of readRows(reading, { list, shape: rewardShape, noun: "Reward" }))
      rewards.set(row.id, row);
  }
  for await (const row of readRows(reading, { list: "campaigns", shape: campaignShape, noun: "Campaign" })) {
    const name = row.name ?? `Campaign ${row.id}`;
    for (const { reward_id: id } of row.rewards_for_referrals ?? []) {
      const shown = rewards.get(id ?? "")?.name ?? id ?? "?";
      reading.remarks.add(
        `campaign:${row.id}:referrals:${id}`,
        `Campaign "${name}": referred customers get the reward "${shown}". Make it by hand.`,
      );
    }
    yield {
      kind: "campaign",
      id: row.id,
      name,
      landingUrl: row.landing_url,
      isDefault: row.is_default,
      isPrivate: row.is_private,
      cookieDays: row.visitor_cookie_life,
      holdDays: null,
      minPayment: null,
      rewards: rewardsOf(reading, { ...row, name }, rewards),
    };
  }
}

function rewardsOf(
  { remarks }: Reading,
  campaign: Campaign,
  rewards: ReadonlyMap<string, Reward>,
): SourceReward[] {
  return (campaign.rewards_for_promoters ?? []).flatMap((entry) => {
    const { reward_id: id, apply_on: applyOn, product_ids: products } = entry;
    const reward = rewards.get(id ?? "");
    const isForAll = (applyOn ?? "all") === "all" && (products ?? []).length === 0;
    const said = reward && isForAll ? sayReward(reward) : null;
    if (said !== null) return said;
    remarks.add(
      `campaign:${campaign.id}:reward:${id}`,
      `Campaign "${campaign.name}": the reward "${reward?.name ?? id ?? "?"}" has conditions that can't be imported. Make it by hand.`,
    );
    return [];
  });
}

/** Null if it has a rule, a target or another condition. */
function sayReward(reward: Reward): SourceReward[] | null {
  const { promoter_reward_type: type, tier_level: tier } = reward;
  // Of the rewards for parents, only the share of the sale can be imported.
  const isTier =
    type === "tier" && tier !== null && tier > 1 && reward.tier_reward_mode === "tier_override_mode";
  const duration = durationOf(reward);
  if ((type !== "sale" && !isTier) || duration === null) return null;
  const schemas = reward.schemas ?? [];
  const said = schemas.flatMap(({ unit, amount, flat_amount: isFlat, rules }, place): SourceReward[] => {
    const amountTenThousandths = tenThousandths(amount);
    if (amountTenThousandths === null || (rules ?? []).length > 0) return [];
    const id = place === 0 ? reward.id : `${reward.id}:${place}`;
    const name = reward.name ?? `Reward ${reward.id}`;
    const tierLevel = isTier ? tier : 1;
    return [{ id, name, unit, amountTenThousandths, isFlat, currency: null, ...duration, tierLevel }];
  });
  return said.length === schemas.length && said.length > 0 ? said : null;
}

function durationOf({ duration, duration_in_months: months }: Reward): Duration | null {
  if (duration === "once") return { duration, durationMonths: null };
  if (duration === "repeating") return months === null ? null : { duration, durationMonths: months };
  return duration === null || duration === "forever" ? { duration: "forever", durationMonths: null } : null;
}

/** Archived promoters may be in both lists. */
async function* promoterRows(reading: Reading): AsyncGenerator<Promoter> {
  const seen = new Set<string>();
  for (const list of PROMOTER_LISTS) {
    for await (const row of readRows(reading, { list, shape: promoterShape, noun: "Promoter" })) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      yield row;
    }
  }
}

async function* promoters(reading: Reading): AsyncGenerator<SourceRecord> {
  const methods = await payoutMethods(reading);
  const parents = new Map<string, string>();
  for (const list of PROMOTER_LISTS) {
    const shown = { list: `${list}-parents`, shape: parentShape, noun: "Promoter" };
    for await (const { of, parent_promoter: parent } of readRows(reading, shown)) {
      if (parent !== null) parents.set(of, parent);
    }
  }
  for await (const row of promoterRows(reading)) {
    const { profile } = row;
    const createdAt = row.joined_at ?? row.created_at;
    if (createdAt === null) {
      reading.remarks.add(`promoter:${row.id}`, `Promoter ${row.email} has no date of joining.`);
      continue;
    }
    const [firstName = null, ...further] = row.name?.split(/\s+/) ?? [];
    yield {
      kind: "promoter",
      id: row.id,
      email: row.email,
      firstName: profile?.first_name ?? firstName,
      lastName: profile?.last_name ?? (further.join(" ") || null),
      companyName: profile?.company_name ?? null,
      country: profile?.country ?? null,
      custId: row.cust_id,
      note: row.note,
      customFields: row.custom_fields,
      parentId: parents.get(row.id) ?? null,
      isArchived: row.archived_at !== null,
      payoutMethod: methods.get(row.id) ?? null,
      counts: { clicks: row.stats?.clicks_count ?? null, leads: null, customers: null },
      createdAt,
    };
  }
}

async function payoutMethods(reading: Reading): Promise<Map<string, SourcePayoutMethod>> {
  const methods = new Map<string, SourcePayoutMethod>();
  for (const promoters of PROMOTER_LISTS) {
    const list = `${promoters}-payout-methods`;
    for await (const row of readRows(reading, { list, shape: methodShape, noun: "Payout method" })) {
      if (row.is_disabled || !row.is_selected) continue;
      const texts = Object.entries(row.details ?? {}).filter(([, value]) => typeof value === "string");
      const details = Object.fromEntries(texts) as Record<string, string>;
      methods.set(row.of, { method: row.method === "dots" ? "custom" : row.method, details });
    }
  }
  return methods;
}

async function* places(reading: Reading): AsyncGenerator<SourceRecord> {
  const clicks = new Map<string, number>();
  const list = { list: "promoter_campaigns", shape: promoterCampaignShape, noun: "Promoter campaign" };
  for await (const row of readRows(reading, list)) clicks.set(row.id, row.stats?.clicks_count ?? 0);
  const further = await furtherLinks(reading);
  for await (const row of promoterRows(reading)) {
    const createdAt = row.joined_at ?? row.created_at;
    if (createdAt === null) continue;
    for (const each of row.promoter_campaigns ?? []) {
      const token = each.ref_token;
      const usual = { id: each.id, url: each.ref_link, clicks: clicks.get(each.id) ?? 0 };
      const others = (further.get(each.id) ?? []).filter((link) => link.token !== token);
      yield {
        kind: "promoter_campaign",
        id: each.id,
        promoterId: row.id,
        campaignId: each.campaign_id,
        state: each.state,
        links: token === null ? others : [{ ...usual, token }, ...others],
        createdAt,
      };
    }
  }
}

/** The links beside the usual one, by promoter campaign. Their clicks are part of the promoter's total. */
async function furtherLinks(reading: Reading): Promise<Map<string, SourceLink[]>> {
  const params = new Set<string>();
  const campaigns = { list: "campaigns", shape: campaignShape, noun: "Campaign" };
  for await (const { ref_token_param: own } of readRows(reading, campaigns)) if (own) params.add(own);
  for (const usual of LINK_PARAMS) params.add(usual);
  const links = new Map<string, SourceLink[]>();
  const list = { list: "referral-links", shape: referralLinkShape, noun: "Referral link" };
  for await (const { of, id, url } of readRows(reading, list)) {
    const { searchParams } = new URL(url);
    const param = [...params].find((name) => searchParams.get(name));
    if (param === undefined) {
      reading.remarks.add(`link:${id}`, `The link ${url} names no promoter, so it does not come over.`);
      continue;
    }
    const token = searchParams.get(param)!;
    const known = links.get(of) ?? [];
    // Links that differ only in their page or sub id have one token.
    if (known.every((link) => link.token !== token))
      links.set(of, [...known, { id: `link:${id}`, token, url, clicks: 0 }]);
  }
  return links;
}

/** The codes of promoter campaigns, and the coupons that stand in promoters alone. */
async function* codes(reading: Reading): AsyncGenerator<SourceRecord> {
  const further = new Map<string, typeof promoterCampaignShape._zod.output>();
  const list = { list: "promoter_campaigns", shape: promoterCampaignShape, noun: "Promoter campaign" };
  for await (const row of readRows(reading, list)) further.set(row.id, row);
  for await (const row of promoterRows(reading)) {
    for (const { id: placeId, campaign_id: campaignId, coupon } of row.promoter_campaigns ?? []) {
      const { promo_codes: given, display_coupon: shown } = further.get(placeId) ?? {};
      const common = { kind: "code", promoterId: row.id, campaignId } as const;
      const known = new Set<string>();
      for (const { id, code, ext_id: extId, archived_at: archivedAt } of given ?? []) {
        known.add(code.toLowerCase()).add(extId ?? "");
        yield { ...common, id, code, extId, archivedAt };
      }
      const code = shown ?? coupon;
      if (code === null || known.has(code.toLowerCase()) || (coupon !== null && known.has(coupon))) continue;
      yield {
        ...common,
        id: `${placeId}:coupon`,
        code,
        extId: code === coupon ? null : coupon,
        archivedAt: null,
      };
    }
  }
}

function referralRows(reading: Reading): AsyncGenerator<Referral> {
  return readRows(reading, { list: "referrals", shape: referralShape, noun: "Referral" });
}

/** A person who was moved to another promoter is in the list twice. Both become the new record. */
async function* customers(reading: Reading): AsyncGenerator<SourceRecord> {
  const current = new Map<string, string>();
  for await (const { id, email, state } of referralRows(reading)) {
    if (email !== null && state !== "moved" && !MOVED.test(email)) current.set(email.toLowerCase(), id);
  }
  let others = 0;
  for await (const row of referralRows(reading)) {
    const email = row.email?.replace(MOVED, "") ?? null;
    const { promoterId, campaignId } = row.promoter_campaign;
    const isMoved = row.state === "moved" || email !== row.email;
    const successor = isMoved && email !== null ? current.get(email.toLowerCase()) : undefined;
    reading.customers.set(row.id, promoterId === null ? null : (successor ?? row.id));
    if (promoterId === null) others += 1;
    if (promoterId === null || successor !== undefined) continue;
    const isCustomer = row.customer_since !== null;
    yield {
      kind: "customer",
      id: row.id,
      email,
      uid: row.uid,
      billingId: null,
      subscriptionId: null,
      name: row.username,
      promoterId,
      campaignId,
      state: stateOf(row.state, isCustomer),
      entrySource: row.entry_source,
      planId: null,
      customFields: row.metadata,
      createdAt: row.created_at,
      customerSince: row.customer_since,
      cancelledAt: row.cancelled_at,
    };
  }
  if (others > 0)
    reading.remarks.add(
      "referrals:others",
      `Referrals that are left out, because they belong to no promoter: ${others}.`,
    );
}

function stateOf(state: Referral["state"], isCustomer: boolean) {
  if (state === "subscribed") return "signup";
  return state === "moved" ? (isCustomer ? "active" : "signup") : state;
}
