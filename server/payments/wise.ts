import { verify } from "node:crypto";
import { z } from "zod";
import { exponentOf } from "../domain/money.ts";
import { batchReference } from "../domain/ledger/payments-batch/batch.ts";
import type { PaymentConnection } from "../domain/ledger/payment/connection.ts";
import type { Answer, Report } from "../domain/ledger/payment/report.ts";
import { providerDecimal } from "../domain/ledger/payment/provider-money.ts";
import { Failure } from "../failure.ts";
import { parseEvent, askJson, isRefusal, minorOf, type Wired } from "./wire.ts";
import type {
  Asked,
  Credentials,
  DraftGroups,
  News,
  PaymentProvider,
  RawEvent,
  Sending,
} from "./provider.ts";
import { DAY_MS } from "../domain/span.ts";

const LIVE_URL = "https://api.wise.com";
const PAGE_SIZE = 100;

/**
 * Draft transfers by e-mail at Wise, in a batch group for each batch, which a person of the company funds there. Wise makes only one transfer per
 * `customerTransactionId`, and lists transfers with it.
 *
 * @see https://docs.wise.com/api-reference/transfer
 */
export function newWise(
  { api_url, profile_id }: PaymentConnection,
  { secret, webhookKey }: Credentials,
): PaymentProvider {
  const base = api_url ?? LIVE_URL;
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const ask: Ask = (path, body, method = body === undefined ? "GET" : "POST") =>
    askJson(base + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    mostPayments: 1,
    // Wise does not say after what time it would make a second transfer. After this, only its list is read.
    refusesRepetitionsMs: 7 * DAY_MS,
    send: (sending) => draft(ask, sending, Number(profile_id)),
    find: (asked) => find(ask, asked, Number(profile_id)),
    readWebhook: (event) => newsIn(ask, event, webhookKey ?? publishedKey(api_url)),
    groups: newGroups(ask, Number(profile_id)),
    // A draft does not reduce the balance, and a person may fund it from elsewhere.
    isPrepaid: false,
    async balance(currency) {
      const answer = await ask(`/v4/profiles/${profile_id}/balances?types=STANDARD`);
      const own = balances.safeParse(answer.body).data?.find((each) => each.currency === currency);
      return own === undefined ? null : minorOf(String(own.amount.value), currency);
    },
    quoteFee: (amounts, currency) => quoteFee(ask, { amounts, currency, profile: Number(profile_id) }),
  };
}

/** @see https://docs.wise.com/guides/developer/webhooks/event-handling */
const PUBLISHED_KEY =
  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvO8vXV+JksBzZAY6GhSOXdoTCfhXaaiZ+qAbtaDBiu2AGkGVpmEygFmWP4Li9m5+Ni85BhVvZOodM9epgW3FbA5Q1SexvAF1PPjX4JpMstak/QhAgl1qMSqEevL8cmUeTgcMuVWCJmlge9h7B1CSD4rtlimGZozG39rUBDg6Qt2K+P4wBfLblL0k4C4YUdLnpGYEDIth+i8XsRpFlogxCAFyH9+knYsDbR43UJ9shtc42Ybd40Afihj8KnYKXzchyQ42aC8aZ/h5hyZ28yVyOj3Vos0VdBIs/gAyJ/4yyQFCXYte64I7ssrlbGRaco4nKF3HmaNhxwyKyJafz19eHwIDAQAB";
const SANDBOX_KEY =
  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwpb91cEYuyJNQepZAVfPZIlPZfNUefH+n6w9SW3fykqKu938cR7WadQv87oF2VuT+fDt7kqeRziTmPSUhqPUys/V2Q1rlfJuXbE+Gga37t7zwd0egQ+KyOEHQOpcTwKmtZ81ieGHynAQzsn1We3jwt760MsCPJ7GMT141ByQM+yW1Bx+4SG3IGjXWyqOWrcXsxAvIXkpUD/jK/L958CgnZEgz0BSEh0QxYLITnW1lLokSx/dTianWPFEhMC9BgijempgNXHNfcVirg1lPSygz7KqoKUN0oHqWLr2U1A+7kqrl6O2nx3CKs1bj1hToT1+p4kcMoHXA7kA+VBLUpEsVwIDAQAB";

/** The key that Wise publishes for an address of its API. */
function publishedKey(apiUrl: string | null): string {
  const key = apiUrl !== null && new URL(apiUrl).hostname.includes("sandbox") ? SANDBOX_KEY : PUBLISHED_KEY;
  return `-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----`;
}

/** Events about a transfer name it by Wise's id only. */
const webhookEvent = z.object({
  event_type: z.string().startsWith("transfers#"),
  data: z.object({ resource: z.object({ id: z.int() }) }),
});

