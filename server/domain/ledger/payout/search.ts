import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import { among, belongingTo, contains, type Schema } from "../../../storage/query.ts";
import type { View } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { campaigns, type Campaign } from "../../program/campaign/campaign.ts";
import {
  payoutMethods,
  readSelectedPayoutMethods,
  type PayoutMethod,
  type PayoutMethodName,
} from "../payout-method/payout-method.ts";
import { promoters, type Promoter } from "../../people/promoter/promoter.ts";
import { payouts, type Payout, type PayoutStatus } from "./payout.ts";

/** The records that a payout is shown with. */
export interface PayoutParts {
  promoter: Promoter;
  campaign: Campaign;
  /** The method that it was paid by, or is being paid by. */
  used: PayoutMethod | null;
  /** The method that its promoter has selected. */
  selected: PayoutMethod | null;
}

const belongings = belongingTo(payouts, {
  promoter: [promoters, "promoter_id"],
  campaign: [campaigns, "campaign_id"],
  used: [payoutMethods, "payout_method_id"],
});

/** Reads the records that payouts are shown with. Null: the payout was deleted meanwhile, with its promoter or campaign. */
export async function payoutParts(view: View, records: Payout[]): Promise<(PayoutParts | null)[]> {
  const promoterIds = records.map(({ promoter_id }) => promoter_id);
  const [parts, selectedBy] = await Promise.all([
    belongings(view, records),
    readSelectedPayoutMethods(view, records[0]?.account_id ?? 0, promoterIds),
  ]);
  return records.map(({ promoter_id }, at) => {
    const { promoter, campaign, used } = parts[at]!;
    if (promoter === null || campaign === null) return null;
    return { promoter, campaign, used, selected: selectedBy(promoter_id) };
  });
}

/** Some of an account's payouts. Absent conditions are ignored. */
export interface PayoutScope {
  /** Part of the promoter's first name, last name or e-mail address, ignoring case. */
  text?: string | undefined;
  status?: PayoutStatus | undefined;
  campaign_ids?: number[] | undefined;
  promoter_id?: number | undefined;
}

export type PayoutQuery = SelectQueryBuilder<Schema<{ payouts: typeof payouts }>, "payouts", object>;

/** A query for payouts, for sums. */
export function payoutQuery(
  view: View,
  accountId: number,
  { text, status, campaign_ids, promoter_id }: PayoutScope,
): PayoutQuery {
  let query: PayoutQuery = view.query<Schema<{ payouts: typeof payouts }>>().selectFrom("payouts");
  query = query.where("payouts.account_id", "=", accountId);
  if (text !== undefined) query = query.where(ofPromoterWith(accountId, text));
  if (status !== undefined) query = query.where("payouts.status", "=", status);
  if (campaign_ids !== undefined) query = query.where(among("payouts.campaign_id", campaign_ids));
  return promoter_id === undefined ? query : query.where("payouts.promoter_id", "=", promoter_id);
}

/** Whether a payout's promoter is one of these. */
export function ofPromoters(accountId: number, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return sql<SqlBool>`payouts.promoter_id in (select promoters.id from promoters
    where promoters.account_id = ${accountId} and ${condition})`;
}

/** Whether the name or e-mail address of a payout's promoter contains a text. */
export function ofPromoterWith(accountId: number, text: string): RawBuilder<SqlBool> {
  return ofPromoters(accountId, contains("promoters.words", text.trim()));
}

export const DUE_PERIODS = ["next", "overdue", "custom"] as const;
export type DuePeriod = (typeof DUE_PERIODS)[number];

/** When payouts are due, and the payouts among which the next due date is looked up. */
interface Due extends Pick<PayoutScope, "status" | "campaign_ids"> {
  period: DuePeriod;
  today: string;
}

/**
 * Whether a payout is due then. The next due date is that of the payouts of the wanted
 * status and campaigns, as in `dueStats`. A payout that was paid early does not hide those that are due after
 * it.
 *
 * @see docs/spec/v2.md "List payouts"
 */
export function isDue(accountId: number, { period, today, status, campaign_ids }: Due): RawBuilder<SqlBool> {
  if (period === "custom") return sql<SqlBool>`payouts.has_own_terms`;
  if (period === "overdue") {
    return sql<SqlBool>`(not payouts.has_own_terms and payouts.status = 'pending' and payouts.due_date < ${today})`;
  }
  const ofStatus = status === undefined ? sql`` : sql`and others.status = ${status}`;
  const ofCampaigns =
    campaign_ids === undefined ? sql`` : sql`and ${among("others.campaign_id", campaign_ids)}`;
  return sql<SqlBool>`(not payouts.has_own_terms and payouts.due_date = (select others.due_date
    from payouts as others where others.account_id = ${accountId} and not others.has_own_terms
    and others.due_date >= ${today} ${ofStatus} ${ofCampaigns} order by others.due_date limit 1))`;
}

/** The method that a payout was paid by, otherwise the one that its promoter selected. */
export const methodName = sql<string>`coalesce(
  case when payouts.payout_method_id is null
    then (select selected.method from payout_methods as selected
      where selected.account_id = payouts.account_id and selected.selected_by_id = payouts.promoter_id)
    else (select used.method from payout_methods as used
      where used.account_id = payouts.account_id and used.id = payouts.payout_method_id)
  end, 'not_set')`;

/** Whether a payout is paid by this method. */
export function isPaidBy(name: PayoutMethodName | "not_set"): RawBuilder<SqlBool> {
  return sql<SqlBool>`${methodName} = ${name}`;
}

/** The sum of the pending cash payouts of a promoter of the table `promoters`. */
export const pendingCents = sql<number>`(select coalesce(sum(pending.amount), 0) from payouts as pending
  where pending.account_id = promoters.account_id and pending.promoter_id = promoters.id
  and pending.status = 'pending' and pending.unit = 'cash')`;

/** Whether the pending payouts of a payout's promoter can be paid: there is no `unpayableReason`. */
export function isPayable({ id, requires_invoice_details, min_payment_cents }: Account): RawBuilder<SqlBool> {
  const isApproved = requires_invoice_details
    ? sql`and promoters.invoice_details_status = 'approved'`
    : sql``;
  return sql<SqlBool>`payouts.promoter_id in (select promoters.id from promoters
    join payout_methods as chosen on chosen.account_id = promoters.account_id and chosen.selected_by_id = promoters.id
    where promoters.account_id = ${id} and not chosen.is_disabled ${isApproved}
    and ${pendingCents} >= ${min_payment_cents}
    and not exists (select 1 from payout_holds as hold where hold.account_id = promoters.account_id
      and hold.promoter_id = promoters.id and hold.released_at is null))`;
}
