import { sql, type SqlBool } from "kysely";
import { Failure } from "../../../failure.ts";
import { integer, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";
import { loadPromoterInUse } from "../../people/promoter/promoter.ts";
import type { Schema } from "../../../storage/query.ts";
import type { View, Transaction } from "../../../storage/store.ts";
import type { Account, Invoicing } from "../../program/account/account.ts";
import { startOfDay, timeZoneOf } from "../../program/account/time-zone.ts";
import type { payments, payoutClaims } from "../payment/payment.ts";
import type { payoutMethods } from "../payout-method/payout-method.ts";
import type { payouts } from "../payout/payout.ts";

/** The forms by which a promoter tells the company where they are taxed in the United States. */
export const TAX_FORMS = ["w9", "w8ben", "w8bene"] as const;

export type TaxForm = (typeof TAX_FORMS)[number];

/** What a promoter is for taxes: line 3a of a W-9, and the kind of person of a W-8. */
export const TAX_CLASSES = [
  "individual",
  "c_corporation",
  "s_corporation",
  "partnership",
  "trust",
  "llc",
  "other",
] as const;

export type TaxClass = (typeof TAX_CLASSES)[number];

const fields = {
  promoter_id: integer(),
  form: text<TaxForm>(),
  name: text().personal(),
  tax_class: text<TaxClass>(),
  /** The tax number, encrypted in the store. Empty if it came by an export without secrets. */
  tax_number: text().personal().sealed(),
  /** Its last four characters. */
  tax_number_end: text().personal().secret(),
  /** The name with which the promoter has signed, and when. */
  signature: text().personal(),
  signed_at: time(),
};

/** The data of a promoter's form W-9 or W-8. Name and address are in the profile too, but a form says them itself. */
export type TaxDetails = RowOf<typeof fields>;

export const taxDetails = table("tax-details", fields, {
  key: ["promoter_id"],
  sealed: {
    isSecret: ({ tax_number }) => tax_number !== "",
    without: (details) => ({ ...details, tax_number: "" }),
  },
});

const SHOWN_CHARACTERS = 4;

/** What a promoter gives. Undefined: the tax number stays. */
export interface TaxDetailsInput extends Pick<TaxDetails, "form" | "name" | "tax_class" | "signature"> {
  tax_number?: string | undefined;
}

/**
 * Keeps a promoter's form.
 *
 * @throws Failure `not_found`, `invalid`, or `refused` without a key, or for an archived promoter
 */
export async function putTaxDetails(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  { account_id, id: promoterId }: { account_id: number; id: number },
  { tax_number, form, name, tax_class, signature }: TaxDetailsInput,
): Promise<TaxDetails> {
  await loadPromoterInUse(tx, account_id, promoterId);
  const before = await tx.get(taxDetails, account_id, promoterId);
  const kept = before?.form === form ? before : null;
  if (tax_number === undefined && kept === null) throw wrongNumber("can't be blank");
  const plain = tax_number?.replace(/[\s.-]/g, "");
  // A social security number or an employer's number.
  if (plain !== undefined && form === "w9" && !/^\d{9}$/.test(plain))
    throw wrongNumber("must have nine digits");
  const after: TaxDetails = {
    account_id,
    promoter_id: promoterId,
    form,
    name,
    tax_class,
    tax_number: plain ?? kept!.tax_number,
    tax_number_end: plain === undefined ? kept!.tax_number_end : plain.slice(-SHOWN_CHARACTERS),
    signature,
    signed_at: now.toISOString(),
  };
  await tx.put(taxDetails, after);
  return after;
}

function wrongNumber(fault: string): Failure {
  return new Failure("invalid", `Validation failed: tax_number ${fault}`, { tax_number: [fault] });
}

/** What a promoter was paid in a year, in cents and with tax. */
export interface YearSum {
  promoter_id: number;
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
        .on("payments.state", "in", ["intent", "asked", "unclaimed", "confirmed", "partly_returned"]),
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
    promoter_id: Number(row.promoter_id),
    directCents: Number(row.all_cents) - Number(row.processed),
    processedCents: Number(row.processed),
  }));
}

/** The year of the first payments for which the account's threshold counts. */
const THRESHOLD_YEAR = 2026;
const FORMER_THRESHOLD_CENTS = 60_000;

/** The sum from which payments of a year need a form 1099-NEC, in cents. Before 2026, it was 600 dollars for everyone. */
export function thresholdOf({ threshold_cents }: Pick<Invoicing, "threshold_cents">, year: number): number {
  return year < THRESHOLD_YEAR ? FORMER_THRESHOLD_CENTS : threshold_cents;
}

type SumSchema = Schema<{
  payouts: typeof payouts;
  payout_claims: typeof payoutClaims;
  payments: typeof payments;
  payout_methods: typeof payoutMethods;
}>;
