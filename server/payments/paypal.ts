import { z } from "zod";
import { batchReference } from "../domain/ledger/payments-batch/batch.ts";
import type { PaymentConnection } from "../domain/ledger/payment/connection.ts";
import type { Answer, Report } from "../domain/ledger/payment/report.ts";
import { providerDecimal } from "../domain/ledger/payment/provider-money.ts";
import { Failure } from "../failure.ts";
import { parseEvent, askJson, isRefusal, minorOf, type Wired } from "./wire.ts";
import type { Credentials, News, PaymentProvider, RawEvent, Sending } from "./provider.ts";
import { DAY_MS } from "../domain/span.ts";

const LIVE_URL = "https://api-m.paypal.com";
/** PayPal allows 15,000. But an order is one commit, and one invalid receiver makes PayPal refuse the whole order. */
const MOST_PAYMENTS = 500;
const PAGE_SIZE = 1_000;

/** Far less than the day by which `refusesRepetitionsMs` is shorter than PayPal's promise. */
const MOST_CLOCK_ERROR_MS = 60 * 60 * 1_000;

/**
 * PayPal Payouts. PayPal can't look up a batch by our reference, but it refuses a `sender_batch_id` of the last thirty days
 * and returns the batch that has it. So within this time, sending again is the lookup.
 *
 * @see https://developer.paypal.com/docs/api/payments.payouts-batch/v1/
 */
export function newPaypal(connection: PaymentConnection, { secret }: Credentials): PaymentProvider {
  const ask = newApi(connection, secret);
  return {
    mostPayments: MOST_PAYMENTS,
    refusesRepetitionsMs: 29 * DAY_MS,
    send: (sending) => pay(ask, sending),
    async find({ order }) {
      return order.provider_id === null
        ? { kind: "unaskable" }
        : read(ask, order.provider_id, order.currency);
    },
    readWebhook: (event) => referenceIn(ask, event, connection.webhook_id),
    isPrepaid: true,
    async balance(currency) {
      const answer = await ask(`/v1/reporting/balances?currency_code=${currency}`);
      const found = balances.safeParse(answer.body).data?.balances.find((each) => each.currency === currency);
      const value = found?.available_balance?.value;
      return value === undefined ? null : minorOf(value, currency);
    },
  };
}

/** Sends a request with a token to PayPal: POST with a body, otherwise GET. */
type Ask = (path: string, body?: unknown, given?: { now: Date }) => Promise<Wired>;

interface Token {
  bearer: string;
  date: Date | null;
}

/**
 * The token is kept, because an adapter is used for a single order. PayPal may refuse it before it expires: the request
 * was not executed then, and is sent again with a new one.
 */
