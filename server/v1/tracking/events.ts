import type { H3Event } from "h3";
import { z } from "zod";
import type { Account } from "../../domain/account/record.ts";
import type { Context } from "../../domain/context.ts";
import { recordCancellation } from "../../domain/sale/cancellation.ts";
import { recordRefund } from "../../domain/sale/refund.ts";
import { recordSale } from "../../domain/sale/new-sale.ts";
import { V2_TRACKING_STATUSES, type ErrorShape } from "../../http/errors.ts";
import { EVENT_BODIES, EVENT_STATUSES, eventError } from "../../http/event-statuses.ts";
import { field } from "../../http/fields.ts";
import type { Operation } from "../../http/operation.ts";
import {
  cancellationParams,
  refundParams,
  saleParams,
  shapeCancellation,
  shapeRefund,
  shapeSale,
} from "../../input/event-params.ts";
import { rewardSummaryAnswer } from "../reward/reward-json.ts";
import { eventAnswer, showEvent, showWaiting, waitingAnswer } from "./event-json.ts";

/** The parts of a request of either generation that an event needs. */
interface EventRequest {
  event: H3Event;
  account: Account;
  context: Context;
}

/** How a generation reads the values of a request, and writes the refusals that events don't have of their own. */
interface Generation {
  kind: "params" | "body";
  read: (event: H3Event) => Promise<Record<string, unknown>>;
  shape: ErrorShape;
}

/** Records a sale. */
export function saleOperation({ kind, read, shape }: Generation): Operation<EventRequest> {
  return {
    id: "v1TrackSale",
    summary: "Record a sale",
    description:
      "Records a payment of a lead and what the promoters earn from it. Give `email` or `uid`, and an `event_id` of your own, by which it is recorded once. If the person has not signed up, `tid`, `ref_id` or `promo_code` names the promoter.",
    example: { email: "sam@example.net", event_id: "order-1001", amount: 10000 },
    [kind]: saleParams,
    answer: eventAnswer("sale").meta({ id: "V1Sale" }),
    acceptedAnswer: waitingAnswer("sale").meta({ id: "V1WaitingSale" }),
    ...common(shape),
    handle: async ({ event, account, context }) =>
      recordSale(context, account, {
        ...shapeSale(await read(event)),
        show: (view, { sale, ...rest }) =>
          showEvent(view, { id: sale.id, type: "sale", amountCents: sale.amountCents, ...rest }),
        showWaiting: (view, waiting) => showWaiting(view, "sale", waiting),
      }),
  };
}

/** Records a refund. V2 answers in the same form. */
export function refundOperation({ kind, read, shape }: Generation): Operation<EventRequest> {
  return {
    id: kind === "body" ? "trackRefund" : "v1TrackRefund",
    summary: "Record a refund",
    description: `Records that a sale, or a part of it, was paid back, and takes the same part of its commissions back.${noteOf(kind)}`,
    example: { email: "sam@example.net", event_id: "refund-7", amount: 10000, sale_event_id: "order-1001" },
    [kind]: refundParams,
    answer: eventAnswer("refund").meta({ id: "V1Refund" }),
    acceptedAnswer: waitingAnswer("refund").meta({ id: "V1WaitingRefund" }),
    ...common(shape),
    handle: async ({ event, account, context }) =>
      recordRefund(context, account, {
        ...shapeRefund(await read(event)),
        show: (view, { refund, ...rest }) =>
          showEvent(view, { id: refund.id, type: "refund", amountCents: -refund.amountCents, ...rest }),
        showWaiting: (view, waiting) => showWaiting(view, "refund", waiting),
      }),
  };
}

/** Records a cancellation. V2 answers in the same form. */
export function cancellationOperation({ kind, read, shape }: Generation): Operation<EventRequest> {
  return {
    id: kind === "body" ? "trackCancellation" : "v1TrackCancellation",
    summary: "Record a cancellation",
    description: `Records that a customer has left. Repeating it changes nothing.${noteOf(kind)}`,
    example: { email: "sam@example.net" },
    [kind]: cancellationParams,
    answer: eventAnswer("cancellation")
      .extend({
        amount_cents: field(z.int().nullable(), "Always null.", null),
        reward: field(rewardSummaryAnswer.nullable(), "Always null."),
      })
      .meta({ id: "V1Cancellation" }),
    ...common(shape),
    handle: async ({ event, account, context }) =>
      recordCancellation(context, account, {
        ...shapeCancellation(await read(event)),
        show: (view, { cancellation: { id }, ...rest }) =>
          showEvent(view, { id, type: "cancellation", amountCents: null, commissions: [], ...rest }),
      }),
  };
}

/** V2 documents the answer in V1's form. */
function noteOf(kind: Generation["kind"]): string {
  return kind === "body" ? " The answer has the form of V1." : "";
}

function common(shape: ErrorShape) {
  return {
    isTracking: true,
    refusals: ["missing", "invalid", "rule_broken", "worthless", "not_found", "already_registered"],
    // V1's own status, and V2's for tracking alone.
    statuses: { ...EVENT_STATUSES, ...V2_TRACKING_STATUSES },
    bodies: EVENT_BODIES,
    shape: eventError(shape),
  } satisfies Partial<Operation<EventRequest>>;
}
