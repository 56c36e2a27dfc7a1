import { z } from "zod";
import { bankAccountOf, changeBankAccount } from "../../domain/program/account/settings.ts";
import type { Account } from "../../domain/program/account/account.ts";
import { field } from "../../http/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { oneOf, word } from "../../input/fields.ts";
import { shapeChanges } from "../../input/shape.ts";
import type { V2Operation } from "../operation.ts";

const CHARACTER_SETS = ["utf-8"] as const;

/** Blank fields of a form are not set. */
const part = (length: number) =>
  word(length)
    .transform((value) => value || null)
    .nullable();

const bankBody = z
  .object({
    name: field(part(70), "Name of the account's holder, or null for the account's name.", "Acme Ltd"),
    iban: field(part(42), "The account that `sepa` and `pain001` files pay from.", "NL91ABNA0417164300"),
    bic: field(part(20), "The BIC of its bank, or null if the bank needs none.", "ABNANL2A"),
    street: field(part(70), "Street and number of the holder.", "Keizersgracht 1"),
    postal_code: field(part(16), "Postal code of the holder.", "1015 CJ"),
    city: field(part(35), "City of the holder.", "Amsterdam"),
    country: field(part(2), "Two-letter code of the holder's country.", "NL"),
    routing_number: field(
      part(11),
      "ABA routing number of the bank in the United States that gets `nacha` files.",
      "091000019",
    ),
    bank_name: field(part(23), "Name of that bank.", "Wells Fargo"),
    company_id: field(
      part(12),
      "The id that this bank gave you for ACH files, usually a digit and your tax number.",
      "1123456789",
    ),
    character_set: field(
      z
        .preprocess((value) => (value === "" ? null : value), oneOf(CHARACTER_SETS).nullable())
        .meta({ documentedAs: { type: ["string", "null"], enum: [...CHARACTER_SETS, null] } }),
      "`utf-8` if your bank takes names in all alphabets in `sepa` and `pain001` files. Null: only the Latin letters that all banks take.",
      null,
    ),
  })
  .partial();

const shape = bankBody.shape;
const bankAnswer = z
  .object({
    name: field(z.string().nullable(), shape.name),
    iban: field(z.string().nullable(), shape.iban),
    bic: field(z.string().nullable(), shape.bic),
    street: field(z.string().nullable(), shape.street),
    postal_code: field(z.string().nullable(), shape.postal_code),
    city: field(z.string().nullable(), shape.city),
    country: field(z.string().nullable(), shape.country),
    routing_number: field(z.string().nullable(), shape.routing_number),
    bank_name: field(z.string().nullable(), shape.bank_name),
    company_id: field(z.string().nullable(), shape.company_id),
    character_set: field(z.enum(CHARACTER_SETS).nullable(), shape.character_set),
  })
  .meta({ id: "BankAccount" });

export const showBankAccountOperation: V2Operation = {
  id: "getBankAccount",
  summary: "Show your own bank account",
  description: "Shows the bank account that payment files pay from. An extension of Tidemark.",
  answer: bankAnswer,
  handle: ({ account }) => Promise.resolve(bankJson(account)),
};

export const changeBankAccountOperation: V2Operation = {
  id: "changeBankAccount",
  summary: "Change your own bank account",
  description:
    "Changes the bank account that payment files pay from. What you leave out stays, and null removes a field. Files that were made stay as they are. An extension of Tidemark.",
  example: { name: "Acme Ltd", iban: "NL91ABNA0417164300", bic: "ABNANL2A" },
  body: bankBody,
  answer: bankAnswer,
  refusals: ["invalid"],
  async handle({ event, account, context }) {
    const body = shapeChanges(bankBody, await readJson(event));
    return bankJson(await context.store.transact((tx) => changeBankAccount(tx, account.id, body)));
  },
};

function bankJson(account: Account): z.output<typeof bankAnswer> {
  const bank = bankAccountOf(account);
  return {
    name: bank.name,
    iban: bank.iban,
    bic: bank.bic,
    street: bank.street,
    postal_code: bank.postal_code,
    city: bank.city,
    country: bank.country,
    routing_number: bank.routing_number,
    bank_name: bank.bank_name,
    company_id: bank.company_id,
    character_set: bank.character_set,
  };
}