function newApi({ client_id, api_url }: PaymentConnection, secret: string): Ask {
  const base = api_url ?? LIVE_URL;
  let token: Promise<Token | Wired> | null = null;
  return async (path, body, given) => {
    const answer = await askOnce(path, body, given);
    if (answer.status !== 401) return answer;
    token = null;
    return askOnce(path, body, given);
  };

  async function askOnce(path: string, body?: unknown, given?: { now: Date }): Promise<Wired> {
    const own = await (token ??= fetchToken());
    if (!("bearer" in own)) return own;
    const error = given && own.date && clockError(given.now, own.date);
    if (error) return { status: null, body: null, error, date: own.date };
    return askJson(base + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${own.bearer}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async function fetchToken(): Promise<Token | Wired> {
    const answer = await askJson(`${base}/v1/oauth2/token`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${client_id}:${secret}`).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "grant_type=client_credentials",
    });
    const parsed = z.object({ access_token: z.string() }).safeParse(answer.body);
    if (answer.status === 200 && parsed.success)
      return { bearer: parsed.data.access_token, date: answer.date };
    return { ...answer, error: isRefusal(answer) ? "it refused the client id or the secret" : answer.error };
  }
}

/**
 * Why nothing is paid now, or null. PayPal counts its thirty days from the first request by its own clock, and the server by
 * its own: if they differed by weeks, an order could be repeated after PayPal has forgotten it.
 */
function clockError(now: Date, date: Date): string | null {
  if (Math.abs(now.getTime() - date.getTime()) <= MOST_CLOCK_ERROR_MS) return null;
  return `the server's clock says ${minuteOf(now)}, and PayPal's ${minuteOf(date)}`;
}

function minuteOf(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

async function pay(ask: Ask, sending: Sending): Promise<Answer> {
  const now = new Date(sending.order.last_asked_at ?? sending.order.created_at);
  const answer = await ask("/v1/payments/payouts", bodyOf(sending), { now });
  const parsed = created.safeParse(answer.body);
  if (answer.status !== null && answer.status < 300 && parsed.success) {
    const { payout_batch_id: providerId } = parsed.data.batch_header;
    return { kind: "taken", provider_id: providerId, reports: askedReports(sending), isComplete: false };
  }
  const fault = refusal.safeParse(answer.body).data;
  const known = fault?.details?.find(({ field }) => field?.toUpperCase() === "SENDER_BATCH_ID");
  if (known !== undefined) {
    const batchId = batchIdIn(known);
    if (batchId !== null) return read(ask, batchId, sending.order.currency);
    return { kind: "unknown", reason: "it has had this request before, and does not name its batch" };
  }
  if (!isRefusal(answer)) return unknown(answer, parsed.error);
  const words = fault?.name === undefined ? answer.error : `it refused: ${fault.message ?? fault.name}`;
  return { kind: "refused", reason: words, faults: faultsIn(fault?.details ?? [], sending) };
}

/** Reads all pages of a batch. A payment counts as missing only if PayPal has listed as many as it says there are. */
async function read(ask: Ask, batchId: string, currency: string): Promise<Answer> {
  const reports: Report[] = [];
  const ids = new Set<string>();
  for (let page = 1; ; page += 1) {
    const query = `page_size=${PAGE_SIZE}&page=${page}&total_required=true`;
    const answer = await ask(`/v1/payments/payouts/${encodeURIComponent(batchId)}?${query}`);
    const parsed = payoutBatch.safeParse(answer.body);
    if (answer.status !== 200 || !parsed.success) return unknown(answer, parsed.error);
    const { batch_header: header, items = [], total_pages: pages = 1, total_items: total } = parsed.data;
    reports.push(...items.map((item) => reportOf(item, currency)));
    for (const { payout_item_id: id } of items) ids.add(id);
    if (page < pages && items.length > 0) continue;
    // A batch that is still being processed may not list all items yet.
    const isFinal = FINAL.has(header.batch_status);
    const isShort = isFinal && total !== undefined && ids.size !== total;
    return {
      kind: "taken",
      provider_id: header.payout_batch_id,
      reports,
      isComplete: isFinal && !isShort,
      ...(isShort && { gap: `it lists ${ids.size} of ${total} payments` }),
    };
  }
}

/** The order that an event is about, after PayPal has confirmed its signature. */
async function referenceIn(
  ask: Ask,
  { body, headers }: RawEvent,
  webhookId: string | null,
): Promise<News | null> {
  if (webhookId === null) throw new Failure("malformed", "No webhook id is set for PayPal");
  const event = parseEvent(body);
  const given = (name: string) => headers.get(`paypal-${name}`) ?? "";
  const answer = await ask("/v1/notifications/verify-webhook-signature", {
    auth_algo: given("auth-algo"),
    cert_url: given("cert-url"),
    transmission_id: given("transmission-id"),
    transmission_sig: given("transmission-sig"),
    transmission_time: given("transmission-time"),
    webhook_id: webhookId,
    webhook_event: event,
  });
  const verdict = z.object({ verification_status: z.string() }).safeParse(answer.body).data;
  if (answer.status === 200 && verdict?.verification_status === "SUCCESS")
    return webhookEvent.safeParse(event).data?.resource ?? null;
  // A request without the headers of a signature is answered with 400.
  if (verdict !== undefined || answer.status === 400)
    throw new Failure("malformed", "PayPal did not sign this event");
  throw new Failure("unavailable", `PayPal can't check the signature now: ${answer.error}`);
}

/** The final statuses of a batch. */
const FINAL = new Set(["SUCCESS", "DENIED", "CANCELED"]);

/** The meanings of an item's states. An unknown state counts as under way. */
const STATES: Record<string, Report["state"]> = {
  SUCCESS: "confirmed",
  FAILED: "failed",
  BLOCKED: "failed",
  DENIED: "failed",
  UNCLAIMED: "unclaimed",
  RETURNED: "returned",
  REFUNDED: "returned",
  REVERSED: "returned",
};

/** Errors of an item that are the receiver's fault. */
const PAYEE_FAULTS = /RECEIVER|RECIPIENT|EMAIL|UNREGISTERED/;

const money = z.object({ currency: z.string(), value: z.string() });
const payoutItem = z.object({
  payout_item_id: z.string(),
  transaction_status: z.string(),
  payout_item_fee: money.optional(),
  payout_item: z.object({ sender_item_id: z.string().optional(), amount: money }),
  errors: z.object({ name: z.string().optional(), message: z.string().optional() }).optional(),
});
const payoutBatch = z.object({
  batch_header: z.object({ payout_batch_id: z.string(), batch_status: z.string() }),
  items: z.array(payoutItem).optional(),
  total_pages: z.int().optional(),
  total_items: z.int().optional(),
});
const created = z.object({ batch_header: z.object({ payout_batch_id: z.string().min(1) }) });
const detail = z.object({
  field: z.string().optional(),
  issue: z.string().optional(),
  link: z.array(z.object({ href: z.string() })).optional(),
});
const refusal = z.object({
  name: z.string().optional(),
  message: z.string().optional(),
  details: z.array(detail).optional(),
});
const balances = z.object({
  balances: z.array(
    z.object({ currency: z.string(), available_balance: z.object({ value: z.string() }).optional() }),
  ),
});
/** An event about an item has our reference in the item, an event about a batch in the batch header. */
const webhookEvent = z.object({
  resource: z
    .object({
      sender_batch_id: z.string().optional(),
      payout_batch_id: z.string().optional(),
      batch_header: z
        .object({
          payout_batch_id: z.string().optional(),
          sender_batch_header: z.object({ sender_batch_id: z.string().optional() }).optional(),
        })
        .optional(),
    })
    .transform(({ batch_header: batch, ...item }): News | null => {
      const reference = item.sender_batch_id ?? batch?.sender_batch_header?.sender_batch_id;
      if (reference === undefined) return null;
      return { reference, provider_id: item.payout_batch_id ?? batch?.payout_batch_id ?? null };
    }),
});

function bodyOf({ order, payments }: Sending) {
  const batch = batchReference({ id: order.payments_batch_id });
  return {
    sender_batch_header: { sender_batch_id: order.reference, recipient_type: "EMAIL" },
    items: payments.map(({ payment, payee }) => ({
      recipient_type: "EMAIL",
      receiver: payee,
      amount: {
        value: providerDecimal("paypal", payment.amount, payment.currency),
        currency: payment.currency,
      },
      sender_item_id: payment.reference,
      note: `Payout ${batch}-${payment.promoter_id}`,
      recipient_wallet: "PAYPAL",
    })),
  };
}

/** PayPal has accepted the batch; the results of its items come later. */
function askedReports({ payments }: Sending): Report[] {
  return payments.map(({ payment: { reference } }) => ({
    reference,
    state: "asked",
    amount: null,
    currency: null,
    provider_id: null,
    fee: null,
    error: null,
  }));
}

function reportOf(item: z.output<typeof payoutItem>, currency: string): Report {
  const { payout_item: sent, payout_item_fee: fee, errors } = item;
  const state = STATES[item.transaction_status] ?? "asked";
  const isFault = state === "failed" && PAYEE_FAULTS.test(errors?.name ?? "");
  return {
    reference: sent.sender_item_id ?? "",
    state,
    amount: minorOf(sent.amount.value, sent.amount.currency),
    currency: sent.amount.currency,
    provider_id: item.payout_item_id,
    fee: fee === undefined || fee.currency !== currency ? null : minorOf(fee.value, currency),
    error: errors?.message ?? (state === "confirmed" ? null : item.transaction_status.toLowerCase()),
    ...(isFault && { is_payee_fault: true }),
  };
}

/** The id of the batch in the answer to a refused repetition. The URL itself is never requested. */
function batchIdIn({ link }: z.output<typeof detail>): string | null {
  const href = link?.[0]?.href ?? "";
  return /\/payouts\/([\w-]+)$/.exec(href)?.[1] ?? null;
}

/** The payments that caused a refusal: `items[3].receiver` is the fourth one. */
function faultsIn(details: z.output<typeof detail>[], { payments }: Sending) {
  return details.flatMap(({ field, issue }) => {
    const index = /items\[(\d+)\]/i.exec(field ?? "")?.[1];
    const blamed = index === undefined ? undefined : payments[Number(index)];
    return blamed === undefined ? [] : [{ reference: blamed.payment.reference, reason: issue ?? "refused" }];
  });
}

function unknown(answer: Wired, fault?: z.ZodError): Answer {
  const [issue] = fault?.issues ?? [];
  const isUnread = answer.status === 200 || answer.status === 201;
  const reason = isUnread ? `its answer can't be read: ${issue?.path.join(".")}` : answer.error;
  return { kind: "unknown", reason };
}
