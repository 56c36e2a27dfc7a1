import { z } from "zod";
import { leads } from "../../domain/people/lead/lead.ts";
import { forgetWaiting, waitingEvents } from "../../domain/ledger/sale/waiting.ts";
import { Failure } from "../../failure.ts";
import { field, recordId } from "../../http/fields.ts";
import { shown } from "../../resource/answer.ts";
import { listed } from "../../resource/list.ts";
import { does, lists } from "../../resource/operations.ts";
import { belongingTo } from "../../storage/query.ts";
import { embeddedLead, embeddedLeadJson } from "../embedded-json.ts";
import type { V2Operation } from "../operation.ts";

const belongings = belongingTo(waitingEvents, { lead: [leads, "lead_id"] });

const waitingEventAnswer = shown(waitingEvents, belongings)("WaitingEvent", {
  id: recordId,
  type: [field(z.enum(["sale", "refund"]), "Whether it is a sale or a refund."), ({ kind }) => kind],
  event_id: field(z.string(), "Your own id of the event.", "order-1001"),
  sale_event_id: [
    field(
      z.string().nullable(),
      "Your own id of the sale that is refunded, or null if this is a sale.",
      null,
    ),
    (event) => (event.kind === "sale" ? null : event.sale_event_id),
  ],
  amount: [
    field(z.int(), "The amount in the minor unit of its currency.", 10000),
    (event) => (event.kind === "sale" ? event.facts.amount : event.amount),
  ],
  currency: [
    field(z.string(), "The currency of the amount (ISO 4217).", "EUR"),
    (event) => (event.kind === "sale" ? event.rate.from : event.currency),
  ],
  waiting_for: [
    field(
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
    ({ rate }) => ({ currency: rate.from, date: rate.day }),
  ],
  error: [
    field(
      z.string().nullable(),
      "Why it could not be recorded although there was a rate, or null if it was not tried yet. It is tried again each minute.",
      null,
    ),
    ({ fault }) => fault,
  ],
  referral: [
    field(embeddedLead.nullable(), "The lead, or null if it was deleted."),
    (_, { lead }) => lead && embeddedLeadJson(lead),
  ],
  created_at: field(z.iso.datetime(), "When it happened.", "2026-03-04T05:06:07.890Z"),
  received_at: [
    field(z.iso.datetime(), "When it was received.", "2026-03-04T05:06:07.890Z"),
    ({ kept_at }) => kept_at,
  ],
});

export const listWaitingOperation: V2Operation = lists(waitingEventAnswer, {
  id: "listWaitingEvents",
  summary: "List sales and refunds that wait for an exchange rate",
  description:
    "Lists the sales and refunds that wait for an exchange rate, with the reason if recording one has failed. Each is recorded within a minute after its rate is stored. An extension of Tidemark.",
  list: listed(waitingEvents)(),
});

export const dropWaitingOperation: V2Operation = does(waitingEventAnswer, {
  id: "dropWaitingEvent",
  summary: "Drop a waiting sale or refund",
  description:
    "Drops a waiting sale or refund. It is not recorded and may be sent again. An extension of Tidemark.",
  async run(tx, { account }, id) {
    const dropped = await forgetWaiting(tx, account.id, id);
    if (dropped === null) throw new Failure("not_found", "Waiting event not found.");
    return dropped;
  },
});
