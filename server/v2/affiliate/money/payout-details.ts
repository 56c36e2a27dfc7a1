import { z } from "zod";
import { hasLatinForm } from "../../../domain/latin.ts";
import { compactNumber } from "../../../domain/bank-numbers.ts";
import { BANK_FIELD_NAMES, bankFaults } from "../../../domain/ledger/payout-method/bank-country.ts";
import { email, word } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";

const LINE = 200;
const line = word(LINE).min(1, "can't be blank");

const compact = (length: number) => word(length).transform(compactNumber);
const country = word(2)
  .transform((value) => value.toUpperCase())
  .refine((value) => /^[A-Z]{2}$/.test(value), "must be the two letters of a country");

/** A bank account. Which details it needs depends on the country. */
const bank = z
  .object({
    bank_country: country,
    account_holder_name: line,
    account_holder_name_latin: line.optional(),
    ...Object.fromEntries(BANK_FIELD_NAMES.map((name) => [name, line.optional()])),
    iban: compact(60).optional(),
    swift_bic_code: compact(20).optional(),
    address: line.optional(),
    city: line.optional(),
    postal_code: line.optional(),
    country: country.optional(),
  })
  .superRefine((given, context) => {
    const faults = bankFaults(given as Record<string, string | undefined>);
    for (const [name, message] of Object.entries({ ...faults, ...latinFaults(given) }))
      context.addIssue({ code: "custom", path: [name], message });
  });

/** A bank that takes Latin letters only can't pay a name that only its owner can write in them. */
function latinFaults({
  account_holder_name: name,
  account_holder_name_latin: latin,
  bank_country: country,
}: {
  account_holder_name: string;
  account_holder_name_latin?: string | undefined;
  bank_country: string;
}): Record<string, string> {
  if (latin === undefined && hasLatinForm(name, country)) return {};
  if (latin === undefined) return { account_holder_name_latin: "can't be blank" };
  return hasLatinForm(latin, country)
    ? {}
    : { account_holder_name_latin: "must be in Latin letters or in kana" };
}

/**
 * The payout methods that promoters can set up themselves, with their required details.
 *
 * The checks are stricter than for the company, because a promoter notices a mistyped account only when the money
 * is gone. The company sets up methods that need an agreement with it (`custom`, `dots`).
 */
export const OWN_METHODS = {
  bank,
  paypal: z.object({ wallet_email: email }),
  wise: z.object({ wise_email: email }),
  crypto: z.object({
    wallet_address: word(200).regex(/^[A-Za-z0-9:_-]{20,}$/, "is invalid"),
    crypto_currency: word(10).regex(/^[A-Za-z0-9]{2,}$/, "is invalid"),
  }),
};

export type OwnMethod = keyof typeof OWN_METHODS;
export const OWN_METHOD_NAMES = Object.keys(OWN_METHODS) as [OwnMethod, ...OwnMethod[]];

/**
 * The details of a payout method that a promoter can set up.
 *
 * @throws Failure `invalid`
 */
export function shapeOwnDetails(method: OwnMethod, given: Record<string, unknown>): Record<string, unknown> {
  // Blank form fields count as missing, also within `details`.
  const filled = Object.entries(given).filter(([, value]) => value !== "" && value !== null);
  const schema = z.object({ details: OWN_METHODS[method] as z.ZodType<Record<string, unknown>> });
  return shapeInput(schema, { details: Object.fromEntries(filled) }).details;
}

/** Whether promoters can set up such a method themselves. */
export function isOwnMethod(method: string): method is OwnMethod {
  return method in OWN_METHODS;
}
