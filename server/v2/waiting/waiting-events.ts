import { z } from "zod";
import { leads } from "../../domain/lead/lead.ts";
import { showAll } from "../../domain/show.ts";
import { findWaitingEvents, forgetWaiting, type WaitingEvent } from "../../domain/sale/waiting.ts";
import { Failure } from "../../failure.ts";
import { setPageHeaders } from "../../http/pages.ts";
import type { View } from "../../storage/store.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";

const waitingEventAnswer = z
  .object({
    id: z.int(),
    type: z.enum(["sale", "refund"]),
    event_id: z.string(),
    sale_event_id: z.string().nullable(),
    amount: z.int(),
    currency: z.string(),
    waiting_for: z.object({ currency: z.string(), date: z.iso.date() }),
    error: z.string().nullable(),
    referral: z.object({ id: z.int(), email: z.string().nullable(), uid: z.string().nullable() }).nullable(),
    created_at: z.iso.datetime(),
    received_at: z.iso.datetime(),
  })
  .meta({ id: "WaitingEvent" });

/** `GET /api/v2/company/waiting_events` */
export const listWaitingOperation: V2Operation = {
  summary: "List sales and refunds that wait for an exchange rate",
  params: pageParams,
  answer: z.array(waitingEventAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `DELETE /api/v2/company/waiting_events/{id}` */
export const dropWaitingOperation: V2Operation = {
  summary: "Drop a sale or refund that waits",
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
  const lead = await view.get(leads, waiting.accountId, waiting.leadId);
  const isSale = waiting.kind === "sale";
  return {
    id: waiting.id,
    type: waiting.kind,
    event_id: waiting.eventId,
    sale_event_id: isSale ? null : waiting.saleEventId,
    amount: isSale ? waiting.facts.amount : waiting.amount,
    currency: isSale ? rate.from : waiting.currency,
    waiting_for: { currency: rate.from, date: rate.day },
    error: waiting.fault,
    referral: lead && { id: lead.id, email: lead.email, uid: lead.uid },
    created_at: waiting.createdAt,
    received_at: waiting.keptAt,
  };
}
