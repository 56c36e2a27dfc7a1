import { z } from "zod";
import { batchReference } from "../domain/ledger/payments-batch/batch.ts";
import type { PaymentConnection } from "../domain/ledger/payment/connection.ts";
import type { Answer, Report } from "../domain/ledger/payment/report.ts";
import { providerDecimal } from "../domain/ledger/payment/provider-money.ts";
import { Failure } from "../failure.ts";
import { isAnyHmac, parseEvent, requiredKey, askJson, isRefusal, minorOf, type Wired } from "./wire.ts";
import type { Asked, Credentials, News, PaymentProvider, RawEvent, Sending } from "./provider.ts";
import { DAY_MS } from "../domain/span.ts";

const LIVE_URL = "https://www.tremendous.com";

/**
 * Tremendous gift cards. An order has our reference as its unique `external_id`, so it can be looked up and sent again.
 *
 * @see https://developers.tremendous.com/reference/create-order
 */
export function newTremendous(
  { api_url, campaign_id }: PaymentConnection,
  { secret, webhookKey }: Credentials,
): PaymentProvider {
  const base = `${api_url ?? LIVE_URL}/api/v2`;
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };

  async function find({ order: { reference }, payments }: Asked): Promise<Answer> {
    const answer = await askJson(`${base}/orders/${reference}`, { headers });
    if (answer.status === 404) return { kind: "absent" };
    return answer.status === 200 ? read(answer, payments) : unknown(answer);
  }

  return {
    // An order has one receiver for each reward, and fails as a whole.
    mostPayments: 1,
    refusesRepetitionsMs: 365 * DAY_MS,
    find,
    async send(sending) {
      const body = JSON.stringify(orderOf(sending, campaign_id));
      const answer = await askJson(`${base}/orders`, { method: "POST", headers, body });
      if (answer.status !== null && answer.status < 300) return read(answer, sending.payments);
      const fault = refusal.safeParse(answer.body).data?.errors;
      if (!isRefusal(answer) || fault === undefined) return unknown(answer);
      const isPayee = JSON.stringify(fault.payload ?? null).includes("recipient");
      const [{ payment }] = sending.payments as [Sending["payments"][number]];
      const faults = isPayee ? [{ reference: payment.reference, reason: fault.message }] : [];
      return { kind: "refused", reason: fault.message, faults };
    },
    readWebhook: (event) => newsIn(event, { webhookKey, get: (path) => askJson(base + path, { headers }) }),
    isPrepaid: true,
    async balance(currency) {
      const answer = await askJson(`${base}/funding_sources`, { headers });
      const all = fundingSources.safeParse(answer.body).data?.funding_sources ?? [];
      const own = all.find(({ method }) => method === "balance")?.meta?.available_cents ?? null;
      // The answer names no currency. Tremendous keeps balances in US dollars unless it was agreed otherwise.
      return currency === "USD" ? own : null;
    },
  };
}

const order = z.object({
  order: z.object({
    id: z.string(),
    external_id: z.string(),
    status: z.string(),
    rewards: z.array(
      z.object({
        id: z.string(),
        value: z.object({ denomination: z.number(), currency_code: z.string() }),
        delivery: z.object({ status: z.string().optional() }).optional(),
      }),
    ),
  }),
});
const fundingSources = z.object({
  funding_sources: z.array(
    z.object({ method: z.string(), meta: z.object({ available_cents: z.int().optional() }).optional() }),
  ),
});
const refusal = z.object({ errors: z.object({ message: z.string(), payload: z.unknown().optional() }) });

/** An event names its resource, and nothing that we know. */
const webhookEvent = z.object({
  payload: z.object({ resource: z.object({ id: z.string().regex(/^\w+$/), type: z.string() }) }),
});
const rewardAnswer = z.object({ reward: z.object({ order_id: z.string().regex(/^\w+$/) }) });

/**
 * The order that an event is about. Tremendous is asked for its reference.
 *
 * @see https://developers.tremendous.com/docs/webhooks-1
 */
async function newsIn(
  { body, headers }: RawEvent,
  { webhookKey, get }: { webhookKey: string | null; get: (path: string) => Promise<Wired> },
): Promise<News | null> {
  const key = requiredKey(webhookKey, "Tremendous");
  const [, signature = ""] = /^sha256=(\w+)$/.exec(headers.get("tremendous-webhook-signature") ?? "") ?? [];
  if (!isAnyHmac([signature], { key, text: body }))
    throw new Failure("malformed", "Tremendous did not sign this event");
  const resource = webhookEvent.safeParse(parseEvent(body)).data?.payload.resource;
  if (resource === undefined || (resource.type !== "orders" && resource.type !== "rewards")) return null;
  let orderId: string | undefined = resource.id;
  if (resource.type === "rewards") {
    const reward = found(await get(`/rewards/${resource.id}`));
    orderId = rewardAnswer.safeParse(reward).data?.reward.order_id;
  }
  if (orderId === undefined) return null;
  const reference = order.safeParse(found(await get(`/orders/${orderId}`))).data?.order.external_id;
  return reference === undefined ? null : { reference, provider_id: orderId };
}

/** The body of an answer, or null if there is no such record. @throws Failure `unavailable` without an answer */
function found({ status, body, error }: Wired): unknown {
  if (status === 200) return body;
  if (status === 404) return null;
  throw new Failure("unavailable", `Tremendous can't be asked about the event now: ${error}`);
}

/** The meanings of an order's states. Others, such as a missing approval, count as under way. */
const STATES: Record<string, Report["state"]> = {
  EXECUTED: "confirmed",
  FAILED: "failed",
  CANCELED: "returned",
};

function read(answer: Wired, payments: Asked["payments"]): Answer {
  const found = order.safeParse(answer.body).data?.order;
  const [reward] = found?.rewards ?? [];
  if (found === undefined || reward === undefined)
    return { kind: "unknown", reason: "its answer can't be read" };
  const { denomination, currency_code: currency } = reward.value;
  const state = STATES[found.status] ?? "asked";
  const isUndelivered = state === "confirmed" && reward.delivery?.status === "FAILED";
  const reports = payments.map(({ payment }): Report => ({
    reference: payment.reference,
    state: isUndelivered ? "unclaimed" : state,
    amount: minorOf(String(denomination), currency),
    currency,
    provider_id: reward.id,
    fee: null,
    error: state === "confirmed" ? null : found.status.toLowerCase(),
  }));
  return { kind: "taken", provider_id: found.id, reports, isComplete: true };
}

function orderOf({ order: { reference, payments_batch_id }, payments }: Sending, campaignId: string | null) {
  const [{ payment, payee, name }] = payments as [Sending["payments"][number]];
  return {
    external_id: reference,
    payment: { funding_source_id: "balance" },
    reward: {
      campaign_id: campaignId,
      value: {
        denomination: Number(providerDecimal("tremendous", payment.amount, payment.currency)),
        currency_code: payment.currency,
      },
      recipient: { name, email: payee },
      delivery: { method: "EMAIL" },
      custom_fields: [],
    },
    note: `Payout ${batchReference({ id: payments_batch_id })}-${payment.promoter_id}`,
  };
}

function unknown(answer: Wired): Answer {
  return { kind: "unknown", reason: answer.error };
}
