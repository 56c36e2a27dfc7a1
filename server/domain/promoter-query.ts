import type {
  InvoiceDetailsStatus,
  Promoter,
  PromoterCampaign,
  PromoterCampaignState,
  Suspicion,
} from "../records.ts";
import type { Store } from "../storage/store.ts";
import { listParticipations } from "./participation.ts";
import { promoterName, promoters } from "./promoter.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { findByRefToken } from "./ref-token.ts";
import { loadStats, METRICS, type Metric, type Stats } from "./stats.ts";

/** Both ends belong to the range. null: open. */
export interface Range {
  from: number | null;
  to: number | null;
}

/** Which promoters are asked for, and in which order. null: does not matter. */
export interface PromoterQuery {
  /** Part of the e-mail address or name, or a whole ref token. */
  text: string | null;
  ids: number[] | null;
  campaignIds: number[] | null;
  /** `not_set`: in no campaign. */
  state: PromoterCampaignState | "not_set" | null;
  parentPromoterId: number | null;
  isArchived: boolean | null;
  /** Having any of these; `no_suspicion`: having none at all. */
  suspicions: Suspicion[] | null;
  /** `not_submitted`: nothing was given that an invoice could show. */
  invoiceDetails: InvoiceDetailsStatus | "not_submitted" | null;
  /** In milliseconds. */
  joinedAt: Range | null;
  lastLoginAt: Range | null;
  customFields: { key: string; values: string[]; isPartial: boolean }[];
  /** Over all participations. */
  stats: Partial<Record<Metric, Range>>;
  sort: { by: Metric | "joinedAt"; isDescending: boolean } | null;
}

/** A query that all promoters of an account answer. */
export const ALL_PROMOTERS: PromoterQuery = {
  text: null,
  ids: null,
  campaignIds: null,
  state: null,
  parentPromoterId: null,
  isArchived: null,
  suspicions: null,
  invoiceDetails: null,
  joinedAt: null,
  lastLoginAt: null,
  customFields: [],
  stats: {},
  sort: null,
};

/** A promoter with what decides whether and where they are listed. */
interface Candidate {
  promoter: Promoter;
  participations: PromoterCampaign[];
  stats: Stats | null;
}

type Condition = (query: PromoterQuery, promoter: Promoter) => boolean;

/** What a promoter's own record decides. */
const CONDITIONS: Condition[] = [
  ({ ids }, { id }) => ids === null || ids.includes(id),
  ({ parentPromoterId: parent }, promoter) => parent === null || promoter.parentPromoterId === parent,
  ({ isArchived }, { archivedAt }) => isArchived === null || isArchived === (archivedAt !== null),
  ({ suspicions }, { fraudSuspicions }) => suspicions === null || isSuspect(suspicions, fraudSuspicions),
  ({ invoiceDetails }, promoter) => invoiceDetails === null || hasInvoiceDetails(invoiceDetails, promoter),
  ({ joinedAt }, { createdAt }) => joinedAt === null || isWithin(joinedAt, Date.parse(createdAt)),
  ({ lastLoginAt: range }, { lastLoginAt }) =>
    range === null || (lastLoginAt !== null && isWithin(range, Date.parse(lastLoginAt))),
  ({ customFields }, promoter) => customFields.every((wanted) => hasCustomField(wanted, promoter)),
];

/** All promoters that answer a query which no index does, in its order. */
export async function searchPromoters(
  store: Store,
  accountId: number,
  query: PromoterQuery,
): Promise<Promoter[]> {
  const named = query.text === null ? null : await findByRefToken(store, accountId, query.text);
  const found: Candidate[] = [];
  for await (const chunk of candidates(store, accountId, query)) {
    for (const promoter of chunk) {
      if (!CONDITIONS.every((condition) => condition(query, promoter))) continue;
      if (!isNamed(query.text, promoter) && promoter.id !== named?.promoterId) continue;
      const candidate = await withFacts(store, promoter, query);
      if (isMember(query, candidate) && isCounted(query, candidate)) found.push(candidate);
    }
  }
  return inOrder(found, query).map(({ promoter }) => promoter);
}

