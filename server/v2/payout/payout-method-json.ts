import { z } from "zod";
import { PAYOUT_METHODS, type PayoutMethod } from "../../domain/payout-method/record.ts";

/** @see docs/spec/v2.md "Payout method" */
export const payoutMethodAnswer = z
  .object({
    id: z.int(),
    method: z.enum(PAYOUT_METHODS),
    date_added: z.iso.datetime(),
    is_disabled: z.boolean(),
    meta: z.record(z.string(), z.unknown()),
    is_selected: z.boolean(),
    details: z.record(z.string(), z.unknown()),
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

/** Shows the wallet's address under both of its names, because clients read either. */
function detailsJson({ method, details }: PayoutMethod): Record<string, unknown> {
  const { wallet_email: walletEmail } = details;
  if (method !== "paypal" || walletEmail === undefined) return details;
  return { ...details, paypal_email: walletEmail };
}
