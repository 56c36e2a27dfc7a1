import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What may go wrong with a request that asks a stand-in to pay. */
export type TransferFault = "paid, then 500" | "paid, answer lost" | "503" | "request lost";

/** What a stand-in has paid, oldest first. */
export interface Transfer {
  id: string;
  reference: string;
  payee: string;
  amount: string;
}

/** A batch group at the stand-in of Wise. */
interface DraftGroup {
  id: string;
  name: string;
  status: "NEW" | "COMPLETED";
  version: number;
  transferIds: number[];
}

/** A stand-in of Stripe, Wise or Tremendous on loopback. */
export interface TransferApi {
  url: string;
  paid: Transfer[];
  postings: number;
  fail(...faults: TransferFault[]): void;
  /** No request meets a fault any more. */
  recover(): void;
  /** Receivers that it refuses. */
  refused: Set<string>;
  /** Takes a payment back, or some of its smallest units. Only Stripe does the latter. */
  takeBack(id: string, part?: number): void;
  /** The event that it sends about a payment, signed with `webhookKey`. */
  event(transfer: Transfer): SignedEvent;
  webhookKey: string;
  /** Whether it answers nothing at all. */
  isAway: boolean;
  /** Wise's batch groups. Others have none. */
  groups: DraftGroup[];
  close(): Promise<void>;
}

export interface SignedEvent {
  body: string;
  headers: Record<string, string>;
}

type Give = (status: number, body: unknown) => void;

interface Behaviour {
  /** Pays, or refuses. */
  pay(text: string, request: IncomingMessage, api: TransferApi): { status: number; body: unknown };
  show(url: URL, api: TransferApi): { status: number; body: unknown };
  takeBack(id: string, part: number | undefined, api: TransferApi): void;
  event: TransferApi["event"];
  webhookKey: string;
  /** Whether a request asks to pay. Faults strike those alone. Absent: all that are not GET. */
  isPaying?: (url: string) => boolean;
}

const hmac = (key: string, text: string) => createHmac("sha256", key).update(text).digest("hex");

/** Stripe forgets idempotency keys after a day. */
const KEY_MS = 24 * 60 * 60 * 1_000;

/** A stand-in of Stripe's transfers. */
export function startStripeApi(clock: () => Date): Promise<TransferApi> {
  const keys = new Map<string, { at: number; id: string }>();
  const groups = new Map<string, string>();
  const currencies = new Map<string, string>();
  const reversed = new Map<string, number>();
  const shown = ({ id, reference, payee, amount }: Transfer) => ({
    id,
    object: "transfer",
    amount: Number(amount),
    currency: currencies.get(id),
    destination: payee,
    amount_reversed: reversed.get(id) ?? 0,
    reversed: reversed.get(id) === Number(amount),
    transfer_group: groups.get(id),
    metadata: { payment: reference },
  });
  return start({
    webhookKey: "whsec_1",
    takeBack(id, part, api) {
      const whole = Number(api.paid.find((each) => each.id === id)!.amount);
      reversed.set(id, part === undefined ? whole : (reversed.get(id) ?? 0) + part);
    },
    event(made) {
      const type = reversed.has(made.id) ? "transfer.reversed" : "transfer.created";
      const body = JSON.stringify({ id: "evt_1", object: "event", type, data: { object: shown(made) } });
      const time = Math.floor(clock().getTime() / 1_000);
      const signature = hmac("whsec_1", `${time}.${body}`);
      return { body, headers: { "stripe-signature": `t=${time},v1=${signature}` } };
    },
    pay(text, { headers }, api) {
      const given = new URLSearchParams(text);
      const key = String(headers["idempotency-key"]);
      const known = keys.get(key);
      if (known !== undefined && clock().getTime() - known.at < KEY_MS)
        return { status: 200, body: shown(api.paid.find(({ id }) => id === known.id)!) };
      const payee = given.get("destination")!;
      if (api.refused.has(payee)) {
        const error = {
          type: "invalid_request_error",
          param: "destination",
          message: "No such destination",
        };
        return { status: 400, body: { error } };
      }
      const id = `tr_${api.paid.length + 1}`;
      const made = { id, reference: given.get("metadata[payment]")!, payee, amount: given.get("amount")! };
      api.paid.push(made);
      keys.set(key, { at: clock().getTime(), id });
      groups.set(id, given.get("transfer_group")!);
      currencies.set(id, given.get("currency")!);
      return { status: 200, body: shown(made) };
    },
    show({ pathname, searchParams }, api) {
      if (pathname === "/v1/balance")
        return { status: 200, body: { available: [{ amount: 1_000_000, currency: "usd" }] } };
      const group = searchParams.get("transfer_group");
      const found = api.paid.filter(({ id }) => groups.get(id) === group);
      return { status: 200, body: { object: "list", has_more: false, data: found.map(shown) } };
    },
  });
}

