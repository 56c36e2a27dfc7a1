import { sql } from "kysely";
import type { Account } from "../account/account.ts";
import { dayIn, timeZoneOf } from "../account/time-zone.ts";
import type { Context } from "../context.ts";
import { among } from "../../storage/query.ts";
import type { PayoutStatus } from "./record.ts";
import { ofPromoters, payoutQuestion, type PayoutQuestion } from "./filter.ts";
import { payeeOf, payeeQuestion, type Payee } from "./payee.ts";
import { partsOf, withParts, type PayoutParts } from "./search.ts";
import { dueDayOf } from "./stats.ts";
import { unpayableReason, type UnpayableReason } from "./unpayable-reason.ts";

export const INVOICEABLE = ["true", "false", "not_set"] as const;
/** Choice: `true` means approved invoice details, `false` denied ones, `not_set` those that nobody has reviewed. */
const INVOICE_STATUS = { true: "approved", false: "denied", not_set: "pending" } as const;

interface GroupFilter {
  text?: string | undefined;
  status?: PayoutStatus | undefined;
  campaignIds?: number[] | undefined;
  minPaymentCents?: number | undefined;
  invoiceable?: (typeof INVOICEABLE)[number] | undefined;
}

/** The cash sum of some payouts. Choice: amounts in other units can't be added to money and count as nothing. */
export interface PayoutSums {
  cents: number;
  centsInclTax: number;
}

/** The payouts of one promoter. */
export interface PayoutGroup extends PayoutSums {
  payee: Payee;
  payouts: PayoutParts[];
  /** null: the payouts can be paid. */
  unpayableReason: UnpayableReason | null;
}

/** A page of groups, and the sums over everything that passes the filter. */
export interface PayoutGroups extends PayoutSums {
  groups: PayoutGroup[];
  promotersCount: number;
  /** The next due date, otherwise the last one, with the end of its period. null: there are no payouts. */
  due: { dueDate: string; periodEndDate: string } | null;
}

/** Groups payouts by promoter, oldest promoter first. */
export async function groupPayouts(
  context: Context,
  account: Account,
  { filter, offset, limit }: { filter: GroupFilter; offset: number; limit: number },
): Promise<PayoutGroups> {
  const { store } = context;
  const all = matching(context, account, filter);
  const groups = grouped(all, filter);
  const totals = store
    .question()
    .selectFrom(groups.as("groups"))
    .select([
      sql<number>`count(*)`.as("promoters"),
      sql<number>`coalesce(sum(cents), 0)`.as("cents"),
      sql<number>`coalesce(sum(incl_tax), 0)`.as("incl_tax"),
    ]);
  const page = groups.orderBy("payouts.promoter_id").limit(limit).offset(offset);
  const [sums, [total], due] = await Promise.all([
    store.rows(page),
    store.rows(totals),
    comingDue(context, account, { all, filter }),
  ]);
  const ids = sums.map(({ promoter_id: id }) => Number(id));
  const [payees, parts] = await Promise.all([
    store.rows(payeeQuestion(store, account.id).where(among("promoters.id", ids))),
    store.rows(withParts(all.where(among("payouts.promoter_id", ids))).orderBy("payouts.id")),
  ]);
  const payeeById = new Map(payees.map(payeeOf).map((payee) => [payee.promoter.id, payee]));
  const payouts = parts.map(partsOf);
  return {
    groups: sums.flatMap(({ promoter_id: id, cents, incl_tax: centsInclTax }) => {
      const payee = payeeById.get(Number(id));
      if (payee === undefined) return [];
      const own = payouts.filter(({ payout }) => payout.promoterId === payee.promoter.id);
      const reason = unpayableReason(payee, account);
      const group = { payee, payouts: own, unpayableReason: reason };
      return { ...group, cents: Number(cents), centsInclTax: Number(centsInclTax) };
    }),
    promotersCount: Number(total?.promoters),
    cents: Number(total?.cents),
    centsInclTax: Number(total?.incl_tax),
    due,
  };
}

function matching(
  context: Context,
  account: Account,
  { text, status, campaignIds, invoiceable }: GroupFilter,
): PayoutQuestion {
  const question = payoutQuestion(context, account, { text, status, campaignIds });
  if (invoiceable === undefined) return question;
  const wanted = among("promoters.invoice_details_status", [INVOICE_STATUS[invoiceable]]);
  return question.where(ofPromoters(account, wanted));
}

/** Adds up the payouts of each promoter. */
function grouped(question: PayoutQuestion, { minPaymentCents = 0 }: GroupFilter) {
  const cash = (column: string) =>
    sql<number>`sum(case when payouts.unit = 'cash' then ${sql.ref(column)} else 0 end)`;
  const [cents, inclTax] = [cash("payouts.amount"), cash("payouts.total_incl_tax")];
  const groups = question
    .select(["payouts.promoter_id", cents.as("cents"), inclTax.as("incl_tax")])
    .groupBy("payouts.promoter_id");
  return minPaymentCents > 0 ? groups.having(cents, ">=", minPaymentCents) : groups;
}

/** The next due date among the payouts of the groups, otherwise the last one. */
async function comingDue(
  { store, now }: Context,
  account: Account,
  { all, filter }: { all: PayoutQuestion; filter: GroupFilter },
): Promise<PayoutGroups["due"]> {
  const kept = grouped(all, filter).clearSelect().select("payouts.promoter_id");
  const shown = filter.minPaymentCents ? all.where("payouts.promoter_id", "in", kept) : all;
  const days = sql<string>`payouts.due_date || payouts.period_end_date`;
  const today = dayIn(timeZoneOf(account), now);
  const question = shown
    .where("payouts.has_own_terms", "=", 0)
    .select([
      sql<string | null>`min(case when payouts.due_date >= ${today} then ${days} end)`.as("next"),
      sql<string | null>`max(${days})`.as("last"),
    ]);
  const [found] = await store.rows(question);
  return dueDayOf(found?.next ?? found?.last);
}
