import { z } from "zod";
import {
  createPayoutMethod,
  removePayoutMethod,
  updatePayoutMethod,
  listHolds,
  payoutHolds,
  releasePayouts,
  type PayoutMethodInput,
} from "../../domain/ledger/payout-method/changes.ts";
import {
  IS_CURRENT,
  loadPayoutMethod,
  PAYOUT_METHODS,
  payoutMethods,
  type PayoutMethod,
  type PayoutMethodName,
} from "../../domain/ledger/payout-method/payout-method.ts";
import { email, flag, id, oneOf, text } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeInput } from "../../input/shape.ts";
import { shown } from "../../resource/answer.ts";
import { having, listed } from "../../resource/list.ts";
import { makes, reads } from "../../resource/operations.ts";
import { belongingTo } from "../../storage/query.ts";
import { isOwnMethod, shapeOwnDetails } from "../affiliate/money/payout-details.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing, readPathId } from "../../resource/listing.ts";
import { field, message, recordId, second, wholeSecond } from "../../http/fields.ts";
import {
  BANK_FIELD_NAMES,
  BANK_FORMS,
  ELSEWHERE,
  type BankForm,
} from "../../domain/ledger/payout-method/bank-country.ts";
import { promoterName, promoters } from "../../domain/people/promoter/promoter.ts";

const SAME_WALLET = { path: ["paypal_email"], error: "is not the same as wallet_email" };

/**
 * An address with two names. Two different addresses are refused, because only one of them can be paid.
 */
const walletDetails = z
  .object({ wallet_email: email, paypal_email: email })
  .partial()
  .refine((given) => (given.wallet_email ?? given.paypal_email) !== undefined, {
    path: ["wallet_email"],
    error: "can't be blank",
  })
  .refine(
    ({ wallet_email: wallet, paypal_email: paypal = wallet }) => (wallet ?? paypal) === paypal,
    SAME_WALLET,
  );

const ownText = z.union([text, z.number().transform(String)], "is invalid").nullable();

const detail = (description: string, example: string | null = null) =>
  field(z.string().nullable(), description, example);

