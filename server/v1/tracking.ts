import type { H3Event } from "h3";
import { z } from "zod";
import type { Account } from "../domain/program/account/account.ts";
import type { Balance } from "../domain/ledger/commission/balance.ts";
import type { Commission } from "../domain/ledger/commission/commission.ts";
import type { Context } from "../domain/context.ts";
import type { Lead } from "../domain/people/lead/lead.ts";
import { missingRate } from "../domain/ledger/rate.ts";
import type { Promoter } from "../domain/people/promoter/promoter.ts";
import { recordSale } from "../domain/ledger/sale/new-sale.ts";
import { recordCancellation } from "../domain/ledger/sale/cancellation.ts";
import { recordRefund } from "../domain/ledger/sale/refund.ts";
import type { ShownWaiting } from "../domain/ledger/sale/waiting.ts";
import { accepted, waitingForAnswer, waitingForJson } from "../http/answer.ts";
import { type OwnRefusals, v1SignupRefusals, v1SubscriptionRefusals } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import {
  cancellationParams,
  refundParams,
  saleParams,
  shapeCancellation,
  shapeRefund,
  shapeSale,
} from "../input/event-params.ts";
import type { View } from "../storage/store.ts";
import { leadAnswer, leadJson } from "./leads.ts";
import { promoterSubsetAnswer, showTrackedPromoter } from "./promoter-json.ts";
import { rewardSummaryAnswer, rewardSummaryJson } from "./rewards.ts";
import { field, recordId } from "../http/fields.ts";
import { recordSignup, registered, type RecordedSignup } from "../domain/ledger/signup.ts";
import { recordSubscription, type RecordedSubscription } from "../domain/people/lead/signup.ts";
import { readParams } from "../http/parameters/form.ts";
import { shapeSignup, signupParams } from "../input/signup-params.ts";
import type { V1Operation, V1Request } from "./operation.ts";

/** How V1 or V2 reads a request, and writes the errors that are not specific to events. */
interface Generation {
  kind: "params" | "body";
  read: (event: H3Event) => Promise<Record<string, unknown>>;
  own: OwnRefusals;
}

/** The parts of a V1 or V2 request that an event needs. */
interface EventRequest {
  event: H3Event;
  account: Account;
  context: Context;
}

/** Records a sale. */
export function saleOperation({ kind, read, own }: Generation): Operation<EventRequest> {
  return {
    id: "v1TrackSale",
    summary: "Record a sale",
    description:
      "Records a payment of a lead and what promoters earn from it. Give `email` or `uid`, and your own `event_id`, so that the sale is recorded once. If the person has not signed up, `tid`, `ref_id` or `promo_code` names the promoter.",
    example: { email: "sam@example.net", event_id: "order-1001", amount: 10000 },
    [kind]: saleParams,
    answer: eventAnswer("sale").meta({ id: "V1Sale" }),
    acceptedAnswer: waitingAnswer("sale").meta({ id: "V1WaitingSale" }),
    ...common(own),
    async handle({ event, account, context }) {
      const given = shapeSale(await read(event));
      return context.store.transact(async (tx) => {
        const outcome = await recordSale(tx, context, account, given);
        if ("waiting" in outcome) return showWaiting(tx.view, "sale", outcome);
        const { id, amount_cents } = outcome.sale;
        return showEvent(tx.view, { id, type: "sale", amount_cents, ...outcome });
      });
    },
  };
}

/** Records a refund. V2 answers in the same form. */
export function refundOperation({ kind, read, own }: Generation): Operation<EventRequest> {
  return {
    id: kind === "body" ? "trackRefund" : "v1TrackRefund",
    summary: "Record a refund",
    description: `Records that a sale or a part of it was refunded, and takes back the same part of its commissions.${noteOf(kind)}`,
    example: { email: "sam@example.net", event_id: "refund-7", amount: 10000, sale_event_id: "order-1001" },
    [kind]: refundParams,
    answer: eventAnswer("refund").meta({ id: "V1Refund" }),
    acceptedAnswer: waitingAnswer("refund").meta({ id: "V1WaitingRefund" }),
    ...common(own),
    async handle({ event, account, context }) {
      const given = shapeRefund(await read(event));
      return context.store.transact(async (tx) => {
        const outcome = await recordRefund(tx, context, account, given);
        if ("waiting" in outcome) return showWaiting(tx.view, "refund", outcome);
        const { id, amount_cents } = outcome.refund;
        return showEvent(tx.view, { id, type: "refund", amount_cents: -amount_cents, ...outcome });
      });
    },
  };
}

