import type { Promoter } from "../promoter/record.ts";
import type { PromoterCampaign, PromoterCampaignState } from "./record.ts";
import type { Key } from "../../storage/keys.ts";
import type { Store } from "../../storage/store.ts";
import { findPage, type Found, type Window } from "../../storage/listing/page-search.ts";
import { promoters } from "../promoter/promoter.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";

/** The conditions for listed promoter campaigns. All that are not null must hold. */
export interface PromoterCampaignFilter {
  /** Part of the promoter's name or e-mail address, of the ref token or of a coupon, ignoring case. */
  text: string | null;
  ids: number[] | null;
  campaignIds: number[] | null;
  promoterId: number | null;
  state: PromoterCampaignState | null;
}

type Field = Exclude<keyof PromoterCampaignFilter, "text">;
type Keeps = (promoterCampaign: PromoterCampaign) => boolean;

/** The test for each field of the filter. */
const TESTS: { [F in Field]: (wanted: NonNullable<PromoterCampaignFilter[F]>) => Keeps } = {
  ids:
    (wanted) =>
    ({ id }) =>
      wanted.includes(id),
  campaignIds:
    (wanted) =>
    ({ campaignId }) =>
      wanted.includes(campaignId),
  promoterId:
    (wanted) =>
    ({ promoterId }) =>
      promoterId === wanted,
  state:
    (wanted) =>
    ({ state }) =>
      state === wanted,
};

/** The indexes that answer fields of the filter directly, the narrowest first. */
const NARROWINGS: {
  index: "promoter" | "campaignState" | "campaign" | "state";
  answers: Field[];
  start: (filter: PromoterCampaignFilter) => Key | null;
}[] = [
  {
    index: "promoter",
    answers: ["promoterId"],
    start: ({ promoterId }) => (promoterId === null ? null : [promoterId]),
  },
  {
    index: "campaignState",
    answers: ["campaignIds", "state"],
    start: ({ campaignIds, state }) => {
      const campaign = sole(campaignIds);
      return campaign === null || state === null ? null : [...campaign, state];
    },
  },
  { index: "campaign", answers: ["campaignIds"], start: ({ campaignIds }) => sole(campaignIds) },
  { index: "state", answers: ["state"], start: ({ state }) => (state === null ? null : [state]) },
];

/** The promoter campaigns that pass a filter, oldest first. */
export async function findPromoterCampaigns(
  store: Store,
  accountId: number,
  query: PromoterCampaignFilter & Window,
): Promise<Found<PromoterCampaign>> {
  const { limit, offset } = query;
  if (query.ids !== null) return findByIds(store, accountId, { ...query, ids: query.ids });
  for (const { index, answers, start } of NARROWINGS) {
    const key = start(query);
    if (key === null) continue;
    const keeps = keeper(store, { ...query, ...Object.fromEntries(answers.map((field) => [field, null])) });
    return findPage(store, promoterCampaigns, { accountId, index, start: key, keeps, limit, offset });
  }
  const keeps = keeper(store, query);
  return findPage(store, promoterCampaigns, { accountId, index: "id", start: [], keeps, limit, offset });
}

/** The first promoter campaigns that contain a text. The search stops as soon as enough are found. */
export async function searchPromoterCampaigns(
  store: Store,
  accountId: number,
  { text, limit }: { text: string; limit: number },
): Promise<PromoterCampaign[]> {
  const found: PromoterCampaign[] = [];
  for await (const chunk of store.scan(promoterCampaigns, "id", accountId, [])) {
    for (const promoterCampaign of chunk) {
      if (await mentions(store, promoterCampaign, text)) found.push(promoterCampaign);
      if (found.length === limit) return found;
    }
  }
  return found;
}

async function findByIds(
  store: Store,
  accountId: number,
  query: PromoterCampaignFilter & Window & { ids: number[] },
): Promise<Found<PromoterCampaign>> {
  const keeps = keeper(store, query);
  const records: PromoterCampaign[] = [];
  for (const id of new Set(query.ids.toSorted((a, b) => a - b))) {
    const promoterCampaign = await store.get(promoterCampaigns, accountId, id);
    if (promoterCampaign !== null && (await keeps?.(promoterCampaign))) records.push(promoterCampaign);
  }
  return { records: records.slice(query.offset, query.offset + query.limit), total: records.length };
}

/** The combined test of a filter. undefined: every record passes. */
function keeper(store: Store, filter: PromoterCampaignFilter) {
  const { text } = filter;
  const tests = (Object.keys(TESTS) as Field[]).flatMap((field) => testOf(field, filter));
  if (text === null && tests.length === 0) return undefined;
  return async (promoterCampaign: PromoterCampaign): Promise<boolean> =>
    tests.every((keeps) => keeps(promoterCampaign)) &&
    (text === null || (await mentions(store, promoterCampaign, text)));
}

function testOf<F extends Field>(field: F, filter: PromoterCampaignFilter): Keeps[] {
  const wanted = filter[field];
  return wanted === null ? [] : [TESTS[field](wanted as NonNullable<PromoterCampaignFilter[F]>)];
}

async function mentions(store: Store, promoterCampaign: PromoterCampaign, text: string): Promise<boolean> {
  const { accountId, promoterId, refToken, coupon, displayCoupon } = promoterCampaign;
  const wanted = text.trim().toLowerCase();
  const own = [refToken, coupon ?? "", displayCoupon ?? ""];
  if (own.some((word) => word.toLowerCase().includes(wanted))) return true;
  const promoter = await store.get(promoters, accountId, promoterId);
  return promoter !== null && namesOf(promoter).some((word) => word.toLowerCase().includes(wanted));
}

function namesOf({ email, profile }: Promoter): string[] {
  return [email, `${profile.firstName ?? ""} ${profile.lastName ?? ""}`];
}

/** The index value of a list with one entry. */
function sole(values: number[] | null): Key | null {
  const [value] = values ?? [];
  return values?.length === 1 && value !== undefined ? [value] : null;
}