interface TremendousBody {
  external_id: string;
  reward: { value: { denomination: number; currency_code: string }; recipient: { email: string } };
}

/** A stand-in of Tremendous' orders. */
export function startTremendousApi(): Promise<TransferApi> {
  const cancelled = new Set<string>();
  const shown = ({ id, reference, amount }: Transfer) => ({
    order: {
      id,
      external_id: reference,
      status: cancelled.has(id) ? "CANCELED" : "EXECUTED",
      rewards: [
        {
          id: `reward_${id}`,
          value: { denomination: Number(amount), currency_code: "USD" },
          delivery: { method: "EMAIL", status: "SUCCEEDED" },
        },
      ],
    },
  });
  return start({
    webhookKey: "key-1",
    takeBack: (id) => cancelled.add(id),
    event({ id }) {
      const isOver = cancelled.has(id);
      const resource = isOver ? { id, type: "orders" } : { id: `reward_${id}`, type: "rewards" };
      const event = isOver ? "ORDERS.CANCELED" : "REWARDS.DELIVERY.SUCCEEDED";
      const body = JSON.stringify({ event, uuid: "event-1", payload: { resource, meta: {} } });
      return { body, headers: { "tremendous-webhook-signature": `sha256=${hmac("key-1", body)}` } };
    },
    pay(text, _, api) {
      const { external_id: reference, reward } = JSON.parse(text) as TremendousBody;
      const known = api.paid.find((order) => order.reference === reference);
      if (known !== undefined) return { status: 201, body: shown(known) };
      if (api.refused.has(reward.recipient.email)) {
        const errors = { message: "Recipient is invalid", payload: { "reward.recipient": "is invalid" } };
        return { status: 422, body: { errors } };
      }
      const { value, recipient } = reward;
      const id = `O${api.paid.length + 1}`;
      const made = { id, reference, payee: recipient.email, amount: String(value.denomination) };
      api.paid.push(made);
      return { status: 200, body: shown(made) };
    },
    show({ pathname }, api) {
      if (pathname.endsWith("/funding_sources")) {
        const own = { method: "balance", id: "F1", meta: { available_cents: 1_000_000, pending_cents: 0 } };
        return { status: 200, body: { funding_sources: [own] } };
      }
      const [, kind, name] = /\/(orders|rewards)\/([\w-]+)$/.exec(pathname) ?? [];
      const found = api.paid.find(({ id, reference }) =>
        kind === "rewards" ? name === `reward_${id}` : name === reference || name === id,
      );
      if (kind === "rewards" && found !== undefined)
        return { status: 200, body: { reward: { id: name, order_id: found.id } } };
      return found === undefined
        ? { status: 404, body: { errors: { message: "Not found" } } }
        : { status: 200, body: shown(found) };
    },
  });
}

interface WiseBody {
  targetAmount?: number;
  details?: { email?: string };
  targetAccount?: number;
  quoteUuid?: string;
  customerTransactionId?: string;
  name?: string;
  version?: number;
}

const WISE_KEYS = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** Opens a batch group, or closes one if the version is the current one. */
function changeGroup(api: TransferApi, group: DraftGroup | undefined, given: WiseBody) {
  if (group !== undefined) {
    if (given.version !== group.version || group.status !== "NEW") return { status: 409, body: {} };
    group.status = "COMPLETED";
    group.version += 1;
    return { status: 200, body: group };
  }
  const id = `group-${api.groups.length + 1}`;
  api.groups.push({ id, name: given.name!, status: "NEW", version: 0, transferIds: [] });
  return { status: 200, body: api.groups.at(-1) };
}

/** What Wise charges: 20 cents and 0.4 % from the balance. */
function optionsFor({ targetAmount = 0 }: WiseBody) {
  const option = (payIn: string, fixed: number, disabled = false) => ({
    payIn,
    disabled,
    fee: { total: Number((fixed + targetAmount * 0.004).toFixed(2)) },
  });
  return [option("CARD", 0.1, true), option("BANK_TRANSFER", 5), option("BALANCE", 0.2)];
}