/** Records a cancellation. V2 answers in the same form. */
export function cancellationOperation({ kind, read, own }: Generation): Operation<EventRequest> {
  return {
    id: kind === "body" ? "trackCancellation" : "v1TrackCancellation",
    summary: "Record a cancellation",
    description: `Records that a customer has left, or that a subscription of theirs has ended. Repeating it changes nothing.${noteOf(kind)}`,
    example: { email: "sam@example.net" },
    [kind]: cancellationParams,
    answer: eventAnswer("cancellation")
      .extend({
        amount_cents: field(z.int().nullable(), "Always null.", null),
        reward: field(rewardSummaryAnswer.nullable(), "Always null."),
      })
      .meta({ id: "V1Cancellation" }),
    ...common(own),
    async handle({ event, account, context }) {
      const given = shapeCancellation(await read(event));
      return context.store.transact(async (tx) => {
        const { cancellation, ...whose } = await recordCancellation(tx, context, account, given);
        const nothing = { amount_cents: null, commissions: [] };
        return showEvent(tx.view, { id: cancellation.id, type: "cancellation", ...nothing, ...whose });
      });
    },
  };
}

/** The answer of a tracked event of this type. @see docs/spec/v1.md "Sales, refunds and cancellations" */
function eventAnswer<T extends string>(type: T) {
  return z.object({
    id: recordId,
    type: field(z.literal(type), "What kind of event was recorded."),
    amount_cents: field(
      z.int().nullable(),
      "What was sold, in cents of your account's currency. Negative for a refund, null if nothing was sold.",
      10000,
    ),
    reward: field(
      rewardSummaryAnswer.nullable(),
      "What the promoter earned. Negative if it was taken back, null if nothing.",
    ),
    lead: field(leadAnswer, "The lead, or null if it was deleted or the commission belongs to none."),
    promoter: field(promoterSubsetAnswer.schema, "The promoter, or null if they were deleted."),
  });
}

/** The answer to an event of this type that waits for an exchange rate. */
function waitingAnswer<T extends string>(type: T) {
  return z.object({
    id: recordId,
    type: field(z.literal(type), "What kind of event was recorded."),
    amount_cents: field(z.null(), "Always null, because it is not converted yet.", null),
    reward: field(z.null(), "Always null, because nothing is earned yet.", null),
    lead: field(leadAnswer, "The lead, or null if it was deleted or the commission belongs to none."),
    promoter: field(promoterSubsetAnswer.schema, "The promoter, or null if they were deleted."),
    waiting_for: field(waitingForAnswer, "The exchange rate that is missing."),
  });
}

/** V2's documentation mentions that the answer has V1's form. */
function noteOf(kind: Generation["kind"]): string {
  return kind === "body" ? " The answer has the form of V1." : "";
}

function common(own: OwnRefusals) {
  return {
    isTracking: true,
    refusals: ["missing", "invalid", "rule_broken", "worthless", "not_found", "already_registered"],
    ...own,
  } satisfies Partial<Operation<EventRequest>>;
}

/** An event with the records that it shows. */
interface EventParts<T> {
  id: number;
  type: T;
  amount_cents: number | null;
  lead: Lead;
  promoter: Promoter;
  /** Read from the store if absent. */
  balance?: Balance;
  commissions: Commission[];
}

