import { Failure } from "../../../failure.ts";
import type {
  ArchivedRows,
  Source,
  SourceCustomer,
  SourceLink,
  SourcePayoutMethod,
  SourceRecord,
  SourceReward,
} from "../model.ts";
import { newRemarks, readRows, remarkClosed } from "../shapes.ts";
import {
  askFirstPromoter,
  campaignShape,
  codeShape,
  listedCodeShape,
  methodShape,
  parentShape,
  placeIn,
  promoterIn,
  promoterCampaignShape,
  promoterShape,
  referralLinkShape,
  referralShape,
  splitShape,
  type Promoter,
  type Referral,
} from "./firstpromoter-answers.ts";
import { campaigns, rewardsIn, sayEntry, type Entry } from "./firstpromoter-campaigns.ts";
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

/** The rewards of promoters who don't have their campaign's, by promoter campaign. */
async function ownRewards(reading: Reading): Promise<Map<string, SourceReward[]>> {
  const rewards = await rewardsIn(reading);
  const usual = new Map<string, string>();
  const keyOf = (entries: Entry[]) => JSON.stringify(entries.map(({ reward_id: id }) => id).toSorted());
  const campaignList = { list: "campaigns", shape: campaignShape, noun: "Campaign" };
  for await (const row of readRows(reading, campaignList))
    usual.set(row.id, keyOf(row.rewards_for_promoters ?? []));
  const homes = new Map<string, string>();
  for await (const { promoter_campaigns: joined } of promoterRows(reading))
    for (const { id, campaign_id } of joined ?? []) homes.set(id, campaign_id);
  const own = new Map<string, SourceReward[]>();
  let others = 0;
  const list = { list: "promoter_campaigns", shape: promoterCampaignShape, noun: "Promoter campaign" };
  for await (const { id, rewards_for_promoters: entries } of readRows(reading, list)) {
    if (!entries?.length || usual.get(homes.get(id) ?? "") === keyOf(entries)) continue;
    const said = entries.map((entry) => sayEntry(entry, rewards));
    if (said.includes(null)) others += 1;
    else
      own.set(
        id,
        said.flatMap((each) => each ?? []),
      );
  }
  if (others > 0)
    reading.remarks.add(
      "rewards:own",
      `Promoters whose own rewards have conditions that can't be imported: ${others}. Make them by hand.`,
    );
  return own;
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
    const asked = { named: (row: Record<string, unknown>) => [row["id"]] };
    const shown = { list: `${list}-parents`, shape: parentShape, noun: "Promoter", asked };
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
      first_name: profile?.first_name ?? firstName,
      last_name: profile?.last_name ?? (further.join(" ") || null),
      company_name: profile?.company_name ?? null,
      country: profile?.country ?? null,
      contact: {
        website: profile?.website ?? null,
        phone_number: profile?.phone_number ?? null,
        address: profile?.address ?? null,
        company_number: profile?.company_number ?? null,
        vat_id: profile?.vat_id ?? null,
      },
      cust_id: row.cust_id,
      note: row.note,
      custom_fields: row.custom_fields,
      parentId: parents.get(row.id) ?? null,
      isArchived: row.archived_at !== null,
      payoutMethod: methods.get(row.id) ?? null,
      counts: { clicks: row.stats?.clicks_count ?? null, leads: null, customers: null },
      created_at: createdAt,
    };
  }
}

