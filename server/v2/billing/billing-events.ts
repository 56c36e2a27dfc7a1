import { z } from "zod";
import { sendTestEvent } from "../../billing/test-event.ts";
import { withoutLog } from "../../domain/access/audit/audited-store.ts";
import { BILLING_PROVIDERS, loadConnection } from "../../domain/ledger/billing/connection.ts";
import {
  findReceived,
  followReceived,
  RECEIVED_KEPT,
  RECEIVED_OUTCOMES,
  type ReceivedEvent,
} from "../../domain/ledger/billing/received.ts";
import { leads } from "../../domain/people/lead/lead.ts";
import { showAll } from "../../domain/show.ts";
import { field, recordId } from "../../http/fields.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { readJson } from "../../http/parameters/json.ts";
import { uid, oneOf } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { View } from "../../storage/store.ts";
import type { V2Operation } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";

const received = z
  .object({
    id: recordId,
    provider: field(z.enum(BILLING_PROVIDERS), "Provider that sent the event."),
    event_id: field(
      z.string().nullable(),
      "The provider's id of the event. Null: it could not be read, or the line counts requests of a day that were not the provider's.",
      "evt_1PqGkX2eZvKYlo2C",
    ),
    type: field(
      z.string().nullable(),
      "The provider's type of the event, or null if unknown.",
      "invoice.paid",
    ),
    outcome: field(
      z.enum(RECEIVED_OUTCOMES),
      "What has become of it by now. `known`: its payment was recorded before, by another event. `waiting`: its payment or a rate is missing. `ignored`: nothing to record. `refused`: it could not be recorded, and the provider sends it again.",
    ),
    reason: field(
      z.string().nullable(),
      "Why nothing was recorded, or null.",
      "This customer was not referred",
    ),
    is_test: field(z.boolean(), "Whether a user sent it to try the connection.", false),
    arrivals: field(z.int(), "How often it arrived.", 1),
    amount: field(
      z.int().nullable(),
      "The money that moved, with tax, in the minor unit of its currency. Null: none did.",
      11900,
    ),
    currency: field(z.string().nullable(), "The currency of the amount (ISO 4217), or null.", "USD"),
    referral: field(
      z
        .object({
          id: recordId,
          email: field(z.string().nullable(), "The person's e-mail address.", "jane@example.com"),
          uid,
        })
        .nullable(),
      "The lead who paid, or null if no lead did.",
    ),
    sale: field(
      z
        .object({
          id: recordId,
          event_id: field(z.string(), "The event id of the sale.", "in_1PqGkX2eZvKYlo2C"),
          sale_amount: field(z.int(), "What was sold, in cents of your account's currency.", 10000),
        })
        .nullable(),
      "The sale of its payment, or null if none is recorded.",
    ),
    happened_at: field(z.iso.datetime().nullable(), "When it happened, or null if unknown."),
    first_received_at: field(z.iso.datetime(), "When it arrived first."),
    received_at: field(z.iso.datetime(), "When it arrived last."),
  })
  .meta({ id: "BillingEvent" });

const listParams = pageParams.extend({
  filters: field(
    z
      .object({
        provider: field(oneOf(BILLING_PROVIDERS), "Only events of this provider."),
        outcome: field(
          oneOf(RECEIVED_OUTCOMES),
          "Only events with this outcome when they arrived: one that waited has been recorded since, perhaps.",
        ),
      })
      .partial()
      .default({}),
    "Only records that match.",
  ),
});

/** `GET /api/v2/company/billing/events` */
export const listBillingEventsOperation: V2Operation = {
  id: "listBillingEvents",
  summary: "List the last events of billing providers",
  description: `Lists the events that billing providers posted, the latest first, and what became of them. The last ${RECEIVED_KEPT.count.toLocaleString("en")} of ${RECEIVED_KEPT.days} days are kept. Requests with a wrong signature are counted by day. An extension of Tidemark.`,
  params: listParams,
  answer: z.array(received),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { account, context } = request;
    const { params, page, window } = readListing(request, listParams);
    const found = await findReceived(context.store, account.id, { ...params.filters, ...window });
    setPageHeaders(request, page, found.total);
    return showAll(context.store, found.records, showReceived);
  },
};

const testBody = z.object({
  provider: field(oneOf(BILLING_PROVIDERS), "Provider whose connection is tried."),
});

/** `POST /api/v2/company/billing/test` */
export const testBillingOperation: V2Operation = {
  id: "testBilling",
  summary: "Try a connection with a made-up event",
  description:
    "Makes an event of the provider up, signs it with the stored secret, and receives it as the provider's own. Its signature is checked and it is read, but nothing is recorded as money. It is in the list of events, as a test. It does not show whether the secret is the one that the provider has. An extension of Tidemark.",
  body: testBody,
  answer: received,
  refusals: ["not_found", "invalid"],
  async handle({ event, account, context }) {
    const { provider } = shapeInput(testBody, await readJson(event));
    const connection = await loadConnection(context.store, account.id, provider);
    const noted = await sendTestEvent(withoutLog(context), account, connection);
    return showReceived(context.store, noted);
  },
};

async function showReceived(view: View, event: ReceivedEvent): Promise<z.output<typeof received>> {
  const { outcome, reason, leadId, sale } = await followReceived(view, event);
  const lead = leadId === null ? null : await view.get(leads, event.accountId, leadId);
  return {
    id: event.id,
    provider: event.provider,
    event_id: event.eventId,
    type: event.type,
    outcome,
    reason,
    is_test: event.isTest,
    arrivals: event.count,
    amount: event.amount,
    currency: event.currency,
    referral: lead && { id: lead.id, email: lead.email, uid: lead.uid },
    sale: sale && { id: sale.id, event_id: sale.eventId, sale_amount: sale.amountCents },
    happened_at: event.happenedAt,
    first_received_at: event.firstAt,
    received_at: event.lastAt,
  };
}
