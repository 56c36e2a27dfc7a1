import { sql } from "kysely";
import { allOf, among, type Schema } from "../../../storage/query.ts";
import type { View } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { dayIn, timeZoneOf } from "../../program/account/time-zone.ts";
import type { Context } from "../../context.ts";
import { HELD, payoutHolds } from "../payout-method/changes.ts";
import { payoutMethods, type PayoutMethod } from "../payout-method/payout-method.ts";
import { promoters, type Promoter } from "../../people/promoter/promoter.ts";
import { payouts, type Payout, type PayoutStatus } from "./payout.ts";
import { ofPromoters, payoutQuery, pendingCents, type PayoutQuery } from "./search.ts";
import { dueDayOf } from "./stats.ts";

export const INVOICEABLE = ["true", "false", "not_set"] as const;

/** The payouts of one promoter. */
export interface PayoutGroup extends PayoutSums {
  payee: Payee;
  payouts: Payout[];
  /** Null if the payouts can be paid. */
  unpayableReason: UnpayableReason | null;
}

/** The cash sum of some payouts. Other units can't be added to money and count as zero. */
interface PayoutSums {
  cents: number;
  centsInclTax: number;
}

/** A promoter with the data that decide whether their payouts can be paid. */
interface Payee {
  promoter: Promoter;
  /** Null if none is selected. */
  selected: PayoutMethod | null;
  /** Sum of the pending cash payouts. */
  pendingCents: number;
  /** Whether someone else has changed the payout method, as the promoter says. */
  isHeld: boolean;
}

type UnpayableReason = keyof typeof UNPAYABLE_REASONS;

interface GroupFilter {
  text?: string | undefined;
  status?: PayoutStatus | undefined;
  campaign_ids?: number[] | undefined;
  min_payment_cents?: number | undefined;
  invoiceable?: (typeof INVOICEABLE)[number] | undefined;
}

/** A page of groups, and the sums of everything that matches the filter. */
interface PayoutGroups extends PayoutSums {
  groups: PayoutGroup[];
  promotersCount: number;
  /** The next due date, otherwise the last one, with the end of its period. Null without payouts. */
  due: { due_date: string; period_end_date: string } | null;
}

/** Groups payouts by promoter, oldest promoter first. */
export async function groupPayouts(
  context: Context,
  account: Account,
  { filter, offset, limit }: { filter: GroupFilter; offset: number; limit: number },
): Promise<PayoutGroups> {
  const { store } = context;
  const all = matching(store, account.id, filter);
  const groups = grouped(all, filter);
  const totals = store
    .query()
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
  const own = all.where(among("payouts.promoter_id", ids)).select(allOf(payouts)).orderBy("payouts.id");
  const [payees, rows] = await Promise.all([
    store.rows(payeeQuery(store, account.id).where(among("promoters.id", ids))),
    store.rows(own),
  ]);
  const payeeById = new Map(
    payees.map((row) => payeeOf(store, row)).map((payee) => [payee.promoter.id, payee]),
  );
  const found = rows.map((row) => store.record(payouts, row)!);
  return {
    groups: sums.flatMap(({ promoter_id: id, cents, incl_tax: centsInclTax }) => {
      const payee = payeeById.get(Number(id));
      if (payee === undefined) return [];
      return {
        payee,
        payouts: found.filter(({ promoter_id }) => promoter_id === payee.promoter.id),
        unpayableReason: unpayableReason(payee, account),
        cents: Number(cents),
        centsInclTax: Number(centsInclTax),
      };
    }),
    promotersCount: Number(total?.promoters),
    cents: Number(total?.cents),
    centsInclTax: Number(total?.incl_tax),
    due,
  };
}

type PayeeSchema = Schema<{
  promoters: typeof promoters;
  payout_methods: typeof payoutMethods;
  payout_holds: typeof payoutHolds;
}>;

