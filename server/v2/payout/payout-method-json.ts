import { z } from "zod";
import { PAYOUT_METHODS, type PayoutMethod } from "../../domain/ledger/payout-method/payout-method.ts";
import { field, recordId } from "../../http/fields.ts";

const detail = (description: string, example: string | null = null) =>
  field(z.string().nullable(), description, example);

/** The details of a bank account. Each country needs different ones. */
const bankDetails = {
  bank_country: detail("Two-letter code of the bank's country."),
  account_holder_name: detail("Name of the account's holder."),
  account_number: detail("Number of the account."),
  routing_aba_number: detail("ABA routing number of a bank in the United States."),
  country: detail("Country of the holder."),
  state: detail("State or province of the holder."),
  postal_code: detail("Postal code of the holder."),
  address: detail("Street and number of the holder."),
  city: detail("City of the holder."),
  transit_number: detail("Transit number of a bank in Canada."),
  institution_number: detail("Institution number of a bank in Canada."),
  bsb_code: detail("BSB code of a bank in Australia."),
  sort_code: detail("Sort code of a bank in the United Kingdom."),
  ifsc_code: detail("IFSC code of a bank in India."),
  bank_code: detail("Code of a bank, in countries that use one, such as Japan."),
  branch_code: detail("Code of a bank's branch, in countries that use one, such as Japan and South Africa."),
  clabe: detail("CLABE of an account in Mexico."),
  account_type: detail("`checking` or `savings`, for ACH."),
  account_holder_type: detail("`person` or `company`, for ACH."),
  iban: detail("International number of the account."),
  swift_bic_code: detail("BIC of the bank."),
  bank_name: detail("Name of the bank."),
  bank_city: detail("City of the bank."),
  bank_address: detail("Address of the bank."),
};
export const BANK_DETAILS = Object.keys(bankDetails);

/** The documented details of all methods. `custom` and `dots` may have others. */
const details = {
  wallet_email: detail("E-mail address of the wallet that they are paid to.", "jane@wallet.example"),
  paypal_email: detail("Another name of `wallet_email`.", "jane@wallet.example"),
  ...bankDetails,
  wise_email: detail("E-mail address of the account at Wise."),
  wallet_address: detail("Address of the wallet."),
  crypto_currency: detail("Currency of the wallet."),
};
export const DETAILS = Object.keys(details) as (keyof typeof details)[];

const detailsAnswer = z.looseObject(details).meta({ id: "PayoutMethodDetails" });

/** @see docs/spec/v2.md "Payout method" */
export const payoutMethodAnswer = z
  .object({
    id: recordId,
    method: field(z.enum(PAYOUT_METHODS), "Way of payment."),
    date_added: field(z.iso.datetime(), "When the payout method was added."),
    is_disabled: field(z.boolean(), "Whether it can't be used."),
    meta: field(z.record(z.string(), z.unknown()), "Further data.", {}),
    is_selected: field(z.boolean(), "Whether the promoter is paid this way."),
    details: field(
      detailsAnswer,
      "Account or wallet that the money goes to. Each method has its own fields; the others are null.",
    ),
    managed_payouts: field(z.boolean(), "Whether the provider pays the promoter automatically."),
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

/** The details of a method whose details are hidden. */
export const NO_DETAILS = Object.fromEntries(DETAILS.map((name) => [name, null])) as Record<
  keyof typeof details,
  null
>;

/** Shows the wallet's address under both names, because clients read either. */
function detailsJson({ method, details: given }: PayoutMethod): z.output<typeof detailsAnswer> {
  const shown = { ...NO_DETAILS, ...given };
  return method === "paypal" ? { ...shown, paypal_email: shown.wallet_email } : shown;
}
