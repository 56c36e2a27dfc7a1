import { z } from "zod";
import {
  connectPayments,
  disconnectPayments,
  listPaymentConnections,
  PAYMENT_PROVIDERS,
  setFeeRule,
  type PaymentConnection,
} from "../../domain/ledger/payment/connection.ts";
import { createdAt, field } from "../../http/fields.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import { oneOf, tenThousandths, text, wholeAmount } from "../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import { paymentHookPath } from "../../payments/hook.ts";
import type { V2Operation, V2Request } from "../operation.ts";

/** Credentials have no blanks. One that was copied with a blank would fail for every payment. */
const credential = text.trim().regex(/^[\x21-\x7e]+$/, "is invalid");

/** Signing secrets, or a key in PEM. */
const eventKey = text.trim().regex(/^[\x20-\x7e\r\n]+$/, "is invalid");

const connectBody = z.object({
  provider: field(oneOf(PAYMENT_PROVIDERS), "Provider that pays promoters."),
  client_id: field(
    credential.nullable().optional(),
    "PayPal: the client id of your app. Others need none.",
    "AeA1QIZXiflr1_-r0U2UbWTziOWX1GRQer5jkUq4ZfWT5qwb6qQRPq7jDtv57TL4POEEezGLdutcxnkJ",
  ),
  campaign_id: field(
    credential.nullable().optional(),
    "Tremendous: the campaign that chooses the gift cards. Others need none.",
    "ABC123DEF456",
  ),
  profile_id: field(
    credential.nullable().optional(),
    "Wise: the id of the profile that pays. Others need none.",
    "12345678",
  ),
  secret: field(credential, "The secret of your app. It is kept encrypted and never shown.", "EMxb8vLk2fX1"),
  webhook_id: field(
    credential.nullable().optional(),
    "PayPal: its id of the webhook that it sends events to, or null if the server polls PayPal instead.",
    "1JE4291016473214C",
  ),
  webhook_key: field(
    eventKey.nullable().optional(),
    "The key that shows whether an event is the provider's. Stripe: the signing secrets of the endpoints, separated by blanks. Tremendous: the private key of the webhook. Wise: a public key in PEM, or null for the one that Wise publishes. It is kept encrypted and never shown.",
    "whsec_5b1c2f",
  ),
});

const feeRule = z.object({
  percent: field(z.number(), "Percentage of the amount.", 2),
  fixed: field(z.int(), "Fixed part, in the minor unit of the account's currency.", 0),
  max: field(
    z.int().nullable(),
    "The most that it charges for a payment, in the minor unit, or null if there is no limit.",
    100,
  ),
});

const MOST_CENTS = 1_000_000;
const feeCents = wholeAmount
  .refine((value) => value >= 0 && value <= MOST_CENTS, `must be from 0 to ${MOST_CENTS}`)
  .meta({ documentedAs: { type: "integer", minimum: 0, maximum: MOST_CENTS } });

const feeInput = z.object({
  percent: field(
    tenThousandths
      .refine((value) => value <= 100 * 10_000, "must be from 0 to 100")
      .meta({ documentedAs: { type: "number", minimum: 0, maximum: 100 } }),
    feeRule.shape.percent,
  ),
  fixed: field(feeCents, feeRule.shape.fixed),
  max: field(feeCents.nullable(), feeRule.shape.max),
});

const feeBody = z.object({
  provider: field(oneOf(PAYMENT_PROVIDERS), "Provider that pays promoters."),
  fee_rule: field(feeInput.nullable(), "What it charges for a payment. Null: unknown."),
});

const connectionAnswer = z
  .object({
    provider: field(z.enum(PAYMENT_PROVIDERS), "Provider that pays promoters."),
    client_id: field(
      z.string().nullable(),
      "PayPal: the client id of your app. Null for other providers.",
      "AeA1QIZXiflr1",
    ),
    campaign_id: field(
      z.string().nullable(),
      "Tremendous: the campaign that chooses the gift cards. Null for other providers.",
      null,
    ),
    profile_id: field(
      z.string().nullable(),
      "Wise: the id of the profile that pays. Null for other providers.",
      null,
    ),
    webhook_id: field(
      z.string().nullable(),
      "PayPal: its id of the webhook that it sends events to. Null for other providers, or if there is none.",
      "1JE4291016473214C",
    ),
    fee_rule: field(
      feeRule.nullable(),
      "What the provider charges for a payment, as you know it, or null if it was not set.",
      null,
    ),
    has_webhook_key: field(z.boolean(), "Whether a key for events is set.", false),
    endpoint: field(
      z.url(),
      "Address that the provider posts its events to.",
      "https://track.acme.example/hooks/payments/paypal/acme",
    ),
    created_at: createdAt,
  })
  .meta({ id: "PaymentConnection" });