/** The narrowest listing that holds all that may be found. */
async function* candidates(
  store: Store,
  accountId: number,
  query: PromoterQuery,
): AsyncGenerator<Promoter[]> {
  const { ids, parentPromoterId, campaignIds } = query;
  if (ids !== null) yield load(store, accountId, ids);
  else if (parentPromoterId !== null) yield* store.scan(promoters, "parent", accountId, [parentPromoterId]);
  else if (campaignIds !== null && query.state !== "not_set") {
    const members = new Set<number>();
    for (const campaignId of campaignIds) {
      for await (const chunk of store.scan(promoterCampaigns, "campaign", accountId, [campaignId]))
        for (const { promoterId } of chunk) members.add(promoterId);
    }
    yield load(store, accountId, [...members]);
  } else yield* store.scan(promoters, "id", accountId, []);
}

async function load(store: Store, accountId: number, ids: number[]): Promise<Promoter[]> {
  const found = [];
  for (const id of new Set(ids)) found.push(await store.get(promoters, accountId, id));
  return found.filter((promoter) => promoter !== null);
}

/** Reads only what the query speaks of. */
async function withFacts(store: Store, promoter: Promoter, query: PromoterQuery): Promise<Candidate> {
  const { accountId, id } = promoter;
  const isByStats =
    Object.keys(query.stats).length > 0 || (query.sort !== null && query.sort.by !== "joinedAt");
  const isByMembership = query.campaignIds !== null || query.state !== null;
  const participations = isByStats || isByMembership ? await listParticipations(store, accountId, id) : [];
  return { promoter, participations, stats: isByStats ? await totalStats(store, participations) : null };
}

/** What was counted for some participations together. */
export async function totalStats(store: Store, participations: PromoterCampaign[]): Promise<Stats> {
  const total = Object.fromEntries(METRICS.map((metric) => [metric, 0])) as Stats;
  for (const { accountId, id } of participations) {
    const stats = await loadStats(store, accountId, id);
    for (const metric of METRICS) total[metric] += stats[metric];
  }
  return total;
}

function isMember({ campaignIds, state }: PromoterQuery, { participations }: Candidate): boolean {
  if (campaignIds === null && state === null) return true;
  const within = participations.filter(({ campaignId }) => campaignIds?.includes(campaignId) ?? true);
  if (state === "not_set") return within.length === 0;
  return within.some((participation) => state === null || participation.state === state);
}

function isCounted({ stats: ranges }: PromoterQuery, { stats }: Candidate): boolean {
  return METRICS.every((metric) => {
    const range = ranges[metric];
    return range === undefined || isWithin(range, stats?.[metric] ?? 0);
  });
}

function isNamed(text: string | null, promoter: Promoter): boolean {
  if (text === null) return true;
  const wanted = text.toLowerCase();
  return [promoter.email, promoterName(promoter)].some((name) => name?.toLowerCase().includes(wanted));
}

function isSuspect(wanted: Suspicion[], suspicions: Suspicion[]): boolean {
  const held = suspicions.length === 0 ? ["no_suspicion"] : suspicions;
  return wanted.some((suspicion) => held.includes(suspicion));
}

function hasInvoiceDetails(wanted: PromoterQuery["invoiceDetails"], promoter: Promoter): boolean {
  const { companyName, companyNumber, vatId } = promoter.profile;
  if (wanted !== "not_submitted") return promoter.invoiceDetailsStatus === wanted;
  return promoter.invoiceDetailsStatus === "pending" && !companyName && !companyNumber && !vatId;
}

function hasCustomField(
  { key, values, isPartial }: PromoterQuery["customFields"][number],
  { customFields }: Promoter,
): boolean {
  const held = [customFields?.[key] ?? []].flat().map((value) => String(value).toLowerCase());
  return values
    .map((value) => value.toLowerCase())
    .some((value) => held.some((text) => (isPartial ? text.includes(value) : text === value)));
}

function isWithin({ from, to }: Range, value: number): boolean {
  return (from === null || value >= from) && (to === null || value <= to);
}

/** Equals stand in the order of their ids. */
function inOrder(found: Candidate[], { sort }: PromoterQuery): Candidate[] {
  const sign = sort?.isDescending ? -1 : 1;
  const rank = ({ promoter, stats }: Candidate): number => {
    if (sort === null) return 0;
    return sort.by === "joinedAt" ? Date.parse(promoter.createdAt) : (stats?.[sort.by] ?? 0);
  };
  return found.toSorted((a, b) => sign * (rank(a) - rank(b)) || a.promoter.id - b.promoter.id);
}
