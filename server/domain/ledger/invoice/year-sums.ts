import { sql, type SqlBool } from "kysely";
import type { Schema } from "../../../storage/query.ts";
import type { View } from "../../../storage/store.ts";
import type { Account, Invoicing } from "../../program/account/account.ts";
import { startOfDay, timeZoneOf } from "../../program/account/time-zone.ts";
import type { payments, payoutClaims } from "../payment/payment.ts";
import type { payoutMethods } from "../payout-method/payout-method.ts";
import type { payouts } from "../payout/payout.ts";

/** What a promoter was paid in a year, in cents and with tax. */
export interface YearSum {
  promoterId: number;
  /** By bank or in another way that no provider reports. */
  directCents: number;
  /** By PayPal and Stripe, which report it themselves, on form 1099-K. */
  processedCents: number;
}

/**
 * What each promoter was paid in money in a calendar year of the account's time zone, by promoter.
 *
 * @see docs/spec/money.md "Invoices", 7
 */
export async function yearSums(view: View, account: Account, year: number): Promise<YearSum[]> {
  const zone = timeZoneOf(account);
  const from = startOfDay(zone, `${year}-01-01`).toISOString();
  const before = startOfDay(zone, `${year + 1}-01-01`).toISOString();
  const isProcessed = sql<SqlBool>`(payments.payer in ('paypal', 'stripe') or
    (coalesce(payments.payer, 'file') = 'file' and payout_methods.method = 'paypal'))`;
  const query = view
    .query<SumSchema>()
    .selectFrom("payouts")
    .leftJoin("payout_claims", (join) =>
      join
        .onRef("payout_claims.account_id", "=", "payouts.account_id")
        .onRef("payout_claims.payout_id", "=", "payouts.id"),
    )
    .leftJoin("payments", (join) =>
      join
        .onRef("payments.account_id", "=", "payout_claims.account_id")
        .onRef("payments.id", "=", "payout_claims.payment_id")
        // A failed payment paid nothing: someone has paid in another way.
        .on("payments.state", "in", ["intent", "asked", "unclaimed", "confirmed"]),
    )
    .leftJoin("payout_methods", (join) =>
      join
        .onRef("payout_methods.account_id", "=", "payouts.account_id")
        .onRef("payout_methods.id", "=", "payouts.payout_method_id"),
    )
    .where("payouts.account_id", "=", account.id)
    .where("payouts.status", "=", "completed")
    .where("payouts.unit", "=", "cash")
    .where("payouts.paid_at", ">=", from)
    .where("payouts.paid_at", "<", before)
    .groupBy("payouts.promoter_id")
    .orderBy("payouts.promoter_id")
    .select([
      "payouts.promoter_id",
      sql<number>`sum(payouts.total_incl_tax)`.as("all_cents"),
      sql<number>`sum(case when ${isProcessed} then payouts.total_incl_tax else 0 end)`.as("processed"),
    ]);
  return (await view.rows(query)).map((row) => ({
    promoterId: Number(row.promoter_id),
    directCents: Number(row.all_cents) - Number(row.processed),
    processedCents: Number(row.processed),
  }));
}

/** The year of the first payments for which the account's threshold counts. */
const THRESHOLD_YEAR = 2026;
const FORMER_THRESHOLD_CENTS = 60_000;

/** The sum from which payments of a year need a form 1099-NEC, in cents. Before 2026, it was 600 dollars for everyone. */
export function thresholdOf({ thresholdCents }: Pick<Invoicing, "thresholdCents">, year: number): number {
  return year < THRESHOLD_YEAR ? FORMER_THRESHOLD_CENTS : thresholdCents;
}

type SumSchema = Schema<{
  payouts: typeof payouts;
  payout_claims: typeof payoutClaims;
  payments: typeof payments;
  payout_methods: typeof payoutMethods;
}>;