async function payoutMethods(reading: Reading): Promise<Map<string, SourcePayoutMethod>> {
  const methods = new Map<string, SourcePayoutMethod>();
  for (const promoters of PROMOTER_LISTS) {
    const [list, ...others] = [promoters, ...PROMOTER_LISTS.filter((each) => each !== promoters)].map(
      (each) => `${each}-payout-methods`,
    );
    const asked = { named: promoterIn, others: others.map((other) => ({ list: other })) };
    const shown = { list: list!, shape: methodShape, noun: "Payout method", asked };
    for await (const row of readRows(reading, shown)) {
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
  const rewards = await ownRewards(reading);
  for await (const row of promoterRows(reading)) {
    const createdAt = row.joined_at ?? row.created_at;
    if (createdAt === null) continue;
    for (const each of row.promoter_campaigns ?? []) {
      const token = each.ref_token;
      const usual = { id: each.id, url: each.ref_link, clicks: clicks.get(each.id) ?? 0 };
      const own = rewards.get(each.id);
      const others = (further.get(each.id) ?? []).filter((link) => link.token !== token);
      yield {
        kind: "promoter_campaign",
        id: each.id,
        promoter_id: row.id,
        campaign_id: each.campaign_id,
        state: each.state,
        links: token === null ? others : [{ ...usual, token }, ...others],
        ...(own && { ownRewards: own }),
        created_at: createdAt,
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
  const asked = { named: placeIn };
  const list = { list: "referral-links", shape: referralLinkShape, noun: "Referral link", asked };
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
  const listed = await listedCodes(reading);
  let unread = 0;
  for await (const row of promoterRows(reading)) {
    for (const { id: placeId, campaign_id, coupon } of row.promoter_campaigns ?? []) {
      const { promo_codes: given, display_coupon: shown } = further.get(placeId) ?? {};
      const common = { kind: "code", promoter_id: row.id, campaign_id } as const;
      const known = new Set<string>();
      const ids = new Set<string | null>();
      // The list has their ids, so it comes before bare texts.
      for (const each of [...(listed.get(placeId) ?? []), ...(given ?? [])]) {
        const read = codeShape.safeParse(each);
        if (!read.success) {
          unread += 1;
          continue;
        }
        const { id, code, ext_id, archived_at } = read.data;
        // An archived code and its successor may have one text.
        if (id === null ? known.has(code.toLowerCase()) : ids.has(id)) continue;
        known.add(code.toLowerCase()).add(ext_id ?? "");
        ids.add(id);
        yield { ...common, id: id ?? `${placeId}:${code}`, code, ext_id, archived_at };
      }
      const code = shown ?? coupon;
      if (code === null || known.has(code.toLowerCase()) || (coupon !== null && known.has(coupon))) continue;
      yield {
        ...common,
        id: `${placeId}:coupon`,
        code,
        ext_id: code === coupon ? null : coupon,
        archived_at: null,
      };
    }
  }
  if (unread > 0)
    reading.remarks.add("codes:unread", `Promo codes of an unknown form, which are left out: ${unread}.`);
}

/** The list of codes, by promoter campaign. */
async function listedCodes(reading: Reading): Promise<Map<string, object[]>> {
  const codes = new Map<string, object[]>();
  const asked = { named: placeIn };
  const list = { list: "promo_codes", shape: listedCodeShape, noun: "Promo code", asked };
  for await (const row of readRows(reading, list)) codes.set(row.of, [...(codes.get(row.of) ?? []), row]);
  return codes;
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
  let [others, unsplit] = [0, 0];
  for await (const row of referralRows(reading)) {
    const email = row.email?.replace(MOVED, "") ?? null;
    const { promoter_id, campaign_id } = row.promoter_campaign;
    const isMoved = row.state === "moved" || email !== row.email;
    const successor = isMoved && email !== null ? current.get(email.toLowerCase()) : undefined;
    reading.customers.set(row.id, promoter_id === null ? null : (successor ?? row.id));
    if (promoter_id === null) others += 1;
    if (promoter_id === null || successor !== undefined) continue;
    const isCustomer = row.customer_since !== null;
    const splits = splitsIn(row);
    if (splits === null) unsplit += 1;
    yield {
      kind: "customer",
      id: row.id,
      email,
      uid: row.uid,
      billingId: null,
      subscription_id: null,
      name: row.first_name ?? (row.last_name === null ? row.username : null),
      last_name: row.last_name,
      ...(splits !== null && splits.length > 0 && { splits }),
      promoter_id,
      campaign_id,
      state: stateOf(row.state, isCustomer),
      entry_source: row.entry_source,
      plan_id: null,
      custom_fields: row.metadata,
      created_at: row.created_at,
      customer_since: row.customer_since,
      cancelled_at: row.cancelled_at,
    };
  }
  if (unsplit > 0)
    reading.remarks.add(
      "referrals:splits",
      `Referrals whose commissions are shared in a way that can't be read: ${unsplit}. Enter the parts by hand.`,
    );
  if (others > 0)
    reading.remarks.add(
      "referrals:others",
      `Referrals that are left out, because they belong to no promoter: ${others}.`,
    );
}

/** Null if a part can't be read. */
function splitsIn({ split_details: parts }: Referral): NonNullable<SourceCustomer["splits"]> | null {
  const splits: NonNullable<SourceCustomer["splits"]> = [];
  for (const part of parts ?? []) {
    const read = splitShape.safeParse(part);
    if (!read.success) return null;
    const { promoter_campaign_id, percentage: percentTenThousandths } = read.data;
    splits.push({ promoter_campaign_id, percent_ten_thousandths: percentTenThousandths });
  }
  return splits;
}

function stateOf(state: Referral["state"], isCustomer: boolean) {
  if (state === "subscribed") return "signup";
  return state === "moved" ? (isCustomer ? "active" : "signup") : state;
}
