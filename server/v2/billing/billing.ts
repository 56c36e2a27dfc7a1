import { z } from "zod";
import { eventTypesOf } from "../../billing/provider.ts";
import {
  BILLING_MODES,
  BILLING_PROVIDERS,
  connectBilling,
  disconnectBilling,
  listConnections,
  loadConnection,
  type BillingConnection,
  type BillingProvider,
} from "../../domain/ledger/billing/connection.ts";
import { findSightings } from "../../domain/people/sighting.ts";
import { countWaiting } from "../../domain/ledger/billing/waiting.ts";
import { readJson } from "../../http/parameters/json.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
import { oneOf, text, instant } from "../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { sendTestEvent } from "../../billing/test-event.ts";
import { withoutLog } from "../../domain/access/audit/audited-store.ts";
import {
  followReceived,
  receivedEvents,
  RECEIVED_KEPT,
  OUTCOMES,
  RECEIVED_OUTCOMES,
  type ReceivedEvent,
} from "../../domain/ledger/billing/received.ts";
import { leads } from "../../domain/people/lead/lead.ts";
import type { View } from "../../storage/store.ts";
import { shown } from "../../resource/answer.ts";
import { listed } from "../../resource/list.ts";
import { lists } from "../../resource/operations.ts";
import { findMany } from "../../storage/query.ts";
import { embeddedLead, embeddedLeadJson } from "../embedded-json.ts";
import { syncBilling } from "../../billing/sync.ts";
import { Failure } from "../../failure.ts";
import { DAY_MS } from "../../domain/span.ts";

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
  mode: field(
    oneOf(BILLING_MODES).optional(),
    "Whether the provider's live events count, or those of its test mode or sandbox. Default: what the API key says, otherwise what it was, at first `live`.",
    "live",
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
    mode: field(
      z.enum(BILLING_MODES),
      "Whether the provider's live events count, or those of its test mode or sandbox. Events of the other mode are listed, and count nothing.",
      "live",
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

export const listBillingOperation: V2Operation = {
  id: "listBilling",
  summary: "List the connections with billing providers",
  description: "Lists the billing providers that the account is connected with. An extension of Tidemark.",
  answer: z.array(connectionAnswer),
  handle: async (request) => {
    const { account, context } = request;
    const connections = await listConnections(context.store, account.id);
    return Promise.all(connections.map((each) => showConnection(request, context.store, each)));
  },
};

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

/** No answer shows the secrets. */
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
    const { provider, secret, api_key, mode } = shapeChanges(connectBody, await readJson(event));
    const given = { provider, secret, apiKey: api_key, mode };
    return context.store.transact(async (tx) =>
      showConnection(request, tx.view, await connectBilling(tx, context, account.id, given)),
    );
  },
};

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
    return context.store.transact(async (tx) =>
      showConnection(request, tx.view, await disconnectBilling(tx, account.id, provider)),
    );
  },
};

async function showConnection(
  { account, public_url }: V2Request,
  view: View,
  connection: BillingConnection,
): Promise<z.output<typeof connectionAnswer>> {
  const { provider, apiKey, created_at } = connection;
  const seen = await findSightings(view, account.id, "billing-event");
  return {
    provider,
    endpoint: endpointOf({ account, public_url }, provider),
    mode: connection.mode,
    has_api_key: apiKey !== null,
    refunds_waiting: await countWaiting(view, account.id, provider),
    last_event_at: seen.find(({ value }) => value === provider)?.last_at ?? null,
    created_at,
  };
}

function endpointOf(
  { account, public_url }: Pick<V2Request, "account" | "public_url">,
  provider: BillingProvider,
): string {
  return `${public_url}/hooks/${provider}/${account.public_id}`;
}

/** What has become of events, and their leads. */
async function whereabouts(view: View, events: ReceivedEvent[]) {
  const found = await Promise.all(events.map((event) => followReceived(view, event)));
  const ids = found.map(({ lead_id }) => lead_id).filter((id) => id !== null);
  const known = await findMany(view, leads, events[0]?.account_id ?? 0, ids);
  return found.map((each) => ({ ...each, lead: known.get(each.lead_id ?? 0) ?? null }));
}

