import { z } from "zod";
import { eventTypesOf } from "../../billing/provider.ts";
import {
  BILLING_PROVIDERS,
  connectBilling,
  disconnectBilling,
  listConnections,
  type BillingConnection,
  type BillingProvider,
} from "../../domain/ledger/billing/connection.ts";
import { findSightings } from "../../domain/people/sighting.ts";
import { countWaiting } from "../../domain/ledger/billing/waiting.ts";
import { readJson } from "../../http/parameters/json.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
import { oneOf, text } from "../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { createdAt, field } from "../../http/fields.ts";

/** Secrets have no blanks. One that was copied with a blank would fail for every event. */
const secretText = text.trim().regex(/^[\x21-\x7e]+$/, "is invalid");

const connectBody = z.object({
  provider: field(oneOf(BILLING_PROVIDERS), "Provider that sends the events."),
  secret: field(secretText, "What the provider signs its events with. It is never shown.", "whsec_5f1c2b7a"),
  api_key: field(
    secretText.nullable().optional(),
    "A key that may read from the provider's API, or null for none. It is never shown.",
    "rk_live_5f1c2b7a",
  ),
});

const connectionAnswer = z
  .object({
    provider: field(z.enum(BILLING_PROVIDERS), "Provider that sends the events."),
    endpoint: field(
      z.url(),
      "Address that the provider posts its events to.",
      "https://track.acme.example/hooks/stripe/acme",
    ),
    has_api_key: field(z.boolean(), "Whether a key for the provider's API is stored."),
    refunds_waiting: field(
      z.int(),
      "How many refunds have no sale yet. Most belong to customers whom no promoter referred. They are dropped after 40 days.",
      0,
    ),
    last_event_at: field(
      z.iso.datetime().nullable(),
      "When the latest event with the right signature arrived, to the hour, or null if none has.",
    ),
    created_at: createdAt,
  })
  .meta({ id: "BillingConnection" });

const disconnectParams = z.object({
  provider: field(oneOf(BILLING_PROVIDERS), "Provider whose events are refused from now on."),
});

/** `GET /api/v2/company/billing` */
export const listBillingOperation: V2Operation = {
  id: "listBilling",
  summary: "List the connections with billing providers",
  description: "Lists the billing providers that the account is connected with. An extension of Tidemark.",
  answer: z.array(connectionAnswer),
  handle: async (request) => {
    const connections = await listConnections(request.context.store, request.account.id);
    return Promise.all(connections.map((connection) => connectionJson(request, connection)));
  },
};

/** `GET /api/v2/company/billing/providers` */
export const listProvidersOperation: V2Operation = {
  id: "listBillingProviders",
  summary: "List the billing providers, and what to set up at each",
  description:
    "Lists the providers that the account can be connected with: the address to enter there, and the events to choose. An extension of Tidemark.",
  answer: z.array(
    z
      .object({
        provider: field(z.enum(BILLING_PROVIDERS), "Provider that sends the events."),
        endpoint: field(
          z.url(),
          "Address that the provider posts its events to.",
          "https://track.acme.example/hooks/stripe/acme",
        ),
        event_types: field(
          z.array(z.string()),
          "The types of events to choose there. Others are answered, and ignored.",
          ["invoice.paid", "charge.refunded"],
        ),
      })
      .meta({ id: "BillingProvider" }),
  ),
  handle: (request) =>
    Promise.all(
      BILLING_PROVIDERS.map(async (provider) => ({
        provider,
        endpoint: endpointOf(request, provider),
        event_types: await eventTypesOf(provider),
      })),
    ),
};

/** `POST /api/v2/company/billing`. No answer shows the secrets. */
export const connectBillingOperation: V2Operation = {
  id: "connectBilling",
  summary: "Connect the account with a billing provider",
  description:
    "Accepts the events of a billing provider from now on, or replaces its secrets. An API key that is left out stays. An extension of Tidemark.",
  example: { provider: "stripe", secret: "whsec_5f1c2b7a", api_key: "rk_live_5f1c2b7a" },
  body: connectBody,
  answer: connectionAnswer,
  refusals: ["invalid"],
  handle: async (request) => {
    const { event, account, context } = request;
    const { provider, secret, api_key: apiKey } = shapeChanges(connectBody, await readJson(event));
    const connection = await connectBilling(context, account.id, { provider, secret, apiKey });
    return connectionJson(request, connection);
  },
};

/** `DELETE /api/v2/company/billing` */
export const disconnectBillingOperation: V2Operation = {
  id: "disconnectBilling",
  summary: "End the connection with a billing provider",
  description:
    "Refuses the events of a provider from now on. What they recorded stays. An extension of Tidemark.",
  params: disconnectParams,
  answer: connectionAnswer,
  refusals: ["not_found", "invalid"],
  handle: async (request) => {
    const { event, account, context } = request;
    const { provider } = shapeInput(disconnectParams, readNestedQuery(event));
    return connectionJson(request, await disconnectBilling(context, account.id, provider));
  },
};

async function connectionJson(
  { account, context, publicUrl }: V2Request,
  { provider, apiKey, createdAt }: BillingConnection,
): Promise<z.output<typeof connectionAnswer>> {
  const seen = await findSightings(context.store, account.id, "billing-event");
  return {
    provider,
    endpoint: endpointOf({ account, publicUrl }, provider),
    has_api_key: apiKey !== null,
    refunds_waiting: await countWaiting(context.store, account.id, provider),
    last_event_at: seen.find(({ value }) => value === provider)?.lastAt ?? null,
    created_at: createdAt,
  };
}

function endpointOf(
  { account, publicUrl }: Pick<V2Request, "account" | "publicUrl">,
  provider: BillingProvider,
): string {
  return `${publicUrl}/hooks/${provider}/${account.publicId}`;
}
