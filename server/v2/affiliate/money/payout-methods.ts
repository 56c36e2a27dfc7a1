import { z } from "zod";
import {
  createPayoutMethod,
  removePayoutMethod,
  updatePayoutMethod,
} from "../../../domain/ledger/payout-method/changes.ts";
import {
  findPayoutMethods,
  loadPayoutMethod,
  type PayoutMethod,
} from "../../../domain/ledger/payout-method/payout-method.ts";
import { Failure } from "../../../failure.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { flag, oneOf, ownData } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { pageParams, readListing, readPathId } from "../../../resource/listing.ts";
import {
  bankFormsAnswer,
  bankFormsJson,
  payoutMethodAnswer,
  payoutMethodJson,
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

/** `GET /api/v2/affiliate/payout_methods` */
export const listOwnMethodsOperation: AffiliateOperation = {
  id: "listOwnPayoutMethods",
  summary: "List the promoter's payout methods",
  description: "Lists the ways in which the promoter can be paid.",
  params: pageParams,
  answer: z.object({
    data: field(z.array(payoutMethodAnswer), "The records."),
    meta: field(
      payoutTermsAnswer.pick({ selected_payout_methods: true, payout_method_options: true }),
      "Further data.",
    ),
  }),
  isPaged: true,
  async handle(request) {
    const { account, promoter, context } = request;
    const { page, window } = readListing(request, pageParams);
    const found = await findPayoutMethods(context.store, promoter.account_id, {
      promoter_id: promoter.id,
      ...window,
    });
    setPageHeaders(request, page, found.total);
    const { selected_payout_methods, payout_method_options } = ownTermsJson(account, promoter);
    return {
      data: found.records.map(payoutMethodJson),
      meta: { selected_payout_methods, payout_method_options },
    };
  },
};

/** `GET /api/v2/affiliate/bank_forms` */
export const listBankFormsOperation: AffiliateOperation = {
  id: "listOwnBankForms",
  summary: "List what a bank account needs in each country",
  description:
    "Lists which details a payout method of the kind `bank` needs, by the country of the bank. An extension of Tidemark.",
  answer: bankFormsAnswer,
  handle: () => Promise.resolve(bankFormsJson()),
};

/** `GET /api/v2/affiliate/payout_methods/{id}` */
export const showOwnMethodOperation: AffiliateOperation = {
  id: "getOwnPayoutMethod",
  summary: "Show one of the promoter's payout methods",
  description: "Shows a payout method of the promoter.",
  answer: payoutMethodAnswer,
  refusals: ["not_found"],
  handle: async (request) => payoutMethodJson(await loadOwn(request)),
};

/** `POST /api/v2/affiliate/payout_methods`. The new method is selected. */
export const createOwnMethodOperation: AffiliateOperation = {
  id: "createOwnPayoutMethod",
  summary: "Add a payout method",
  description:
    "Adds a way to be paid. `bank` needs what `GET /bank_forms` lists for its country, or an IBAN; `paypal` needs `wallet_email`, `wise` `wise_email`, `crypto` `wallet_address` and `crypto_currency`.",
  example: { method: "paypal", details: { wallet_email: "jane@wallet.example" } },
  body: createBody,
  answer: payoutMethodAnswer,
  refusals: ["invalid"],
  async handle({ event, promoter, context }) {
    const body = shapeInput(createBody, await readJson(event));
    const created = await createPayoutMethod(context, promoter.account_id, {
      promoter_id: promoter.id,
      method: body.method,
      details: shapeOwnDetails(body.method, body.details),
      is_selected: body.is_selected,
      is_disabled: false,
    });
    return payoutMethodJson(created);
  },
};

/** `PUT /api/v2/affiliate/payout_methods/{id}` */
export const updateOwnMethodOperation: AffiliateOperation = {
  id: "updateOwnPayoutMethod",
  summary: "Change the details of a payout method",
  description:
    "Replaces the details of a payout method. Once a payout has used it, this makes a new method, with its own id.",
  example: { details: { wallet_email: "jane@wallet.example" } },
  body: updateBody,
  answer: payoutMethodAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle(request) {
    const { event, promoter, context } = request;
    const body = shapeInput(updateBody, await readJson(event));
    const { id, method } = await loadOwn(request);
    if (!(method in OWN_METHODS)) throw new Failure("refused", "The company manages this payout method.");
    const given = shapeOwnDetails(method as OwnMethod, body.details);
    return payoutMethodJson(
      await updatePayoutMethod(context, promoter.account_id, { id, change: () => ({ details: given }) }),
    );
  },
};

/** `POST /api/v2/affiliate/payout_methods/{id}/select` */
export const selectOwnMethodOperation: AffiliateOperation = {
  id: "selectOwnPayoutMethod",
  summary: "Choose the payout method that is used",
  description: "Chooses the payout method that is used from now on.",
  answer: payoutMethodAnswer,
  refusals: ["not_found", "refused"],
  async handle(request) {
    const { promoter, context } = request;
    const { id } = await loadOwn(request);
    const change = ({ is_disabled }: PayoutMethod) => {
      if (is_disabled) throw new Failure("refused", "The company has disabled this payout method.");
      return { is_selected: true };
    };
    return payoutMethodJson(await updatePayoutMethod(context, promoter.account_id, { id, change }));
  },
};

/** `DELETE /api/v2/affiliate/payout_methods/{id}` */
export const removeOwnMethodOperation: AffiliateOperation = {
  id: "deleteOwnPayoutMethod",
  summary: "Remove a payout method that was never used",
  description: "Removes a payout method that no payout has used.",
  answer: z.null(),
  status: 204,
  refusals: ["not_found", "in_use"],
  async handle(request) {
    const { id } = await loadOwn(request);
    await removePayoutMethod(request.context, request.promoter.account_id, id);
    return null;
  },
};

async function loadOwn({ event, promoter, context }: AffiliateRequest): Promise<PayoutMethod> {
  const method = await loadPayoutMethod(context.store, promoter.account_id, readPathId(event));
  if (method.promoter_id !== promoter.id) throw new Failure("not_found", "Payout method not found.");
  return method;
}