const disconnectParams = z.object({
  provider: field(oneOf(PAYMENT_PROVIDERS), "Provider whose credentials are deleted."),
});

export const listPaymentConnectionsOperation: V2Operation = {
  id: "listPaymentConnections",
  summary: "List the connections with payment providers",
  description: "Lists the providers that the account pays promoters by. An extension of Tidemark.",
  answer: z.array(connectionAnswer),
  handle: async (request) =>
    (await listPaymentConnections(request.context.store, request.account.id)).map((connection) =>
      connectionJson(request, connection),
    ),
};

/** No answer shows the secret. */
export const connectPaymentsOperation: V2Operation = {
  id: "connectPayments",
  summary: "Connect the account with a payment provider",
  description:
    "Pays promoters by a provider from now on, or replaces its credentials. The secret is kept encrypted with the key in `TIDEMARK_SECRET_FILE`. An extension of Tidemark.",
  example: { provider: "paypal", client_id: "AeA1QIZXiflr1", secret: "EMxb8vLk2fX1" },
  body: connectBody,
  answer: connectionAnswer,
  refusals: ["invalid", "refused"],
  handle: async (request) => {
    const { event, account, context, seal } = request;
    const given = shapeChanges(connectBody, await readJson(event));
    const { provider, client_id, campaign_id, profile_id, secret, webhook_id, webhook_key } = given;
    const input = {
      seal,
      provider,
      client_id,
      campaign_id,
      profile_id,
      secret,
      webhook_id,
      webhookKey: webhook_key,
    };
    return context.store.transact(async (tx) =>
      connectionJson(request, await connectPayments(tx, context, account.id, input)),
    );
  },
};

export const setFeeRuleOperation: V2Operation = {
  id: "setPaymentFeeRule",
  summary: "Set what a payment provider charges",
  description:
    "Sets the rule that fees are estimated by before payments are sent, if the provider has no quotes. An extension of Tidemark.",
  example: { provider: "paypal", fee_rule: { percent: 2, fixed: 0, max: 100 } },
  body: feeBody,
  answer: connectionAnswer,
  refusals: ["not_found", "invalid"],
  handle: async (request) => {
    const { event, account, context } = request;
    const { provider, fee_rule: rule } = shapeChanges(feeBody, await readJson(event));
    const set = { provider, fee_rule: rule && { ...rule, percent: rule.percent / 10_000 } };
    return context.store.transact(async (tx) =>
      connectionJson(request, await setFeeRule(tx, account.id, set)),
    );
  },
};

export const disconnectPaymentsOperation: V2Operation = {
  id: "disconnectPayments",
  summary: "Delete the credentials of a payment provider",
  description:
    "Deletes the credentials of a provider. The server stops polling payments that are under way; you must decide about them. An extension of Tidemark.",
  params: disconnectParams,
  answer: connectionAnswer,
  refusals: ["not_found", "invalid"],
  handle: async (request) => {
    const { event, account, context } = request;
    const { provider } = shapeInput(disconnectParams, readNestedQuery(event));
    return context.store.transact(async (tx) =>
      connectionJson(request, await disconnectPayments(tx, account.id, provider)),
    );
  },
};

function connectionJson(
  { account, public_url }: V2Request,
  connection: PaymentConnection,
): z.output<typeof connectionAnswer> {
  const { provider, client_id, campaign_id, profile_id, webhook_id, created_at: at } = connection;
  const rule = connection.fee_rule ?? null;
  return {
    provider,
    client_id,
    campaign_id,
    profile_id,
    webhook_id,
    fee_rule: rule && { percent: rule.percent, fixed: rule.fixed, max: rule.max },
    has_webhook_key: (connection.sealed_webhook_key ?? null) !== null,
    endpoint: public_url + paymentHookPath(provider, account.public_id),
    created_at: at,
  };
}