/** Shows an event. Of several commissions, it shows the promoter's own, preferably in cash. */
async function showEvent<T extends string>(view: View, event: EventParts<T>) {
  const { id, type, amount_cents, lead, promoter, balance, commissions } = event;
  const own = commissions.filter(({ promoter_id }) => promoter_id === promoter.id);
  const shown = own.find(({ unit }) => unit === "cash") ?? own[0] ?? null;
  return {
    id,
    type,
    amount_cents,
    reward: shown && rewardSummaryJson(shown, lead),
    lead: leadJson(lead),
    promoter: await showTrackedPromoter(view, promoter, balance),
  };
}

/** Answers a waiting event with 202. */
async function showWaiting<T extends string>(view: View, type: T, { waiting, lead, promoter }: ShownWaiting) {
  return accepted({
    id: waiting.id,
    type,
    amount_cents: null,
    reward: null,
    lead: leadJson(lead),
    promoter: await showTrackedPromoter(view, promoter),
    waiting_for: waitingForJson(waiting.rate, missingRate(waiting.rate)),
  });
}

/** @see docs/spec/v1.md "Sign-up result" */
export const trackSignup: V1Operation = {
  id: "v1TrackSignup",
  isTracking: true,
  summary: "Record a sign-up",
  description:
    "Records a sign-up as a lead of the promoter who sent them. Give `email` or `uid`, and `tid` (from the cookie `_svc_tid`) or `ref_id`. Call it from your server when the account is created.",
  example: { email: "sam@example.net", uid: "cus_99", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  params: signupParams,
  answer: z
    .object({
      id: recordId,
      type: field(z.literal("signup"), "What kind of event was recorded."),
      amount_cents: field(z.int(), "What was sold, in cents. 0 for sign-ups.", 0),
      reward: field(z.string().nullable(), "What the sign-up earned, or null if nothing.", null),
      lead: field(leadAnswer, "The lead, or null if it was deleted or the commission belongs to none."),
      promoter: field(promoterSubsetAnswer.schema, "The promoter, or null if they were deleted."),
    })
    .meta({ id: "V1Signup" }),
  refusals: ["missing", "not_found", "already_registered"],
  ...v1SignupRefusals,
  handle: signup,
};

/** @see docs/spec/v1.md "Subscribers" */
export const trackSubscriber: V1Operation = {
  id: "v1TrackSubscriber",
  isTracking: true,
  summary: "Record a subscriber",
  description:
    "Records a newsletter subscription as a lead of the promoter who sent them. A sign-up may follow. Give `email` or `uid`, and `tid` or `ref_id`.",
  example: { email: "sam@example.net", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  params: signupParams,
  answer: z
    .object({
      id: recordId,
      type: field(z.literal("subscriber"), "What kind of event was recorded."),
      lead: field(leadAnswer, "The lead, or null if it was deleted or the commission belongs to none."),
      promoter: field(promoterSubsetAnswer.schema, "The promoter, or null if they were deleted."),
    })
    .meta({ id: "V1Subscriber" }),
  emptyAnswer: "No promoter referred the person.",
  refusals: ["missing", "not_found", "already_registered"],
  ...v1SubscriptionRefusals,
  handle: subscriber,
};

async function signup({ event, account, context }: V1Request) {
  const given = shapeSignup(await readParams(event));
  const shown = await context.store.transact(async (tx) => {
    const recorded = await recordSignup(tx, context, account, given);
    return recorded && showSignup(tx.view, recorded);
  });
  return registered(shown);
}

async function showSignup(view: View, { event_id, lead, promoter }: RecordedSignup) {
  return {
    id: event_id,
    type: "signup",
    amount_cents: 0,
    reward: null,
    lead: leadJson(lead),
    promoter: await showTrackedPromoter(view, promoter),
  };
}

async function subscriber({ event, account, context }: V1Request) {
  const given = shapeSignup(await readParams(event));
  return context.store.transact(async (tx) => {
    const recorded = await recordSubscription(tx, context, account, given);
    return recorded && showSubscription(tx.view, recorded);
  });
}

async function showSubscription(view: View, { event_id, lead, promoter }: RecordedSubscription) {
  return {
    id: event_id,
    type: "subscriber",
    lead: leadJson(lead),
    promoter: await showTrackedPromoter(view, promoter),
  };
}