/** A stand-in of Wise. Transfers are drafts; a person funds all of them at once. */
export function startWiseApi(): Promise<TransferApi> {
  const quotes: number[] = [];
  const accounts: string[] = [];
  const refunded = new Set<string>();
  const shown = ({ id, reference, amount }: Transfer) => ({
    id: Number(id),
    status: refunded.has(id) ? "funds_refunded" : "outgoing_payment_sent",
    targetValue: Number(amount),
    targetCurrency: "USD",
    customerTransactionId: reference,
  });
  return start({
    webhookKey: WISE_KEYS.publicKey,
    takeBack: (id) => refunded.add(id),
    isPaying: (url) => url.endsWith("/transfers"),
    event(made) {
      const { id, status } = shown(made);
      const resource = { type: "transfer", id, profile_id: 7, account_id: 1 };
      const data = { resource, current_state: status, previous_state: "processing" };
      const body = JSON.stringify({ data, event_type: "transfers#state-change", schema_version: "2.0.0" });
      const signature = sign("RSA-SHA256", Buffer.from(body), WISE_KEYS.privateKey).toString("base64");
      return { body, headers: { "x-signature-sha256": signature } };
    },
    pay(text, { url }, api) {
      const given = JSON.parse(text) as WiseBody;
      if (url?.endsWith("/quotes"))
        return {
          status: 200,
          body: { id: `quote-${quotes.push(given.targetAmount!)}`, paymentOptions: optionsFor(given) },
        };
      if (url === "/v1/accounts") {
        const email = given.details!.email!;
        if (api.refused.has(email)) return { status: 422, body: { errors: [{ message: "Invalid e-mail" }] } };
        return { status: 200, body: { id: accounts.push(email) } };
      }
      const [, groupId, isDraft] = /\/batch-groups(?:\/([\w-]+))?(\/transfers)?$/.exec(url ?? "") ?? [];
      const group = api.groups.find(({ id }) => id === groupId);
      if (isDraft === undefined) return changeGroup(api, group, given);
      if (group?.status !== "NEW") return { status: 409, body: { errors: [{ message: "It is closed" }] } };
      const reference = given.customerTransactionId!;
      const known = api.paid.find((each) => each.reference === reference);
      if (known !== undefined) return { status: 200, body: shown(known) };
      group.transferIds.push(api.paid.length + 1);
      group.version += 1;
      const amount = String(quotes[Number(given.quoteUuid!.split("-")[1]) - 1]);
      const made = {
        id: String(api.paid.length + 1),
        reference,
        payee: accounts[given.targetAccount! - 1]!,
        amount,
      };
      api.paid.push(made);
      return { status: 200, body: shown(made) };
    },
    show({ pathname }, api) {
      const group = api.groups.find(({ id }) => pathname === `/v3/profiles/7/batch-groups/${id}`);
      if (group !== undefined) return { status: 200, body: group };
      if (pathname === "/v4/profiles/7/balances")
        return { status: 200, body: [{ currency: "USD", amount: { value: 100.5, currency: "USD" } }] };
      if (pathname === "/v1/transfers") return { status: 200, body: api.paid.map(shown) };
      const found = api.paid.find(({ id }) => pathname === `/v1/transfers/${id}`);
      return found === undefined ? { status: 404, body: {} } : { status: 200, body: shown(found) };
    },
  });
}

/** One address of a provider for two accounts: requests with another secret than `secret-1` go to the second stand-in. */
export async function startBoth(
  first: TransferApi,
  second: TransferApi,
): Promise<Pick<TransferApi, "url" | "close">> {
  const server = createServer(async (request, response) => {
    const isFirst = request.headers.authorization === "Bearer secret-1";
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const to = new URL(request.url ?? "/", isFirst ? first.url : second.url);
    const headers = new Headers({ authorization: "Bearer secret-1" });
    for (const name of ["content-type", "idempotency-key"]) {
      const value = request.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const body = request.method === "GET" ? null : Buffer.concat(chunks);
    try {
      const answer = await fetch(to, { method: request.method ?? "GET", headers, body });
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(await answer.text());
    } catch {
      request.socket.destroy(); // the stand-in has lost the answer
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function start(behaviour: Behaviour): Promise<TransferApi> {
  const { takeBack, event, webhookKey, isPaying = () => true } = behaviour;
  const faults: TransferFault[] = [];
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api: TransferApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paid: [],
    postings: 0,
    fail: (...given) => void faults.push(...given),
    recover() {
      faults.length = 0;
      api.isAway = false;
    },
    refused: new Set(),
    takeBack: (id, part) => takeBack(id, part, api),
    event,
    webhookKey,
    isAway: false,
    groups: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return api;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (api.isAway) return void request.socket.destroy();
    const give: Give = (status, body) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.headers.authorization !== "Bearer secret-1") return give(401, {});
    if (request.method === "GET") {
      const { status, body } = behaviour.show(new URL(request.url ?? "/", "http://localhost"), api);
      return give(status, body);
    }
    const isCounted = isPaying(request.url ?? "");
    if (isCounted) api.postings += 1;
    const fault = isCounted ? faults.shift() : undefined;
    if (fault === "request lost") return void request.socket.destroy();
    if (fault === "503") return give(503, {});
    const { status, body } = behaviour.pay(Buffer.concat(chunks).toString(), request, api);
    if (fault === "paid, answer lost") return void request.socket.destroy();
    if (fault === "paid, then 500") return give(500, {});
    give(status, body);
  }
}
