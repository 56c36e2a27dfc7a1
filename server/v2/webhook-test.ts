import { z } from "zod";
import { newSecret } from "../domain/webhook.ts";
import { Failure } from "../failure.ts";
import { readJson } from "../http/json.ts";
import { shapeInput } from "../http/shape.ts";
import { webhookPosting } from "../outgoing/webhook-posting.ts";
import type { V2Operation, V2Request } from "./operation.ts";
import { testBody } from "./webhook-input.ts";

/** Shorter than for deliveries: somebody waits for the answer. */
const TIMEOUT_SECONDS = 10;

/**
 * `POST /api/v2/company/webhooks/test`. Choice: answers 200 with what the endpoint said, also where
 * that is no success, as it is what the test is for; `secret_key` signed this one test.
 */
export const testWebhookOperation: V2Operation = {
  summary: "Post a test event to an address",
  body: testBody,
  answer: z
    .object({
      delivered: z.boolean(),
      response_code: z.int().nullable(),
      response_body: z.string().nullable(),
      error: z.string().nullable(),
      secret_key: z.string(),
    })
    .meta({ id: "WebhookTest" }),
  refusals: ["invalid", "rule_broken"],
  handle: test,
};

async function test({ event, context, post }: V2Request) {
  const body = shapeInput(testBody, await readJson(event));
  const { now, chance } = context;
  const secret = newSecret(chance);
  const eventId = chance.uuid();
  const { event_type: type, basic_auth_user: user = null, basic_auth_password: password = null } = body;
  const posting = webhookPosting(
    {
      url: body.url,
      timeoutSeconds: TIMEOUT_SECONDS,
      headers: body.headers ?? {},
      basicAuthUser: user,
      basicAuthPassword: password ?? "",
      secrets: [secret],
    },
    { eventId, type, body: JSON.stringify(testEvent(eventId, type, now)), now },
  );
  const receipt = await post(posting);
  if (receipt.isRefused) {
    throw new Failure("rule_broken", "The record breaks a rule", { url: [receipt.error ?? "is invalid"] });
  }
  return {
    delivered: receipt.error === null,
    response_code: receipt.status,
    response_body: receipt.body,
    error: receipt.error,
    secret_key: secret,
  };
}

/** @see observed-service, part 5.2, test */
function testEvent(eventId: string, type: string, now: Date) {
  const [entity, name = ""] = type.split(/\.(.*)/);
  return {
    event_id: eventId,
    event_type: type,
    action: name === "created" || name === "deleted" ? name : "updated",
    entity_type: entity,
    entity_id: 0,
    changes: {},
    data: { test: true },
    timestamp: now.toISOString(),
  };
}