/** The details of a bank account. Each country needs different ones. */
const bankDetails = {
  bank_country: detail("Two-letter code of the bank's country."),
  account_holder_name: detail("Name of the account's holder."),
  account_holder_name_latin: detail(
    "The same in Latin letters or in kana, for banks that take no other letters.",
  ),
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

/** The documented details of all methods. `custom` and `dots` may have others. */
const details = {
  wallet_email: detail("E-mail address of the wallet that they are paid to.", "jane@wallet.example"),
  paypal_email: detail("Another name of `wallet_email`.", "jane@wallet.example"),
  ...bankDetails,
  wise_email: detail("E-mail address of the account at Wise."),
  wallet_address: detail("Address of the wallet."),
  crypto_currency: detail("Currency of the wallet."),
};
const DETAILS = Object.keys(details) as (keyof typeof details)[];

/** Details that the company chooses. Those with a documented name are text. */
const ownDetails = z
  .record(z.string(), z.unknown())
  .pipe(z.looseObject(Object.fromEntries(DETAILS.map((name) => [name, ownText]))).partial());
const BANK_DETAILS = Object.keys(bankDetails);

/**
 * The details of each method. A bank account needs only a country and a holder, because every country has its own
 * rules.
 */
const SHAPES: Record<PayoutMethodName, z.ZodType<Record<string, unknown>>> = {
  paypal: walletDetails,
  wise: z.object({ wise_email: email }),
  crypto: z.object({ wallet_address: text, crypto_currency: text }),
  bank: z
    .object(Object.fromEntries(BANK_DETAILS.map((name) => [name, text])))
    .partial()
    .required({ bank_country: true, account_holder_name: true }),
  custom: ownDetails,
  dots: ownDetails,
};

const methodBody = z.object({
  method: field(oneOf(PAYOUT_METHODS), "Way of payment."),
  promoter_id: field(id, "Id of the promoter.", 17),
  details: field(
    z.record(z.string(), z.unknown()).default({}),
    "Account or wallet that the money goes to. Each method has its own fields.",
    { wallet_email: "jane@wallet.example" },
  ),
  is_disabled: field(flag.optional(), "Whether it can't be used."),
  is_selected: field(flag.optional(), "Whether the promoter is paid this way."),
});
const createBody = methodBody.extend({
  checks_details: field(
    flag.optional(),
    "Whether the details are checked as strictly as those that promoters give themselves. Default: `false`. An extension of Tidemark.",
  ),
});
const updateBody = methodBody
  .extend({
    details: field(methodBody.shape.details.unwrap(), methodBody.shape.details),
  })
  .partial();
const listQuery = pageParams.extend({
  filters: field(
    z.object({ promoter_id: field(id, "Id of the promoter.", 17) }, "is missing"),
    "Only records that match.",
  ),
});

const detailsAnswer = z.looseObject(details).meta({ id: "PayoutMethodDetails" });

/** @see docs/spec/v2.md "Payout method" */
export const payoutMethodAnswer = shown(payoutMethods)("PayoutMethod", {
  id: recordId,
  method: field(z.enum(PAYOUT_METHODS), "Way of payment."),
  date_added: [
    field(second, "When the payout method was added."),
    ({ created_at }) => wholeSecond(created_at),
  ],
  is_disabled: field(z.boolean(), "Whether it can't be used."),
  meta: field(z.record(z.string(), z.unknown()), "Further data.", {}),
  is_selected: field(z.boolean(), "Whether the promoter is paid this way."),
  details: [
    field(
      detailsAnswer,
      "Account or wallet that the money goes to. Each method has its own fields; the others are null.",
    ),
    detailsJson,
  ],
  managed_payouts: [
    field(z.boolean(), "Whether the provider pays the promoter automatically."),
    ({ is_managed }) => is_managed,
  ],
});

/** A promoter's payout methods, oldest first. */
export const currentMethods = listed(payoutMethods, { only: IS_CURRENT })();

export const listPayoutMethodsOperation: V2Operation = {
  id: "listPayoutMethods",
  summary: "List the payout methods of a promoter",
  description: "Lists the payout methods of one promoter.",
  params: listQuery,
  answer: z.array(payoutMethodAnswer.schema),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request: V2Request) {
    const { account, context } = request;
    const { params, page, window } = readListing(request, listQuery);
    const where = having(payoutMethods, params.filters);
    const found = await currentMethods.find(context.store, account.id, { where, ...window });
    setPageHeaders(request, page, found.total);
    return payoutMethodAnswer.showAll(context.store, found.records);
  },
};

export const createPayoutMethodOperation: V2Operation = makes(payoutMethodAnswer, {
  id: "createPayoutMethod",
  summary: "Give a promoter a payout method",
  description: "Adds a payout method for a promoter.",
  example: {
    promoter_id: 17,
    method: "paypal",
    details: { wallet_email: "jane@wallet.example" },
    is_selected: true,
  },
  status: 200,
  body: createBody,
  refusals: ["not_found", "invalid", "refused"],
  run: (tx, { account, context }, { checks_details: isChecked, ...body }) => {
    const { method, details, is_selected = false, is_disabled = false } = body;
    const shaped =
      isChecked && isOwnMethod(method) ? shapeOwnDetails(method, details) : shapeDetails(method, details);
    const given = { ...body, details: shaped, is_selected, is_disabled };
    return createPayoutMethod(tx, context, { ...given, account_id: account.id });
  },
});

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

export const bankFormsOperation: V2Operation = {
  id: "listBankForms",
  summary: "List what a bank account needs in each country",
  description:
    "Lists which details promoters must give of a bank account, by the country of the bank. For your own requests, the country and the holder are enough. An extension of Tidemark.",
  answer: bankFormsAnswer,
  handle: () => Promise.resolve(bankFormsJson()),
};

export const getPayoutMethodOperation: V2Operation = reads(payoutMethodAnswer, {
  id: "getPayoutMethod",
  summary: "Get a payout method",
  description: "Finds one payout method.",
  load: loadPayoutMethod,
});

