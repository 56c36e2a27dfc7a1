import { z } from "zod";
import { leads } from "../../domain/people/lead/lead.ts";
import { showAll } from "../../domain/show.ts";
import { findWaitingEvents, forgetWaiting, type WaitingEvent } from "../../domain/ledger/sale/waiting.ts";
import { Failure } from "../../failure.ts";
import { setPageHeaders } from "../../http/pages.ts";
import type { View } from "../../storage/store.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing, readPathId } from "../../resource/listing.ts";
import { field, recordId } from "../../http/fields.ts";
import { uid } from "../../input/fields.ts";

const waitingEventAnswer = z
  .object({
    id: recordId,
    type: field(z.enum(["sale", "refund"]), "Whether it is a sale or a refund."),
    event_id: field(z.string(), "Your own id of the event.", "order-1001"),
    sale_event_id: field(
      z.string().nullable(),
      "Your own id of the sale that is refunded, or null if this is a sale.",
      null,
    ),
    amount: field(z.int(), "The amount in the minor unit of its currency.", 10000),
    currency: field(z.string(), "The currency of the amount (ISO 4217).", "EUR"),
    waiting_for: field(
      z.object({
        currency: field(z.string(), "The currency without a rate (ISO 4217).", "EUR"),
        date: field(
          z.iso.date(),
          "Day of the rate, in UTC. A rate of the seven days before is accepted as well.",
          "2026-03-04",
        ),
      }),
      "The exchange rate that is missing.",
    ),
    error: field(
      z.string().nullable(),
      "Why it could not be recorded although there was a rate, or null if it was not tried yet. It is tried again each minute.",
      null,
    ),
    referral: field(
      z
        .object({
          id: recordId,
          email: field(z.string().nullable(), "The person's e-mail address.", "jane@example.com"),
          uid,
        })
        .nullable(),
      "The lead, or null if it was deleted.",
    ),
    created_at: field(z.iso.datetime(), "When it happened.", "2026-03-04T05:06:07.890Z"),
    received_at: field(z.iso.datetime(), "When it was received.", "2026-03-04T05:06:07.890Z"),
  })
  .meta({ id: "WaitingEvent" });

/** `GET /api/v2/company/waiting_events` */
export const listWaitingOperation: V2Operation = {
  id: "listWaitingEvents",
  summary: "List sales and refunds that wait for an exchange rate",
  description:
    "Lists the sales and refunds that wait for an exchange rate, with the reason if recording one has failed. Each is recorded within a minute after its rate is stored. An extension of Tidemark.",
  params: pageParams,
  answer: z.array(waitingEventAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `DELETE /api/v2/company/waiting_events/{id}` */
export const dropWaitingOperation: V2Operation = {
  id: "dropWaitingEvent",
  summary: "Drop a waiting sale or refund",
  description:
    "Drops a waiting sale or refund. It is not recorded and may be sent again. An extension of Tidemark.",
  answer: waitingEventAnswer,
  refusals: ["not_found"],
  handle: drop,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { page, window } = readListing(request, pageParams);
  const found = await findWaitingEvents(context.store, account.id, window);
  setPageHeaders(request, page, found.total);
  return showAll(context.store, found.records, showWaitingEvent);
}

async function drop({ event, account, context: { store } }: V2Request) {
  const dropped = await forgetWaiting(store, account.id, readPathId(event));
  if (dropped === null) throw new Failure("not_found", "Waiting event not found.");
  return showWaitingEvent(store, dropped);
}

async function showWaitingEvent(
  view: View,
  waiting: WaitingEvent,
): Promise<z.output<typeof waitingEventAnswer>> {
  const { rate } = waiting;
  const lead = await view.get(leads, waiting.account_id, waiting.lead_id);
  const isSale = waiting.kind === "sale";
  return {
    id: waiting.id,
    type: waiting.kind,
    event_id: waiting.event_id,
    sale_event_id: isSale ? null : waiting.sale_event_id,
    amount: isSale ? waiting.facts.amount : waiting.amount,
    currency: isSale ? rate.from : waiting.currency,
    waiting_for: { currency: rate.from, date: rate.day },
    error: waiting.fault,
    referral: lead && { id: lead.id, email: lead.email, uid: lead.uid },
    created_at: waiting.created_at,
    received_at: waiting.kept_at,
  };
}
