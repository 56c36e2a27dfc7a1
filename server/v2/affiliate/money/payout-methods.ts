import { z } from "zod";
import {
  createPayoutMethod,
  removePayoutMethod,
  updatePayoutMethod,
} from "../../../domain/ledger/payout-method/changes.ts";
import {
  loadPayoutMethod,
  payoutMethods,
  type PayoutMethod,
} from "../../../domain/ledger/payout-method/payout-method.ts";
import { Failure } from "../../../failure.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { flag, oneOf, ownData } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { having } from "../../../resource/list.ts";
import { readPathId } from "../../../resource/listing.ts";
import { does, makes } from "../../../resource/operations.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import {
  bankFormsAnswer,
  bankFormsJson,
  currentMethods,
  payoutMethodAnswer,
} from "../../payout/payout-methods.ts";
import { payoutTermsAnswer } from "../../payout/payout-stats.ts";
import { ownTermsJson } from "./payouts.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { OWN_METHODS, OWN_METHOD_NAMES, shapeOwnDetails, type OwnMethod } from "./payout-details.ts";
import { field } from "../../../http/fields.ts";

const details = z.record(z.string(), z.unknown());
const createBody = z.object({
  method: field(oneOf(OWN_METHOD_NAMES), "Way of payment."),
  details: field(details.default({}), ownData),
  is_selected: field(flag.default(true), "Whether the promoter is paid this way."),
});
const updateBody = z.object({
  details: field(details, createBody.shape.details),
});

export const listOwnMethodsOperation: AffiliateOperation = {
  id: "listOwnPayoutMethods",
  summary: "List the promoter's payout methods",
  description: "Lists the ways in which the promoter can be paid.",
  params: currentMethods.params,
  answer: z.object({
    data: field(z.array(payoutMethodAnswer.schema), "The records."),
    meta: field(
      payoutTermsAnswer.pick({ selected_payout_methods: true, payout_method_options: true }),
      "Further data.",
    ),
  }),
  isPaged: true,
  async handle(request) {
    const { account, promoter, context } = request;
    const records = await currentMethods.read(request, having(payoutMethods, { promoter_id: promoter.id }));
    const { selected_payout_methods, payout_method_options } = ownTermsJson(account, promoter);
    return {
      data: await payoutMethodAnswer.showAll(context.store, records),
      meta: { selected_payout_methods, payout_method_options },
    };
  },
};

export const listBankFormsOperation: AffiliateOperation = {
  id: "listOwnBankForms",
  summary: "List what a bank account needs in each country",
  description:
    "Lists which details a payout method of the kind `bank` needs, by the country of the bank. An extension of Tidemark.",
  answer: bankFormsAnswer,
  handle: () => Promise.resolve(bankFormsJson()),
};

export const showOwnMethodOperation: AffiliateOperation = {
  id: "getOwnPayoutMethod",
  summary: "Show one of the promoter's payout methods",
  description: "Shows a payout method of the promoter.",
  answer: payoutMethodAnswer.schema,
  refusals: ["not_found"],
  handle: async (request) =>
    payoutMethodAnswer.json(await loadOwn(request.context.store, request, readPathId(request.event))),
};

/** The new method is selected. */
export const createOwnMethodOperation: AffiliateOperation = makes(payoutMethodAnswer, {
  id: "createOwnPayoutMethod",
  summary: "Add a payout method",
  description:
    "Adds a way to be paid. `bank` needs what `GET /bank_forms` lists for its country, or an IBAN; `paypal` needs `wallet_email`, `wise` `wise_email`, `crypto` `wallet_address` and `crypto_currency`.",
  example: { method: "paypal", details: { wallet_email: "jane@wallet.example" } },
  status: 200,
  body: createBody,
  refusals: ["invalid"],
  run: (tx, { promoter, context }, { method, details: given, is_selected }) =>
    createPayoutMethod(tx, context, {
      account_id: promoter.account_id,
      promoter_id: promoter.id,
      method,
      details: shapeOwnDetails(method, given),
      is_selected,
      is_disabled: false,
    }),
});

export const updateOwnMethodOperation: AffiliateOperation = {
  id: "updateOwnPayoutMethod",
  summary: "Change the details of a payout method",
  description:
    "Replaces the details of a payout method. Once a payout has used it, this makes a new method, with its own id.",
  example: { details: { wallet_email: "jane@wallet.example" } },
  body: updateBody,
  answer: payoutMethodAnswer.schema,
  refusals: ["not_found", "invalid", "refused"],
  async handle(request) {
    const { event, promoter, context } = request;
    const body = shapeInput(updateBody, await readJson(event));
    return context.store.transact(async (tx) => {
      const { id, method } = await loadOwn(tx, request, readPathId(event));
      if (!(method in OWN_METHODS)) throw new Failure("refused", "The company manages this payout method.");
      const given = shapeOwnDetails(method as OwnMethod, body.details);
      const change = () => ({ details: given });
      return payoutMethodAnswer.json(
        await updatePayoutMethod(tx, context, promoter.account_id, { id, change }),
      );
    });
  },
};

export const selectOwnMethodOperation: AffiliateOperation = does(payoutMethodAnswer, {
  id: "selectOwnPayoutMethod",
  summary: "Choose the payout method that is used",
  description: "Chooses the payout method that is used from now on.",
  refusals: ["not_found", "refused"],
  async run(tx, request, id) {
    await loadOwn(tx, request, id);
    const change = ({ is_disabled }: PayoutMethod) => {
      if (is_disabled) throw new Failure("refused", "The company has disabled this payout method.");
      return { is_selected: true };
    };
    return updatePayoutMethod(tx, request.context, request.promoter.account_id, { id, change });
  },
});

export const removeOwnMethodOperation: AffiliateOperation = {
  id: "deleteOwnPayoutMethod",
  summary: "Remove a payout method that was never used",
  description: "Removes a payout method that no payout has used.",
  answer: z.null(),
  status: 204,
  refusals: ["not_found", "in_use"],
  async handle(request) {
    const { event, promoter, context } = request;
    await context.store.transact(async (tx) => {
      const { id } = await loadOwn(tx, request, readPathId(event));
      await removePayoutMethod(tx, context, promoter.account_id, id);
    });
    return null;
  },
};

async function loadOwn(
  reader: Reader | Transaction,
  { promoter }: AffiliateRequest,
  id: number,
): Promise<PayoutMethod> {
  const method = await loadPayoutMethod(reader, promoter.account_id, id);
  if (method.promoter_id !== promoter.id) throw new Failure("not_found", "Payout method not found.");
  return method;
}
