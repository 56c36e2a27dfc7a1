import { isValidBIC, isValidIBAN } from "ibantools";
import { z } from "zod";
import type { Account } from "../../../domain/program/account/account.ts";
import type { Promoter } from "../../../domain/people/promoter/promoter.ts";
import { email, word } from "../../../input/fields.ts";
import { payoutTermsJson, type payoutTermsAnswer } from "../../payout/payout-stats.ts";

const LINE = 200;
const line = word(LINE).min(1, "can't be blank");

const iban = word(60)
  .transform((value) => value.replace(/[\s-]/g, "").toUpperCase())
  .refine((value) => isValidIBAN(value), "is not a valid IBAN");
const bic = word(20)
  .transform((value) => value.replace(/\s/g, "").toUpperCase())
  .refine((value) => isValidBIC(value), "is not a valid BIC");
const country = word(2)
  .transform((value) => value.toUpperCase())
  .refine((value) => /^[A-Z]{2}$/.test(value), "must be the two letters of a country");

/** Territories whose banks give IBANs of another country, by the country of the IBAN (ISO 13616). */
const IBAN_TERRITORIES: Record<string, string> = {
  FR: "BL GF GP MF MQ NC PF PM RE TF WF YT",
  GB: "GG IM JE",
  FI: "AX",
};

/** An account number without an IBAN needs one of these. */
const ROUTING = {
  routing_aba_number: word(9).regex(/^\d{9}$/, "must have 9 digits"),
  sort_code: word(8).regex(/^\d\d-?\d\d-?\d\d$/, "must have 6 digits"),
  bsb_code: word(7).regex(/^\d{3}-?\d{3}$/, "must have 6 digits"),
  transit_number: word(5).regex(/^\d{5}$/, "must have 5 digits"),
  swift_bic_code: bic,
};

const bank = z
  .object({
    bank_country: country,
    account_holder_name: line,
    iban: iban.optional(),
    account_number: word(34)
      .regex(/^[A-Za-z0-9 -]{4,34}$/, "is invalid")
      .optional(),
    ...z.object(ROUTING).partial().shape,
    institution_number: word(3)
      .regex(/^\d{3}$/, "must have 3 digits")
      .optional(),
    bank_name: line.optional(),
    address: line.optional(),
    city: line.optional(),
    postal_code: line.optional(),
    country: country.optional(),
  })
  .superRefine((given, context) => {
    const add = (name: string, message: string) =>
      context.addIssue({ code: "custom", path: [name], message });
    if (given.iban !== undefined) {
      const issuer = given.iban.slice(0, 2);
      const isOfCountry = [issuer, ...(IBAN_TERRITORIES[issuer] ?? "").split(" ")].includes(
        given.bank_country,
      );
      if (!isOfCountry) add("bank_country", `is not the country of the IBAN, which is ${issuer}`);
      return;
    }
    if (given.account_number === undefined) add("iban", "can't be blank");
    else if (Object.keys(ROUTING).every((name) => given[name as keyof typeof ROUTING] === undefined)) {
      add("swift_bic_code", "can't be blank");
    }
  });

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

/** The promoter's payout terms: the account's, unless the promoter has their own `net_payout_days`. */
export function ownTermsJson(account: Account, promoter: Promoter): z.output<typeof payoutTermsAnswer> {
  const netPayoutDays = promoter.netPayoutDays ?? account.netPayoutDays;
  return { ...payoutTermsJson({ ...account, netPayoutDays }), selected_payout_methods: OWN_METHOD_NAMES };
}