export const updatePayoutMethodOperation: V2Operation = {
  id: "updatePayoutMethod",
  summary: "Change a payout method",
  description:
    "Changes a payout method. What you leave out stays. Once a payout has used it, other details make a new method, with its own id.",
  example: { is_selected: true },
  body: updateBody,
  answer: payoutMethodAnswer.schema,
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, account, context }: V2Request) {
    const body = shapeInput(updateBody, await readJson(event));
    const change = (known: PayoutMethod): Partial<PayoutMethodInput> => {
      const method = body.method ?? known.method;
      const isAnother = method !== known.method;
      const details = body.details ?? (isAnother ? {} : undefined);
      return {
        method,
        details: details === undefined ? known.details : shapeDetails(method, details),
        is_selected: body.is_selected ?? known.is_selected,
        is_disabled: body.is_disabled ?? known.is_disabled,
      };
    };
    const given = { id: readPathId(event), change };
    return context.store.transact(async (tx) =>
      payoutMethodAnswer.json(await updatePayoutMethod(tx, context, account.id, given)),
    );
  },
};

export const removePayoutMethodOperation: V2Operation = {
  id: "deletePayoutMethod",
  summary: "Remove a payout method that was never used",
  description: "Removes a payout method that no payout was paid by.",
  answer: z.object({
    message,
  }),
  refusals: ["not_found", "in_use"],
  async handle({ event, account, context }: V2Request) {
    const id = readPathId(event);
    await context.store.transact((tx) => removePayoutMethod(tx, context, account.id, id));
    return { message: "Payout method deleted" };
  },
};

function shapeDetails(method: PayoutMethodName, given: Record<string, unknown>): Record<string, unknown> {
  const { details } = shapeInput(z.object({ details: SHAPES[method] }), { details: given });
  return method === "paypal" ? { wallet_email: details["wallet_email"] ?? details["paypal_email"] } : details;
}

/** Which details a bank account needs, by country. */
export function bankFormsJson(): z.output<typeof bankFormsAnswer> {
  const countries = Object.entries(BANK_FORMS).map(([country, form]) => [country, formJson(form)]);
  return { countries: Object.fromEntries(countries), elsewhere: formJson(ELSEWHERE) };
}

function formJson({ required, optional }: BankForm): z.output<typeof bankForm> {
  return { required: [...required], optional: [...optional] };
}

/** The details of a method whose details are hidden. */
export const NO_DETAILS = Object.fromEntries(DETAILS.map((name) => [name, null])) as Record<
  keyof typeof details,
  null
>;

/** Shows the wallet's address under both names, because clients read either. */
function detailsJson({ method, details: given }: PayoutMethod): z.output<typeof detailsAnswer> {
  const all = { ...NO_DETAILS, ...given };
  return method === "paypal" ? { ...all, paypal_email: all.wallet_email } : all;
}

const promoterOf = belongingTo(payoutHolds, { promoter: [promoters, "promoter_id"] });

/** A promoter may be deleted between the two reads. */
const holdAnswer = shown(payoutHolds, promoterOf)("PayoutHold", {
  promoter_id: field(z.int(), "Id of the promoter.", 17),
  name: [
    field(z.string(), "Name of the promoter.", "Jane Doe"),
    (_, { promoter }) => (promoter === null ? "" : promoterName(promoter)),
  ],
  email: [
    field(z.string(), "E-mail address of the promoter.", "jane@example.com"),
    (_, { promoter }) => promoter?.email ?? "",
  ],
  changed_at: field(z.iso.datetime(), "When the payout method was changed."),
  held_at: field(z.iso.datetime(), "When the promoter has said that someone else did it."),
});

export const listPayoutHoldsOperation: V2Operation = {
  id: "listPayoutHolds",
  summary: "List promoters whose payouts are held",
  description:
    "Lists the promoters who say that someone else has changed their payout method, at most a hundred, the longest held first. They are not paid. An extension of Tidemark.",
  answer: z.array(holdAnswer.schema),
  handle: async ({ account, context: { store } }) =>
    holdAnswer.showAll(store, await listHolds(store, account.id)),
};

export const releasePayoutsOperation: V2Operation = {
  id: "releasePayouts",
  summary: "Pay a promoter again whose payouts are held",
  description:
    "Ends the hold of a promoter who had said that someone else changed the payout method. Speak with them first, and look at the method. The same link can't hold the payouts again. An extension of Tidemark.",
  answer: z.object({ message }),
  refusals: ["not_found"],
  async handle({ event, account, context }: V2Request) {
    const id = readPathId(event);
    await context.store.transact((tx) => releasePayouts(tx, context, account.id, id));
    return { message: "Payouts released" };
  },
};
