import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What may go wrong with one request that asks PayPal to pay. */
export const PAYPAL_FAULTS = [
  /** It pays, and answers 500. */
  "paid, then 500",
  /** It pays, and the answer is lost. */
  "paid, answer lost",
  /** It pays, and a proxy answers with a page. */
  "paid, then a page",
  /** It answers 503 and pays nothing. */
  "503",
  /** The request is lost. */
  "request lost",
] as const;

export type PaypalFault = (typeof PAYPAL_FAULTS)[number];

export type ItemStatus = "PENDING" | "SUCCESS" | "UNCLAIMED" | "FAILED" | "RETURNED" | "REVERSED" | "ONHOLD";

/** A payment at the stand-in. */
export interface PaypalItem {
  id: string;
  reference: string;
  receiver: string;
  value: string;
  currency: string;
  status: ItemStatus;
}

interface PaypalBatch {
  id: string;
  reference: string;
  at: number;
  items: PaypalItem[];
}

/** A stand-in of PayPal on loopback, which keeps what it has paid. */
export interface PaypalApi {
  url: string;
  batches: PaypalBatch[];
  items(): PaypalItem[];
  /** The next requests that ask it to pay meet these faults, one each. */
  fail(...faults: PaypalFault[]): void;
  /** No request meets a fault any more. */
  recover(): void;
  /** Whether it answers nothing at all. */
  isAway: boolean;
  /** Receivers that it refuses before it pays anything. */
  refused: Set<string>;
  /** What the company has, as a decimal number. null: it may not be asked. */
  balance: string | null;
  /** Called for each request, before it is answered. null: no test watches. */
  watch: (() => void) | null;
  /** How many requests it answers 401. It forgets all tokens that it gave before. */
  passing401s: number;
  /** The number of payments of a batch that it leaves out of its list. */
  unlisted: number;
  /** How far its clock is ahead of the one that it was given. */
  aheadMs: number;
  /** How often it was asked to pay. */
  postings: number;
  /** Moves an item on, and resolves to the event that PayPal would send. */
  settle(item: PaypalItem, status: ItemStatus): { body: string; headers: Record<string, string> };
  close(): Promise<void>;
}