/** The payment that an event is about. Wise is asked for its reference. */
async function newsIn(ask: Ask, { body, headers }: RawEvent, key: string): Promise<News | null> {
  const signature = Buffer.from(headers.get("x-signature-sha256") ?? "", "base64");
  if (!verify("RSA-SHA256", Buffer.from(body), key, signature))
    throw new Failure("malformed", "Wise did not sign this event");
  const id = webhookEvent.safeParse(parseEvent(body)).data?.data.resource.id;
  if (id === undefined) return null;
  const answer = await ask(`/v1/transfers/${id}`);
  const found = transfer.safeParse(answer.body).data;
  if (answer.status === 200 && found !== undefined)
    return { reference: found.customerTransactionId, provider_id: String(id) };
  // A transfer of another profile, or one that was made by hand.
  if (answer.status === 403 || answer.status === 404 || answer.status === 200) return null;
  throw new Failure("unavailable", `Wise can't be asked about the event now: ${answer.error}`);
}

type Ask = (path: string, body?: unknown, method?: "GET" | "POST" | "PATCH") => Promise<Wired>;

const made = z.object({ id: z.union([z.string(), z.number()]) });
const balances = z.array(z.object({ currency: z.string(), amount: z.object({ value: z.number() }) }));
const quoted = z.object({
  paymentOptions: z.array(
    z.object({
      payIn: z.string(),
      disabled: z.boolean().optional(),
      fee: z.object({ total: z.number() }),
    }),
  ),
});
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
  const targetAmount = Number(providerDecimal("wise", amount, currency));
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
  const answer = await ask(`${groupsPath(profile)}/${sending.group_id}/transfers`, {
    targetAccount: receiverId,
    quoteUuid: quoteId,
    customerTransactionId: payment.reference,
    details: { reference: batchReference({ id: order.payments_batch_id }) },
  });
  const found = transfer.safeParse(answer.body).data;
  return isMade(answer) && found !== undefined ? taken(found) : failure(answer, []);
}

function groupsPath(profile: number): string {
  return `/v3/profiles/${profile}/batch-groups`;
}

const batchGroup = z.object({
  id: z.string().regex(/^[\w-]+$/),
  status: z.string(),
  version: z.int(),
  transferIds: z.array(z.unknown()).optional(),
});

/**
 * The batch groups of a profile. One that is `NEW` takes drafts; once it is `COMPLETED`, a person can fund it.
 *
 * @see https://docs.wise.com/api-reference/batch-group
 */
function newGroups(ask: Ask, profile: number): DraftGroups {
  const path = groupsPath(profile);
  const read = async (groupId: string) => {
    const answer = await ask(`${path}/${groupId}`);
    return { answer, found: batchGroup.safeParse(answer.body).data ?? null };
  };
  return {
    mostDrafts: 1_000,
    async open(name, currency) {
      const answer = await ask(path, { name, sourceCurrency: currency });
      return batchGroup.safeParse(answer.body).data?.id ?? null;
    },
    async stateOf(groupId) {
      const { answer, found } = await read(groupId);
      if (answer.status === 404) return "closed";
      if (found === null) return "unknown";
      if (found.status !== "NEW") return "closed";
      return found.transferIds?.length === 0 ? "empty" : "open";
    },
    async close(groupId) {
      const { found } = await read(groupId);
      if (found === null) return false;
      const change = { status: "COMPLETED", version: found.version };
      const answer = await ask(`${path}/${groupId}`, change, "PATCH");
      return answer.status === 200;
    },
  };
}

/**
 * Asks for a quote of the average amount. Wise charges a fixed part and a percentage, so that the sum is right, except for
 * rounding and for discounts of large amounts.
 */
async function quoteFee(
  ask: Ask,
  { amounts, currency, profile }: { amounts: number[]; currency: string; profile: number },
): Promise<number | null> {
  const mean = Math.round(amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length);
  const answer = await ask(`/v3/profiles/${profile}/quotes`, {
    sourceCurrency: currency,
    targetCurrency: currency,
    targetAmount: Number(providerDecimal("wise", mean, currency)),
  });
  const options = quoted.safeParse(answer.body).data?.paymentOptions.filter(({ disabled }) => !disabled);
  const option = options?.find(({ payIn }) => payIn === "BALANCE") ?? options?.[0];
  if (option === undefined) return null;
  return Math.round(option.fee.total * 10 ** (exponentOf(currency) ?? 2) * amounts.length);
}

/** Searches the transfers since the order was first sent. */
async function find(ask: Ask, { order, payments }: Asked, profile: number): Promise<Answer> {
  const [{ payment }] = payments as [Asked["payments"][number]];
  const since = new Date(Date.parse(order.first_asked_at ?? order.created_at) - DAY_MS).toISOString();
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
    provider_id: String(found.id),
    fee: null,
    error: state === "returned" ? status.replaceAll("_", " ") : null,
  };
  return { kind: "taken", provider_id: String(found.id), reports: [report], isComplete: true };
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
