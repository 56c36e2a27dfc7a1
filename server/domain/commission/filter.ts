import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import type { Account } from "../account/account.ts";
import { dayIn, timeZoneOf } from "../account/time-zone.ts";
import type { Context } from "../context.ts";
import type { Suspicion } from "../lead/record.ts";
import type { Unit } from "../money/money.ts";
import { isDue, type DuePeriod } from "../payout/filter.ts";
import { isoRange, type Span } from "../span.ts";
import { among, contains, filtered, isWithin, type Conditions, type Schema } from "../../storage/query.ts";
import type { commissions } from "./commission.ts";
import type { CommissionStatus } from "./record.ts";

/** The conditions for listed commissions. Absent ones do not matter. */
export interface CommissionFilter {
  /** Part of the event's id, or of the lead's e-mail address or uid, ignoring case. */
  text?: string | undefined;
  ids?: number[] | undefined;
  status?: CommissionStatus | undefined;
  unit?: Unit | undefined;
  /** true: cash that was paid. false: cash that was not. */
  isPaid?: boolean | undefined;
  /** true: other units that the promoter got. false: those that they did not get. */
  isFulfilled?: boolean | undefined;
  saleCents?: Span | undefined;
  amount?: Span | undefined;
  createdAt?: Span | undefined;
  promoterCampaignId?: number | undefined;
  campaignIds?: number[] | undefined;
  payoutIds?: number[] | undefined;
  /** When its payout is due. Choice: a commission without a payout has no due date. */
  duePeriod?: DuePeriod | undefined;
  promoterId?: number | undefined;
  /** Whether it belongs to the first event that earned something for its lead. */
  isFirst?: boolean | undefined;
  /** Whether a refund took a part of it back, or made it to take another back. */
  isRefunded?: boolean | undefined;
  suspicions?: Suspicion[] | undefined;
  planIds?: string[] | undefined;
}

export type CommissionSchema = Schema<{ commissions: typeof commissions }>;
export type CommissionQuestion = SelectQueryBuilder<CommissionSchema, "commissions", object>;

/** The request that a question is asked for. */
interface Asking {
  accountId: number;
  /** The calendar day of the request in the account's time zone. */
  today: string;
  filter: CommissionFilter;
}

/** What each condition adds to a question. */
const CONDITIONS: Conditions<CommissionFilter, CommissionQuestion, Asking> = {
  text: (question, text, { accountId }) => question.where(mentions(accountId, text.trim())),
  ids: (question, ids) => question.where(among("commissions.id", ids)),
  status: (question, status) => question.where("commissions.status", "=", status),
  unit: (question, unit) => question.where("commissions.unit", "=", unit),
  // Choice: `isPaid` only concerns cash, and `isFulfilled` all other units.
  isPaid: (question, wanted, { accountId }) =>
    question.where("commissions.unit", "=", "cash").where(isDone(accountId, wanted)),
  isFulfilled: (question, wanted, { accountId }) =>
    question.where("commissions.unit", "<>", "cash").where(isDone(accountId, wanted)),
  saleCents: (question, span) => question.where(isWithin("commissions.sale_cents", span)),
  amount: (question, span) => question.where(isWithin("commissions.amount", span)),
  createdAt: (question, span) => question.where(isWithin("commissions.created_at", isoRange(span))),
  promoterCampaignId: (question, id) => question.where("commissions.promoter_campaign_id", "=", id),
  campaignIds: (question, ids) => question.where(among("commissions.campaign_id", ids)),
  payoutIds: (question, ids) => question.where(among("commissions.payout_id", ids)),
  duePeriod: (question, period, { accountId, today }) =>
    question.where(inPayouts(PAYOUT_ID, accountId, isDue(accountId, { period, today, status: "pending" }))),
  promoterId: (question, id) => question.where("commissions.promoter_id", "=", id),
  isFirst: (question, wanted) => question.where(wanted ? IS_FIRST : sql<SqlBool>`not ${IS_FIRST}`),
  isRefunded: (question, wanted) => question.where("commissions.is_of_refund", "=", Number(wanted)),
  suspicions: (question, wanted) => question.where(among("commissions.suspicion", wanted)),
  planIds: (question, ids) => question.where(among("commissions.plan_id", ids)),
};

/** A question about the commissions that pass a filter. Lists and exports ask it. */
export function commissionQuestion(
  { store, now }: Pick<Context, "store" | "now">,
  account: Account,
  filter: CommissionFilter,
): CommissionQuestion {
  const asking = { accountId: account.id, today: dayIn(timeZoneOf(account), now), filter };
  const all = store
    .question<CommissionSchema>()
    .selectFrom("commissions")
    .where("commissions.account_id", "=", account.id);
  return filtered(all, CONDITIONS, asking);
}

/** Whether the event's id, or the lead's e-mail address or uid, contains a text. */
function mentions(accountId: number, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${contains("commissions.words", text)} or commissions.lead_id in (
    select leads.id from leads where leads.account_id = ${accountId} and ${contains("leads.names", text)}))`;
}

const PAYOUT_ID = sql.ref("commissions.payout_id");

function inPayouts(
  payoutId: RawBuilder<unknown>,
  accountId: number,
  condition: RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`${payoutId} in (select payouts.id from payouts
    where payouts.account_id = ${accountId} and ${condition})`;
}

/** Whether the promoter got it. */
function isDone(accountId: number, wanted: boolean): RawBuilder<SqlBool> {
  // No payout has the id 0. Whether null is one of them would be unknown.
  const isCompleted = inPayouts(sql`coalesce(${PAYOUT_ID}, 0)`, accountId, sql`payouts.status = 'completed'`);
  const done = sql<SqlBool>`(commissions.is_paid_elsewhere = 1 or ${isCompleted})`;
  return wanted ? done : sql<SqlBool>`not ${done}`;
}

/** Choice: a commission without a lead is never the first. */
const IS_FIRST = sql<SqlBool>`(commissions.lead_id <> 0 and exists (
  select 1 from (
    select earliest.id, earliest.sale_id from commissions as earliest
    where earliest.account_id = commissions.account_id and earliest.lead_id = commissions.lead_id
    order by earliest.id limit 1
  ) as first_one where first_one.id = commissions.id or first_one.sale_id = commissions.sale_id))`;