/** PayPal remembers our name of a batch for thirty days. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1_000;
const SIGNATURE = "signed-by-paypal";

interface Body {
  sender_batch_header: { sender_batch_id: string };
  items: { sender_item_id: string; receiver: string; amount: { value: string; currency: string } }[];
}

export async function startPaypalApi(clock: () => Date, { port = 0 } = {}): Promise<PaypalApi> {
  const faults: PaypalFault[] = [];
  const tokens = new Set<string>();
  let given = 0;
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const api: PaypalApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches: [],
    items: () => api.batches.flatMap(({ items }) => items),
    fail: (...next) => void faults.push(...next),
    recover() {
      faults.length = 0;
      api.isAway = false;
    },
    isAway: false,
    refused: new Set(),
    balance: null,
    watch: null,
    passing401s: 0,
    unlisted: 0,
    aheadMs: 0,
    postings: 0,
    settle(item, status) {
      item.status = status;
      const batch = api.batches.find(({ items }) => items.includes(item))!;
      const event = {
        event_type: `PAYMENT.PAYOUTS-ITEM.${status}`,
        resource: { sender_batch_id: batch.reference },
      };
      return { body: JSON.stringify(event), headers: { "paypal-transmission-sig": SIGNATURE } };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return api;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    api.watch?.();
    const text = await textOf(request);
    if (api.isAway) return void request.socket.destroy();
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const give = (status: number, body: unknown) => {
      const headers = { "content-type": "application/json", date: hisClock().toUTCString() };
      response.writeHead(status, headers);
      response.end(JSON.stringify(body));
    };
    if (pathname === "/v1/oauth2/token") return giveToken(request, give);
    if (api.passing401s > 0) {
      api.passing401s -= 1;
      tokens.clear();
    }
    if (!tokens.has(request.headers.authorization ?? ""))
      return give(401, { name: "AUTHENTICATION_FAILURE" });
    if (pathname === "/v1/notifications/verify-webhook-signature") {
      const { transmission_sig: signature } = JSON.parse(text) as { transmission_sig: string };
      return give(200, { verification_status: signature === SIGNATURE ? "SUCCESS" : "FAILURE" });
    }
    if (pathname === "/v1/reporting/balances") {
      if (api.balance === null) return give(403, { name: "NOT_AUTHORIZED" });
      const money = { currency_code: "USD", value: api.balance };
      return give(200, { balances: [{ currency: "USD", total_balance: money, available_balance: money }] });
    }
    if (request.method === "GET") {
      const batch = api.batches.find(({ id }) => pathname === `/v1/payments/payouts/${id}`);
      return batch === undefined
        ? give(404, { name: "RESOURCE_NOT_FOUND" })
        : give(200, shown(batch, api.unlisted));
    }
    api.postings += 1;
    const fault = faults.shift();
    if (fault === "request lost") return void request.socket.destroy();
    if (fault === "503") return give(503, { name: "SERVICE_UNAVAILABLE" });
    const { status, body } = pay(JSON.parse(text) as Body);
    if (fault === "paid, answer lost") return void request.socket.destroy();
    if (fault === "paid, then 500") return give(500, { name: "INTERNAL_SERVER_ERROR" });
    if (fault === "paid, then a page") {
      response.writeHead(502, { "content-type": "text/html" });
      return void response.end("<h1>Bad gateway</h1>");
    }
    give(status, body);
  }

  function hisClock(): Date {
    return new Date(clock().getTime() + api.aheadMs);
  }

  function giveToken(request: IncomingMessage, give: (status: number, body: unknown) => void): void {
    const expected = `Basic ${Buffer.from("client-1:secret-1").toString("base64")}`;
    if (request.headers.authorization !== expected) return give(401, { error: "invalid_client" });
    const token = `token-${(given += 1)}`;
    tokens.add(`Bearer ${token}`);
    give(200, { access_token: token, token_type: "Bearer", expires_in: 32_400 });
  }

  function pay({ sender_batch_header: { sender_batch_id: reference }, items }: Body): {
    status: number;
    body: unknown;
  } {
    const now = hisClock().getTime();
    const known = api.batches.find(
      (batch) => batch.reference === reference && now - batch.at < REMEMBERED_MS,
    );
    if (known !== undefined) {
      const link = [
        { href: `https://api.paypal.com/v1/payments/payouts/${known.id}`, rel: "self", method: "GET" },
      ];
      const issue = "Batch with given sender_batch_id already exists";
      const details = [{ field: "SENDER_BATCH_ID", issue, link }];
      return { status: 400, body: { name: "USER_BUSINESS_ERROR", message: "User business error.", details } };
    }
    const details = items.flatMap(({ receiver }, index) =>
      api.refused.has(receiver) ? [{ field: `items[${index}].receiver`, issue: "Receiver is invalid" }] : [],
    );
    if (details.length > 0) {
      return {
        status: 400,
        body: { name: "VALIDATION_ERROR", message: "Invalid request - see details.", details },
      };
    }
    const id = `B${api.batches.length + 1}`;
    const made = items.map(({ sender_item_id: own, receiver, amount }, index): PaypalItem => ({
      id: `${id}-${index + 1}`,
      reference: own,
      receiver,
      ...amount,
      status: "PENDING",
    }));
    api.batches.push({ id, reference, at: now, items: made });
    return { status: 201, body: { batch_header: { payout_batch_id: id, batch_status: "PENDING" } } };
  }
}

function shown({ id, reference, items }: PaypalBatch, unlisted: number) {
  const isOpen = items.some(({ status }) => status === "PENDING" || status === "ONHOLD");
  return {
    batch_header: {
      payout_batch_id: id,
      batch_status: isOpen ? "PROCESSING" : "SUCCESS",
      sender_batch_header: { sender_batch_id: reference },
    },
    total_pages: 1,
    total_items: items.length,
    items: items.slice(unlisted).map((item) => ({
      payout_item_id: item.id,
      payout_batch_id: id,
      transaction_status: item.status,
      payout_item_fee: { currency: item.currency, value: "0.25" },
      payout_item: {
        sender_item_id: item.reference,
        receiver: item.receiver,
        amount: { value: item.value, currency: item.currency },
      },
      ...(item.status === "FAILED" && {
        errors: { name: "RECEIVER_ACCOUNT_LOCKED", message: "The account is locked" },
      }),
    })),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
