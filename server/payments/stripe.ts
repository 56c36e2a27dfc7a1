import { z } from "zod";
import { decimalOf } from "../domain/money.ts";
import { batchReference } from "../domain/ledger/payments-batch/batch.ts";
import type { PaymentConnection } from "../domain/ledger/payment/connection.ts";
import type { Answer, Report } from "../domain/ledger/payment/report.ts";
import { isoAmount, providerAmount } from "../domain/ledger/payment/provider-money.ts";
import { Failure } from "../failure.ts";
import { isAnyHmac, parseEvent, requiredKey, askJson, isRefusal, type Wired } from "./wire.ts";
import type { Credentials, News, PaymentProvider, RawEvent, Sending } from "./provider.ts";

/** The address of Stripe's API. */
export const LIVE_URL = "https://api.stripe.com";
/** How long Stripe remembers an idempotency key: a day, less an hour. */
export const REMEMBERED_MS = 23 * 60 * 60 * 1_000;

/**
 * Stripe transfers to the promoters' connected accounts, with a restricted key of the company. Stripe forgets idempotency
 * keys after a day, but lists transfers by `transfer_group`, which is our reference.
 *
 * @see https://docs.stripe.com/api/transfers
 */
export function newStripe(
  { api_url }: PaymentConnection,
  { secret, webhookKey }: Credentials,
): PaymentProvider {
  const base = api_url ?? LIVE_URL;
  const authorization = `Bearer ${secret}`;
  const get = (path: string) => askJson(base + path, { headers: { authorization } });

  return {
    // A transfer is one payment; a second one in the group would need its own idempotency key.
    mostPayments: 1,
    refusesRepetitionsMs: REMEMBERED_MS,
    async send(sending) {
      const answer = await askJson(`${base}/v1/transfers`, {
        method: "POST",
        headers: { authorization, "idempotency-key": sending.order.reference },
        body: transferOf(sending),
      });
      const made = transfer.safeParse(answer.body).data;
      if (answer.status === 200 && made !== undefined) return taken([made]);
      const fault = stripeFault(answer);
      // An idempotency error is about another request with the same key, which may have been executed.
      if (!isRefusal(answer) || fault === null || fault.type === "idempotency_error") return unknown(answer);
      return { kind: "refused", reason: fault.message ?? fault.type, faults: faultsOf(fault, sending) };
    },
    async find({ order }) {
      const answer = await get(`/v1/transfers?transfer_group=${order.reference}&limit=10`);
      const found = z.object({ data: z.array(transfer) }).safeParse(answer.body).data;
      if (answer.status !== 200 || found === undefined) return unknown(answer);
      return found.data.length === 0 ? { kind: "absent" } : taken(found.data);
    },
    readWebhook: async (event) => newsIn(event, webhookKey),
    isPrepaid: true,
    async balance(currency) {
      const answer = await get("/v1/balance");
      const found = balance.safeParse(answer.body).data?.available;
      const own = found?.find((each) => each.currency === currency.toLowerCase())?.amount;
      return own === undefined ? null : isoAmount("stripe", own, currency);
    },
  };
}

/** Stripe's own recommendation. */
const TOLERANCE_SECONDS = 300;

/** `data.object` of an event about a transfer is the transfer. */
const transferEvent = z.object({
  type: z.string().startsWith("transfer."),
  data: z.object({ object: z.object({ id: z.string(), transfer_group: z.string() }) }),
});
/** Events about a promoter's account, its capabilities and its payouts to a bank name the account. */
const accountEvent = z.object({
  type: z.string().regex(/^(?:account|capability|payout)\./),
  account: z.string(),
});

