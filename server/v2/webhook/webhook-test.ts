import { z } from "zod";
import { isV1EventType } from "../../domain/events/event-type.ts";
import { sendTestEvent, testMessage } from "../../domain/events/webhook/delivery.ts";
import { loadWebhook, newSecret, validSecrets, type Webhook } from "../../domain/events/webhook/webhook.ts";
import { Failure } from "../../failure.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import { webhookPosting } from "../../outgoing/post.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readPathId } from "../path-id.ts";
import { recordError } from "../record-error.ts";
import { postedJson } from "./event-json.ts";
import { deliveryAnswer, deliveryJson } from "./webhook-deliveries.ts";
import { eventType, testBody } from "./webhook-input.ts";
import { field } from "../../http/fields.ts";
import { webhookWithSecretAnswer } from "./webhook-json.ts";

/** Shorter than for deliveries, because a person waits for the answer. */
const TIMEOUT_SECONDS = 10;

/**
 * `POST /api/v2/company/webhooks/test`. It signs with the secrets of `webhook_id`. Without that, it makes a secret for
 * this one test and shows it as `secret_key`.
 *
 * @see docs/spec/v2.md "Operations beyond these"
 */
export const testWebhookOperation: V2Operation = {
  id: "testWebhook",
  summary: "Post a test event to an address",
  description:
    "Posts a test event to an address and shows its answer. The status is 200 even if the address refused.",
  body: testBody,
  answer: z
    .object({
      delivered: field(z.boolean(), "Whether your server has accepted the event."),
      response_code: field(z.int().nullable(), deliveryAnswer.shape.response_code),
      response_body: field(z.string().nullable(), deliveryAnswer.shape.response_body),
      error: field(z.string().nullable(), "Why the event was not delivered, or null if it was.", null),
      secret_key: field(z.string().nullable(), webhookWithSecretAnswer.shape.secret_key),
    })
    .meta({ id: "WebhookTest" }),
  refusals: ["not_found", "invalid", "rule_broken"],
  shape: recordError({}),
  handle: test,
};

const sendBody = z.object({ event_type: field(eventType.optional(), "What happened.", "referral.created") });

/** `POST /api/v2/company/webhooks/{id}/test` */
export const sendTestOperation: V2Operation = {
  id: "sendTestEvent",
  summary: "Send a test event to a webhook, like any other event",
  description:
    "Sends a test event to a webhook: signed, delivered and retried like any other, with `data: {test: true}`. Its type is the first that the webhook wants, unless you name another.",
  example: { event_type: "referral.created" },
  body: sendBody,
  answer: deliveryAnswer,
  status: 201,
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, account, context }) {
    const { event_type: type = null } = shapeInput(sendBody, await readJson(event));
    return deliveryJson(await sendTestEvent(context, account.id, { webhookId: readPathId(event), type }));
  },
};

async function test({ event, account, context, post }: V2Request) {
  const body = shapeInput(testBody, await readJson(event));
  const { store, now, chance } = context;
  const { webhook_id: id, event_type: type } = body;
  const webhook = id === undefined ? null : await loadWebhook(store, account.id, id);
  const ownSecret = newSecret(chance);
  const secrets = webhook === null ? [ownSecret] : validSecrets(webhook, now);
  const eventId = isV1EventType(type) ? "0" : chance.uuid();
  const receipt = await post(
    webhookPosting(
      { ...targetOf(body, webhook), timeoutSeconds: TIMEOUT_SECONDS, secrets },
      { eventId, type, body: JSON.stringify(postedJson(testMessage(eventId, type, now))), now },
    ),
  );
  if (receipt.isRefused) {
    throw new Failure("rule_broken", "The record breaks a rule", { url: [receipt.error ?? "is invalid"] });
  }
  return {
    delivered: receipt.error === null,
    response_code: receipt.status,
    response_body: receipt.body,
    error: receipt.error,
    secret_key: webhook === null ? ownSecret : null,
  };
}

/**
 * A webhook's headers and password are sent only to its own address, so that a test can't reveal them.
 */
function targetOf(body: z.output<typeof testBody>, webhook: Webhook | null) {
  if (body.url === undefined && webhook !== null) return webhook;
  return {
    url: body.url ?? "",
    headers: body.headers ?? {},
    basicAuthUser: body.basic_auth_user ?? null,
    basicAuthPassword: body.basic_auth_password ?? "",
  };
}
