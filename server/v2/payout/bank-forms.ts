import { z } from "zod";
import {
  BANK_FIELD_NAMES,
  BANK_FORMS,
  ELSEWHERE,
  type BankForm,
} from "../../domain/ledger/payout-method/bank-country.ts";
import { field } from "../../http/fields.ts";

const names = z.array(z.enum(BANK_FIELD_NAMES));
const bankForm = z
  .object({
    required: field(names, "Details that an account there needs, unless its IBAN is given.", ["iban"]),
    optional: field(names, "Details that banks there may want.", ["swift_bic_code"]),
  })
  .meta({ id: "BankForm" });

export const bankFormsAnswer = z.object({
  countries: field(z.record(z.string(), bankForm), "The form of each country, by its two letters.", {
    NL: { required: ["iban"], optional: ["swift_bic_code"] },
  }),
  elsewhere: field(bankForm, "The form of all other countries."),
});

/** Which details a bank account needs, by country. */
export function bankFormsJson(): z.output<typeof bankFormsAnswer> {
  const countries = Object.entries(BANK_FORMS).map(([country, form]) => [country, formJson(form)]);
  return { countries: Object.fromEntries(countries), elsewhere: formJson(ELSEWHERE) };
}

function formJson({ required, optional }: BankForm): z.output<typeof bankForm> {
  return { required: [...required], optional: [...optional] };
}