/** The order, or the promoter's account, that an event is about. */
function newsIn(event: RawEvent, webhookKey: string | null): News | null {
  if (!isSigned(event, requiredKey(webhookKey, "Stripe").split(" ")))
    throw new Failure("malformed", "The signature is not Stripe's for this account, or it is too old");
  const parsed = parseEvent(event.body);
  const payee = accountEvent.safeParse(parsed).data?.account;
  if (payee !== undefined) return { payee };
  const found = transferEvent.safeParse(parsed).data?.data.object;
  return found === undefined ? null : { reference: found.transfer_group, provider_id: found.id };
}

/**
 * Whether one of the secrets has signed an event in the last minutes: `t=1760000000,v1=…,v1=…`.
 *
 * @see https://docs.stripe.com/webhooks/signature
 */
function isSigned({ body, headers, now }: RawEvent, keys: string[]): boolean {
  const parts = (headers.get("stripe-signature") ?? "").split(",").map((part) => part.trim().split("="));
  const given = (name: string) => parts.flatMap(([key, value]) => (key === name && value ? [value] : []));
  const [time = ""] = given("t");
  const ageSeconds = Math.floor(now.getTime() / 1_000) - Number(time);
  if (!/^\d{1,12}$/.test(time) || Math.abs(ageSeconds) > TOLERANCE_SECONDS) return false;
  return keys.some((key) => isAnyHmac(given("v1"), { key, text: `${time}.${body}` }));
}

const transfer = z.object({
  id: z.string(),
  amount: z.int(),
  currency: z.string().toUpperCase(),
  reversed: z.boolean(),
  amount_reversed: z.int().default(0),
  metadata: z.object({ payment: z.string().optional() }),
});
const balance = z.object({ available: z.array(z.object({ amount: z.int(), currency: z.string() })) });
const refusal = z.object({
  error: z.object({ type: z.string(), message: z.string().optional(), param: z.string().optional() }),
});

/** What Stripe says about a request that failed, or null. */
export function stripeFault({ body }: Wired): z.output<typeof refusal>["error"] | null {
  return refusal.safeParse(body).data?.error ?? null;
}

function transferOf({ order, payments }: Sending): URLSearchParams {
  const [{ payment, payee }] = payments as [Sending["payments"][number]];
  return new URLSearchParams({
    amount: String(providerAmount("stripe", payment.amount, payment.currency)),
    currency: payment.currency.toLowerCase(),
    destination: payee,
    transfer_group: order.reference,
    "metadata[payment]": payment.reference,
    description: `Payout ${batchReference({ id: order.payments_batch_id })}-${payment.promoter_id}`,
  });
}

/** A transfer reaches the promoter's account immediately. Only the company can reverse it. */
function taken(found: z.output<typeof transfer>[]): Answer {
  const reports = found.map((each): Report => ({
    reference: each.metadata.payment ?? "",
    ...outcomeOf(each),
    amount: isoAmount("stripe", each.amount, each.currency),
    currency: each.currency,
    provider_id: each.id,
    fee: null,
  }));
  return { kind: "taken", provider_id: found[0]?.id ?? null, reports, isComplete: true };
}

/** `reversed` is true only if the whole amount was. */
function outcomeOf(found: z.output<typeof transfer>): Pick<Report, "state" | "error"> {
  const { reversed, amount_reversed: part, amount, currency } = found;
  if (reversed) return { state: "returned", error: "the transfer was reversed" };
  if (part === 0) return { state: "confirmed", error: null };
  const [back, whole] = [part, amount].map((each) => inUnits(each, currency));
  return { state: "partly_returned", error: `${back} of ${whole} ${currency} were reversed` };
}

function inUnits(amount: number, currency: string): string {
  return decimalOf(isoAmount("stripe", amount, currency), currency);
}

function faultsOf(
  { param, message }: { param?: string | undefined; message?: string | undefined },
  sending: Sending,
) {
  if (param !== "destination") return [];
  return sending.payments.map(({ payment }) => ({
    reference: payment.reference,
    reason: message ?? "refused",
  }));
}

function unknown(answer: Wired): Answer {
  return { kind: "unknown", reason: answer.error };
}