const receivedAnswer = shown(receivedEvents, whereabouts)("BillingEvent", {
  id: recordId,
  provider: field(z.enum(BILLING_PROVIDERS), "Provider that sent the event."),
  event_id: field(
    z.string().nullable(),
    "The provider's id of the event. Null: it could not be read, or the line counts requests of a day that were not the provider's.",
    "evt_1PqGkX2eZvKYlo2C",
  ),
  type: field(z.string().nullable(), "The provider's type of the event, or null if unknown.", "invoice.paid"),
  outcome: [
    field(
      z.enum(RECEIVED_OUTCOMES),
      "What has become of it by now. `known`: its payment was recorded before, by another event. `waiting`: its payment or a rate is missing. `ignored`: nothing to record. `other_mode`: it is live and the connection is not, or the other way round, so it counts nothing. `refused`: it could not be recorded, and the provider sends it again.",
    ),
    (_, { outcome }) => outcome,
  ],
  reason: [
    field(z.string().nullable(), "Why nothing was recorded, or null.", "This customer was not referred"),
    (_, { reason }) => reason,
  ],
  is_test: field(z.boolean(), "Whether a user sent it to try the connection.", false),
  arrivals: [field(z.int(), "How often it arrived.", 1), ({ count }) => count],
  amount: field(
    z.int().nullable(),
    "The money that moved, with tax, in the minor unit of its currency. Null: none did.",
    11900,
  ),
  currency: field(z.string().nullable(), "The currency of the amount (ISO 4217), or null.", "USD"),
  referral: [
    field(embeddedLead.nullable(), "The lead who paid, or null if no lead did."),
    (_, { lead }) => lead && embeddedLeadJson(lead),
  ],
  sale: [
    field(
      z
        .object({
          id: recordId,
          event_id: field(z.string(), "The event id of the sale.", "in_1PqGkX2eZvKYlo2C"),
          sale_amount: field(z.int(), "What was sold, in cents of your account's currency.", 10000),
        })
        .nullable(),
      "The sale of its payment, or null if none is recorded.",
    ),
    (_, { sale }) => sale && { id: sale.id, event_id: sale.event_id, sale_amount: sale.amount_cents },
  ],
  happened_at: field(z.iso.datetime().nullable(), "When it happened, or null if unknown."),
  first_received_at: [field(z.iso.datetime(), "When it arrived first."), ({ first_at }) => first_at],
  received_at: [field(z.iso.datetime(), "When it arrived last."), ({ last_at }) => last_at],
});

const receivedList = listed(receivedEvents, { newestBy: "last_at" })({
  filters: {
    provider: field(oneOf(BILLING_PROVIDERS), "Only events of this provider."),
    outcome: field(
      oneOf(RECEIVED_OUTCOMES),
      "Only events with this outcome when they arrived: one that waited has been recorded since, perhaps.",
    ),
  },
});

export const listBillingEventsOperation: V2Operation = lists(receivedAnswer, {
  id: "listBillingEvents",
  summary: "List the last events of billing providers",
  description: `Lists the events that billing providers posted, the latest first, and what became of them. The last ${RECEIVED_KEPT.count.toLocaleString("en")} of ${RECEIVED_KEPT.days} days are kept. Requests with a wrong signature are counted by day. An extension of Tidemark.`,
  list: receivedList,
});

const testBody = z.object({
  provider: field(oneOf(BILLING_PROVIDERS), "Provider whose connection is tried."),
});

export const testBillingOperation: V2Operation = {
  id: "testBilling",
  summary: "Try a connection with a made-up event",
  description:
    "Makes an event of the provider up, signs it with the stored secret, and receives it as the provider's own. Its signature is checked and it is read, but nothing is recorded as money. It is in the list of events, as a test. It does not show whether the secret is the one that the provider has. An extension of Tidemark.",
  body: testBody,
  answer: receivedAnswer.schema,
  refusals: ["not_found", "invalid"],
  async handle({ event, account, context }) {
    const { provider } = shapeInput(testBody, await readJson(event));
    const connection = await loadConnection(context.store, account.id, provider);
    const noted = await sendTestEvent(withoutLog(context), account, connection);
    return receivedAnswer.show(context.store, noted);
  },
};

const DAYS_BACK = 3;
/** Stripe keeps its events for 30 days. */
const MOST_DAYS = 30;

const body = z.object({
  provider: field(oneOf(BILLING_PROVIDERS), "Provider whose events are read."),
  since: field(
    instant.optional(),
    `From when on, at most ${MOST_DAYS} days ago. Default: ${DAYS_BACK} days ago.`,
    "2026-03-01T00:00:00.000Z",
  ),
});

const outcomes = Object.fromEntries(
  OUTCOMES.map((outcome) => [outcome, field(z.int(), `How many events were: ${outcome}.`, 0)]),
) as Record<(typeof OUTCOMES)[number], z.ZodInt>;

export const syncBillingOperation: V2Operation = {
  id: "syncBilling",
  summary: "Record events that a billing provider could not deliver",
  description:
    "Reads the provider's events since a time and records those that are missing; known ones change nothing. It needs the provider's API key. An extension of Tidemark.",
  body,
  answer: z
    .object({
      events: field(z.int(), "How many events were read.", 12),
      outcomes: field(
        z.object(outcomes),
        "What became of them. `known`: recorded before. `waiting`: their payment or a rate is missing. `ignored`: nothing to record. `other_mode`: of the test mode, or live, and the connection is not.",
      ),
      faults: field(z.array(z.string()), "Why events could not be recorded.", []),
    })
    .meta({ id: "BillingSync" }),
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, account, context }) {
    const { provider, since } = shapeInput(body, await readJson(event));
    const from = since ?? new Date(context.now.getTime() - DAYS_BACK * DAY_MS);
    if (context.now.getTime() - from.getTime() > MOST_DAYS * DAY_MS) {
      throw new Failure("invalid", `Validation failed: since is more than ${MOST_DAYS} days ago`, {
        since: [`is more than ${MOST_DAYS} days ago`],
      });
    }
    const connection = await loadConnection(context.store, account.id, provider);
    // Sales are records of their own, so the audit log does not repeat them.
    return syncBilling(withoutLog(context), account, { connection, since: from });
  },
};