/** Begins a query for payees, whose rows `payeeOf` reads. */
export function payeeQuery(view: View, accountId: number) {
  return view
    .query<PayeeSchema>()
    .selectFrom("promoters")
    .leftJoin("payout_methods as selected", (join) =>
      join
        .onRef("selected.account_id", "=", "promoters.account_id")
        .onRef("selected.selected_by_id", "=", "promoters.id"),
    )
    .leftJoin("payout_holds as hold", (join) =>
      join
        .onRef("hold.account_id", "=", "promoters.account_id")
        .onRef("hold.promoter_id", "=", "promoters.id")
        .on("hold.released_at", "is", null),
    )
    .where("promoters.account_id", "=", accountId)
    .select([
      ...allOf(promoters),
      ...allOf(payoutMethods, "selected"),
      "hold.held_at as held_at",
      pendingCents.as("pending_cents"),
    ]);
}

/** A payee from a row. */
export function payeeOf(
  view: Pick<View, "record">,
  row: { held_at: string | null; pending_cents: number },
): Payee {
  return {
    promoter: view.record(promoters, row)!,
    selected: view.record(payoutMethods, row, "selected"),
    pendingCents: Number(row.pending_cents),
    isHeld: row.held_at !== null,
  };
}

/** Why the pending payouts of a promoter can't be paid yet. */
export const UNPAYABLE_REASONS = {
  held: HELD,
  no_payout_method: "The promoter has chosen no payout method",
  method_disabled: "The payout method is disabled",
  invoice_details: "The invoice details are not approved",
  below_minimum: "The sum is below the minimum payment",
} as const;

/**
 * The reason why a promoter's pending payouts can't be paid, or null.
 *
 * @see docs/spec/v2.md "List payouts"
 */
export function unpayableReason(
  { promoter, selected, pendingCents, isHeld }: Payee,
  account: Account,
): UnpayableReason | null {
  if (isHeld) return "held";
  if (selected === null) return "no_payout_method";
  if (selected.is_disabled) return "method_disabled";
  if (account.requires_invoice_details && promoter.invoice_details_status !== "approved")
    return "invoice_details";
  return pendingCents < account.min_payment_cents ? "below_minimum" : null;
}

/** `true` means approved invoice details, `false` denied ones, `not_set` those not reviewed yet. */
const INVOICE_STATUS = { true: "approved", false: "denied", not_set: "pending" } as const;

function matching(
  view: View,
  accountId: number,
  { text, status, campaign_ids, invoiceable }: GroupFilter,
): PayoutQuery {
  const query = payoutQuery(view, accountId, { text, status, campaign_ids });
  if (invoiceable === undefined) return query;
  const wanted = among("promoters.invoice_details_status", [INVOICE_STATUS[invoiceable]]);
  return query.where(ofPromoters(accountId, wanted));
}

/** Adds up the payouts of each promoter. */
function grouped(query: PayoutQuery, { min_payment_cents = 0 }: GroupFilter) {
  const cash = (column: string) =>
    sql<number>`sum(case when payouts.unit = 'cash' then ${sql.ref(column)} else 0 end)`;
  const [cents, inclTax] = [cash("payouts.amount"), cash("payouts.total_incl_tax")];
  const groups = query
    .select(["payouts.promoter_id", cents.as("cents"), inclTax.as("incl_tax")])
    .groupBy("payouts.promoter_id");
  return min_payment_cents > 0 ? groups.having(cents, ">=", min_payment_cents) : groups;
}

/**
 * The next due date among the payouts of the groups, otherwise the last one. Payouts that are due independently of the
 * account's cycle count only if there are no others.
 */
async function comingDue(
  { store, now }: Context,
  account: Account,
  { all, filter }: { all: PayoutQuery; filter: GroupFilter },
): Promise<PayoutGroups["due"]> {
  const kept = grouped(all, filter).clearSelect().select("payouts.promoter_id");
  const shown = filter.min_payment_cents ? all.where("payouts.promoter_id", "in", kept) : all;
  const days = sql<string>`payouts.due_date || payouts.period_end_date`;
  const today = dayIn(timeZoneOf(account), now);
  const query = shown
    .select([
      sql<string | null>`min(case when payouts.due_date >= ${today} then ${days} end)`.as("next"),
      sql<string | null>`max(${days})`.as("last"),
    ])
    .groupBy("payouts.has_own_terms")
    .orderBy("payouts.has_own_terms");
  const [found] = await store.rows(query);
  return dueDayOf(found?.next ?? found?.last);
}
