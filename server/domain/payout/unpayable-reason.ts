import type { Account } from "../account/account.ts";
import type { Payee } from "./payee.ts";

/** Why the pending payouts of a promoter can't be paid yet. */
export const UNPAYABLE_REASONS = {
  no_payout_method: "The promoter has chosen no payout method",
  method_disabled: "The payout method is disabled",
  invoice_details: "The invoice details are not approved",
  below_minimum: "The sum is below the minimum payment",
} as const;
export type UnpayableReason = keyof typeof UNPAYABLE_REASONS;

/** Why a promoter's pending payouts can't be paid. null: they can. @see docs/spec/v2.md "List payouts" */
export function unpayableReason(
  { promoter, selected, pendingCents }: Payee,
  account: Account,
): UnpayableReason | null {
  if (selected === null) return "no_payout_method";
  if (selected.isDisabled) return "method_disabled";
  if (account.requiresInvoiceDetails && promoter.invoiceDetailsStatus !== "approved")
    return "invoice_details";
  return pendingCents < account.minPaymentCents ? "below_minimum" : null;
}
