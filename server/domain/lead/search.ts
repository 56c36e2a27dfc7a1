import type { Store } from "../../storage/store.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import { listBelongings } from "../promoter-campaign/belongings.ts";
import { isWithin, type Span } from "../span.ts";
import { ARCHIVED_LEADS } from "./lead-counts.ts";
import { leads } from "./lead.ts";
import type { EntrySource, Lead, LeadState, Suspicion } from "./record.ts";

/** The conditions for listed leads. Absent ones do not matter. */
export interface LeadFilter {
  /** Part of the e-mail address, uid, name or website, ignoring case. */
  text?: string | undefined;
  ids?: number[] | undefined;
  /** Whether the lead has become a customer. */
  isCustomer?: boolean | undefined;
  promoterId?: number | undefined;
  campaignIds?: number[] | undefined;
  /**
   * `not_denied`: all except denied ones. `moved`: leads that were left behind by a move. There are none, because a lead
   * moves as a whole.
   */
  state?: LeadState | "not_denied" | "moved" | undefined;
  entrySources?: EntrySource[] | undefined;
  suspicions?: Suspicion[] | undefined;
  customerSince?: Span | undefined;
  createdAt?: Span | undefined;
  cancelledAt?: Span | undefined;
  /** The plans that they bought last, by the client's own ids. */
  planIds?: string[] | undefined;
}

/** What every list of leads leaves out. */
export const LISTED_LEADS = {
  metric: "referrals",
  hidden: { counter: ARCHIVED_LEADS, is: (lead: Lead) => lead.archivedAt !== undefined },
} as const;

type Wanted = Required<{ [F in keyof LeadFilter]: NonNullable<LeadFilter[F]> }>;

/** The condition of each field. */
const CONDITIONS: { [F in keyof Wanted]: (lead: Lead, wanted: Wanted[F]) => boolean } = {
  text: mentions,
  ids: ({ id }, ids) => ids.includes(id),
  isCustomer: ({ customerSince }, wanted) => (customerSince !== null) === wanted,
  promoterId: ({ promoterId }, id) => promoterId === id,
  campaignIds: ({ campaignId }, ids) => ids.includes(campaignId),
  state: ({ state }, wanted) => (wanted === "not_denied" ? state !== "denied" : state === wanted),
  entrySources: ({ entrySource }, wanted) => wanted.includes(entrySource),
  suspicions: ({ suspicion }, wanted) => wanted.includes(suspicion),
  customerSince: ({ customerSince }, span) => happened(customerSince, span),
  createdAt: ({ createdAt }, span) => happened(createdAt, span),
  cancelledAt: ({ cancelledAt }, span) => happened(cancelledAt, span),
  planIds: ({ planName }, ids) => planName !== null && ids.includes(planName),
};

/**
 * Leads that pass a filter, in the order in which they came or the reverse of it. A promoter's leads and those of a campaign are found by index. Any other
 * condition reads the records.
 */
export async function findLeads(
  store: Store,
  accountId: number,
  { filter, reverse = false, ...page }: { filter: LeadFilter; reverse?: boolean } & Window,
): Promise<Found<Lead>> {
  const { ids } = filter;
  if (ids !== undefined) return findByIds(store, accountId, { ...page, filter, ids, reverse });
  const { promoterId, campaignIds, ...others } = filter;
  const [campaignId = null] = campaignIds?.length === 1 ? campaignIds : [];
  const rest = campaignId === null ? { ...others, campaignIds } : others;
  return listBelongings(store, leads, {
    ...LISTED_LEADS,
    accountId,
    scope: { promoterCampaignId: null, refToken: null, promoterId: promoterId ?? null, campaignId },
    keeps: Object.values(rest).some((wanted) => wanted !== undefined)
      ? (lead) => passes(lead, rest)
      : undefined,
    reverse,
    page,
  });
}

async function findByIds(
  store: Store,
  accountId: number,
  { ids, filter, reverse, limit, offset }: { ids: number[]; filter: LeadFilter; reverse: boolean } & Window,
): Promise<Found<Lead>> {
  const records: Lead[] = [];
  for (const id of new Set(ids.toSorted((a, b) => (reverse ? b - a : a - b)))) {
    const lead = await store.get(leads, accountId, id);
    if (lead !== null && !lead.archivedAt && passes(lead, filter)) records.push(lead);
  }
  return { records: records.slice(offset, offset + limit), total: records.length };
}

function passes(lead: Lead, filter: LeadFilter): boolean {
  return (Object.keys(CONDITIONS) as (keyof LeadFilter)[]).every((field) => meets(lead, field, filter));
}

function meets<F extends keyof LeadFilter>(lead: Lead, field: F, filter: LeadFilter): boolean {
  const wanted = filter[field];
  return wanted === undefined || CONDITIONS[field](lead, wanted as Wanted[F]);
}

function mentions({ email, uid, username, website, firstName, lastName }: Lead, text: string): boolean {
  const words = [email, uid, username, website, `${firstName ?? ""} ${lastName ?? ""}`];
  return words.join("\n").toLowerCase().includes(text.trim().toLowerCase());
}

function happened(at: string | null, span: Span): boolean {
  return at !== null && isWithin(Date.parse(at), span);
}
