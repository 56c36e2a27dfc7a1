import { z } from "zod";
import { PAYOUT_METHODS, type PayoutMethod } from "../../domain/payout-method/payout-method.ts";

/** The details of a bank account. Each country needs others. */
export const BANK_DETAILS = [
  "bank_country",
  "account_holder_name",
  "account_number",
  "routing_aba_number",
  "country",
  "state",
  "postal_code",
  "address",
  "city",
  "transit_number",
  "institution_number",
  "bsb_code",
  "sort_code",
  "iban",
  "swift_bic_code",
  "bank_name",
  "bank_city",
  "bank_address",
] as const;

/** The documented details of all methods. `custom` and `dots` may have others. */
export const DETAILS = [
  "wallet_email",
  "paypal_email",
  ...BANK_DETAILS,
  "wise_email",
  "wallet_address",
  "crypto_currency",
] as const;

const detailsAnswer = z.looseObject(detailsOf(z.string().nullable())).meta({ id: "PayoutMethodDetails" });

/** @see docs/spec/v2.md "Payout method" */
export const payoutMethodAnswer = z
  .object({
    id: z.int(),
    method: z.enum(PAYOUT_METHODS),
    date_added: z.iso.datetime(),
    is_disabled: z.boolean(),
    meta: z.record(z.string(), z.unknown()),
    is_selected: z.boolean(),
    details: detailsAnswer,
    managed_payouts: z.boolean(),
  })
  .meta({ id: "PayoutMethod" });

/** A way to pay a promoter. */
export function payoutMethodJson(method: PayoutMethod): z.output<typeof payoutMethodAnswer> {
  return {
    id: method.id,
    method: method.method,
    date_added: method.createdAt,
    is_disabled: method.isDisabled,
    meta: method.meta,
    is_selected: method.isSelected,
    details: detailsJson(method),
    managed_payouts: method.isManaged,
  };
}

/** The details of a method whose own are not shown. */
export const NO_DETAILS = detailsOf(null);

/** Shows the wallet's address under both of its names, because clients read either. */
function detailsJson({ method, details }: PayoutMethod): z.output<typeof detailsAnswer> {
  const shown = { ...NO_DETAILS, ...details };
  return method === "paypal" ? { ...shown, paypal_email: shown.wallet_email } : shown;
}

function detailsOf<V>(value: V): Record<(typeof DETAILS)[number], V> {
  return Object.fromEntries(DETAILS.map((name) => [name, value])) as Record<(typeof DETAILS)[number], V>;
}
