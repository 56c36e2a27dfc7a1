import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import {
  among,
  contains,
  filtered,
  findPage,
  isWithin,
  type Conditions,
  type Found,
  type Schema,
  type Window,
} from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import { isoRange, type Span } from "../span.ts";
import { leads } from "./lead.ts";
import type { EntrySource, Lead, LeadState, Suspicion } from "./record.ts";

/** The conditions for listed leads. Absent ones do not matter. */
export interface LeadFilter {
  /** Part of the e-mail address, uid, name or website, ignoring case. */
  text?: string | undefined;
  ids?: number[] | undefined;
  /** Whether the lead has become a customer. */
  isCustomer?: boolean | undefined;
  promoterCampaignId?: number | undefined;
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

type LeadSchema = Schema<{ leads: typeof leads }>;
type LeadQuestion = SelectQueryBuilder<LeadSchema, "leads", object>;

/** What each condition adds to a question. */
const CONDITIONS: Conditions<LeadFilter, LeadQuestion, unknown> = {
  text: (question, text) => question.where(mentions(text.trim())),
  ids: (question, ids) => question.where(among("leads.id", ids)),
  isCustomer: (question, wanted) => question.where("leads.customer_since", wanted ? "is not" : "is", null),
  promoterCampaignId: (question, id) => question.where("leads.promoter_campaign_id", "=", id),
  promoterId: (question, id) => question.where("leads.promoter_id", "=", id),
  campaignIds: (question, ids) => question.where(among("leads.campaign_id", ids)),
  state: (question, state) =>
    state === "not_denied"
      ? question.where("leads.state", "<>", "denied")
      : question.where("leads.state", "=", state),
  entrySources: (question, sources) => question.where(among("leads.entry_source", sources)),
  suspicions: (question, suspicions) => question.where(among("leads.suspicion", suspicions)),
  customerSince: (question, span) => question.where(isWithin("leads.customer_since", isoRange(span))),
  createdAt: (question, span) => question.where(isWithin("leads.created_at", isoRange(span))),
  cancelledAt: (question, span) => question.where(isWithin("leads.cancelled_at", isoRange(span))),
  planIds: (question, ids) => question.where(among("leads.plan_name", ids)),
};

/** A question about the leads that pass a filter. Lists, exports and bulk actions ask it. */
function leadQuestion(view: View, accountId: number, filter: LeadFilter): LeadQuestion {
  const all = view
    .question<LeadSchema>()
    .selectFrom("leads")
    .where("leads.account_id", "=", accountId)
    .where("leads.archived_at", "is", null);
  return filtered(all, CONDITIONS, { filter });
}

/** A page of the leads that pass a filter, in the order in which they came or the reverse of it. */
export function findLeads(
  store: View,
  accountId: number,
  { filter, reverse = false, ...page }: { filter: LeadFilter; reverse?: boolean } & Window,
): Promise<Found<Lead>> {
  const question = leadQuestion(store, accountId, filter).orderBy("leads.id", reverse ? "desc" : "asc");
  return findPage(store, leads, { question, ...page });
}

function mentions(text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${contains("leads.names", text)} or ${contains("leads.words", text)})`;
}
