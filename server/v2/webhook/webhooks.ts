import { z } from "zod";
import { emailsOf } from "../../domain/program/campaign/campaign.ts";
import { EVENT_FORMATS, EVENT_TYPES, V1_EVENT_TYPES } from "../../domain/events/event-type.ts";
import {
  createWebhook,
  deleteWebhook,
  findWebhooks,
  loadWebhook,
  rotateSecret,
  updateWebhook,
} from "../../domain/events/webhook/webhook.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import { oneOf } from "../../input/fields.ts";
import { readPathId } from "../path-id.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, setPageHeaders } from "../../http/pages.ts";
import { readListing } from "../page-params.ts";
import { seesPayoutDetails } from "../payout/masked-details.ts";
import { recordError } from "../record-error.ts";
import { createBody, inputOf, refusePrivate, updateBody } from "./webhook-input.ts";
import {
  webhookAnswer,
  webhookJson,
  webhookWithSecretAnswer,
  webhookWithSecretJson,
} from "./webhook-json.ts";
import { field } from "../../http/fields.ts";

/** @see docs/spec/common.md "Pages" */
export const WEBHOOK_PAGES = { usual: 25, most: 100 };
/** The parameters of the lists of webhooks and deliveries. */
export const webhookPageParams = pageParams(WEBHOOK_PAGES);

const shape = recordError({ basicAuthPassword: "basic_auth_password", eventTypes: "event_types" });

/** `GET /api/v2/company/webhooks` */
export const listWebhooksOperation: V2Operation = {
  id: "listWebhooks",
  summary: "List webhooks, newest first",
  description: "Lists webhooks, newest first.",
  params: webhookPageParams,
  answer: z.array(webhookAnswer),
  isPaged: true,
  handle: list,
};

/** `POST /api/v2/company/webhooks`. Only this answer and that of a rotation show `secret_key`. */
export const createWebhookOperation: V2Operation = {
  id: "createWebhook",
  summary: "Create a webhook",
  description:
    "Adds an address that events are posted to. Only this answer contains the signing key. Events of payouts and payout methods have bank details, so only owners and keys may ask for them.",
  body: createBody,
  answer: webhookWithSecretAnswer,
  status: 201,
  refusals: ["invalid", "refused"],
  shape,
  handle: async ({ event, account, caller, context, post }) => {
    const body = shapeInput(createBody, await readJson(event));
    refusePrivate(post, body);
    const input = { ...inputOf(body), url: body.url, eventTypes: body.event_types };
    const seesDetails = seesPayoutDetails(caller);
    const webhook = await createWebhook(context, account.id, { ...input, emailsOf, seesDetails });
    return webhookWithSecretJson(webhook);
  },
};

const typeParams = z.object({
  format: field(
    oneOf(EVENT_FORMATS).default("v2"),
    "Form of the events whose types are listed. Default: `v2`.",
    "v2",
  ),
});

/** `GET /api/v2/company/webhooks/event_types`. `format` is an addition. */
export const listEventTypesOperation: V2Operation = {
  id: "listEventTypes",
  summary: "List the types of events",
  description: "Lists the types of events that a webhook can subscribe to.",
  params: typeParams,
  answer: z.object({ data: field(z.array(z.string()), "The types of events.", ["referral.created"]) }),
  refusals: ["invalid"],
  handle: async ({ event }) => {
    const { format } = shapeInput(typeParams, readQuery(event));
    return { data: format === "v1" ? V1_EVENT_TYPES : EVENT_TYPES };
  },
};

/** `GET /api/v2/company/webhooks/{id}` */
export const getWebhookOperation: V2Operation = {
  id: "getWebhook",
  summary: "Get a webhook",
  description: "Finds one webhook.",
  answer: webhookAnswer,
  refusals: ["not_found", "invalid"],
  handle: async ({ event, account, context }) =>
    webhookJson(await loadWebhook(context.store, account.id, readPathId(event))),
};

/** `PUT` and `PATCH /api/v2/company/webhooks/{id}` */
export const updateWebhookOperation: V2Operation = {
  id: "updateWebhook",
  summary: "Update a webhook",
  description: "Changes a webhook. What you leave out stays.",
  example: { active: false },
  body: updateBody,
  answer: webhookAnswer,
  refusals: ["not_found", "invalid"],
  shape,
  handle: async ({ event, account, caller, context, post }) => {
    const id = readPathId(event);
    const body = shapeChanges(updateBody, await readJson(event));
    refusePrivate(post, body);
    const given = { id, changes: inputOf(body), emailsOf, seesDetails: seesPayoutDetails(caller) };
    return webhookJson(await updateWebhook(context, account.id, given));
  },
};

/** `DELETE /api/v2/company/webhooks/{id}`. Answers with the deleted webhook. */
export const deleteWebhookOperation: V2Operation = {
  id: "deleteWebhook",
  summary: "Delete a webhook",
  description: "Removes a webhook. Its waiting events are not sent.",
  answer: webhookAnswer,
  refusals: ["not_found", "invalid"],
  handle: async ({ event, account, context }) =>
    webhookJson(await deleteWebhook(context, account.id, { id: readPathId(event), emailsOf })),
};

/**
 * `POST /api/v2/company/webhooks/{id}/rotate_secret`. The original API can't replace a secret.
 */
export const rotateSecretOperation: V2Operation = {
  id: "rotateWebhookSecret",
  summary: "Give a webhook a new secret; the old one also signs for 24 hours",
  description: "Gives a webhook a new key. For 24 hours, events are signed with the old one as well.",
  answer: webhookWithSecretAnswer,
  refusals: ["not_found", "invalid"],
  handle: async ({ event, account, context }) =>
    webhookWithSecretJson(await rotateSecret(context, account.id, readPathId(event))),
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { page, window } = readListing(request, webhookPageParams, WEBHOOK_PAGES);
  const { records, total } = await findWebhooks(context.store, account.id, window);
  setPageHeaders(request, page, total);
  return records.map(webhookJson);
}
