import { z } from "zod";
import { batchReference } from "../domain/ledger/payments-batch/batch.ts";
import { decimalOf } from "../domain/ledger/payments-batch/payments.ts";
import type { PaymentConnection } from "../domain/ledger/payment/connection.ts";
import type { Answer, Report } from "../domain/ledger/payment/transition.ts";
import { Failure } from "../failure.ts";
import type { Asked, PaymentProvider, Sending } from "./provider.ts";
import { askJson, isRefusal, minorOf, type Wired } from "./wire.ts";

const LIVE_URL = "https://api.wise.com";
const DAY_MS = 24 * 60 * 60 * 1_000;
const PAGE_SIZE = 100;

/**
 * Draft transfers by e-mail at Wise, which a person of the company funds there. Wise makes only one transfer per
 * `customerTransactionId`, and lists transfers with it.
 *
 * @see https://docs.wise.com/api-reference/transfer
 */
export function newWise({ apiUrl, profileId }: PaymentConnection, secret: string): PaymentProvider {
  const base = apiUrl ?? LIVE_URL;
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const ask: Ask = (path, body) =>
    askJson(base + path, {
      method: body === undefined ? "GET" : "POST",
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    mostPayments: 1,
    // Wise does not say after what time it would make a second transfer. After this, only its list is read.
    refusesRepetitionsMs: 7 * DAY_MS,
    send: (sending) => draft(ask, sending, Number(profileId)),
    find: (asked) => find(ask, asked, Number(profileId)),
    readWebhook: async () => {
      throw new Failure("malformed", "Wise's events are not accepted: the server polls Wise instead");
    },
    // A draft does not reduce the balance. The person who funds it sees the balance there.
    balance: async () => null,
  };
}

type Ask = (path: string, body?: unknown) => Promise<Wired>;

const made = z.object({ id: z.union([z.string(), z.number()]) });
const transfer = z.object({
  id: z.number(),
  status: z.string(),
  targetValue: z.number(),
  targetCurrency: z.string(),
  customerTransactionId: z.string(),
});

/** The meanings of a transfer's states. Others count as under way, also bounced money, which may be sent again. */
const STATES: Record<string, Report["state"]> = {
  outgoing_payment_sent: "confirmed",
  cancelled: "returned",
  funds_refunded: "returned",
  charged_back: "returned",
};

/** Quotes and receivers move no money, so they may be made again. */
async function draft(ask: Ask, sending: Sending, profile: number): Promise<Answer> {
  const { order, payments } = sending;
  const [{ payment, payee, name }] = payments as [Sending["payments"][number]];
  const { currency, amount } = payment;
  const targetAmount = Number(decimalOf(amount, currency));
  const quote = await ask(`/v3/profiles/${profile}/quotes`, {
    sourceCurrency: currency,
    targetCurrency: currency,
    targetAmount,
  });
  const quoteId = made.safeParse(quote.body).data?.id;
  if (!isMade(quote) || quoteId === undefined) return failure(quote, []);
  const receiver = await ask("/v1/accounts", {
    profile,
    accountHolderName: name,
    currency,
    type: "email",
    details: { email: payee },
  });
  const receiverId = made.safeParse(receiver.body).data?.id;
  if (!isMade(receiver) || receiverId === undefined) return failure(receiver, payments);
  const answer = await ask("/v1/transfers", {
    targetAccount: receiverId,
    quoteUuid: quoteId,
    customerTransactionId: payment.reference,
    details: { reference: batchReference({ id: order.paymentsBatchId }) },
  });
  const found = transfer.safeParse(answer.body).data;
  return isMade(answer) && found !== undefined ? taken(found) : failure(answer, []);
}

/** Searches the transfers since the order was first sent. */
async function find(ask: Ask, { order, payments }: Asked, profile: number): Promise<Answer> {
  const [{ payment }] = payments as [Asked["payments"][number]];
  const since = new Date(Date.parse(order.firstAskedAt ?? order.createdAt) - DAY_MS).toISOString();
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const query = `profile=${profile}&createdDateStart=${since}&limit=${PAGE_SIZE}&offset=${offset}`;
    const answer = await ask(`/v1/transfers?${query}`);
    const page = z.array(transfer).safeParse(answer.body).data;
    if (answer.status !== 200 || page === undefined) return { kind: "unknown", reason: answer.error };
    const found = page.find((each) => each.customerTransactionId === payment.reference);
    if (found !== undefined) return taken(found);
    if (page.length < PAGE_SIZE) return { kind: "absent" };
  }
}

function isMade({ status }: Wired): boolean {
  return status === 200 || status === 201;
}

function taken(found: z.output<typeof transfer>): Answer {
  const { status, targetCurrency: currency } = found;
  const state = STATES[status] ?? "asked";
  const report: Report = {
    reference: found.customerTransactionId,
    state,
    amount: minorOf(String(found.targetValue), currency),
    currency,
    providerId: String(found.id),
    fee: null,
    error: state === "returned" ? status.replaceAll("_", " ") : null,
  };
  return { kind: "taken", providerId: String(found.id), reports: [report], isComplete: true };
}

const refusal = z.object({ errors: z.array(z.object({ message: z.string().optional() })) });

/** `blamed` are the payments whose receiver was refused. */
function failure(answer: Wired, blamed: Sending["payments"]): Answer {
  if (!isRefusal(answer)) return { kind: "unknown", reason: answer.error };
  const reason = refusal.safeParse(answer.body).data?.errors[0]?.message ?? answer.error;
  return {
    kind: "refused",
    reason,
    faults: blamed.map(({ payment }) => ({ reference: payment.reference, reason })),
  };
}
