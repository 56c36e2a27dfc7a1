import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SignedEvent } from "./transfer-apis.ts";

/** What may go wrong with a request that opens an account. */
export type OpeningFault = "opened, then 500" | "opened, answer lost" | "503" | "request lost";

/** A promoter's account at the stand-in. */
interface ConnectedAccount {
  id: string;
  reference: string;
  country: string;
  agreement: string | null;
  created_at: number;
  transfers: "inactive" | "pending" | "active";
  missing: string[];
  disabledReason: string | null;
  /** An account with a balance can't be closed. */
  balance: number;
}

/** A stand-in of Stripe's connected accounts on loopback. The company is in the United States. */
export interface StripeConnectApi {
  url: string;
  accounts: ConnectedAccount[];
  /** The parameters of the links that it gave. */
  links: Record<string, string>[];
  /** Where its form is. */
  formUrl: string;
  fail(...faults: OpeningFault[]): void;
  /** Countries that it refuses. */
  refused: Set<string>;
  /** Whether the key can't see any account. */
  isOther: boolean;
  isAway: boolean;
  /** The accounts that were closed. */
  closed: string[];
  event(id: string, type?: string): SignedEvent;
  close(): Promise<void>;
}

/** Stripe forgets idempotency keys after a day. */
const KEY_MS = 24 * 60 * 60 * 1_000;

export async function startStripeConnectApi(clock: () => Date): Promise<StripeConnectApi> {
  const faults: OpeningFault[] = [];
  const keys = new Map<string, { at: number; id: string }>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api: StripeConnectApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accounts: [],
    links: [],
    formUrl: "https://connect.stripe.com",
    fail: (...given) => void faults.push(...given),
    refused: new Set(),
    isOther: false,
    isAway: false,
    closed: [],
    event(account, type = "account.updated") {
      const body = JSON.stringify({ id: "evt_1", object: "event", type, account, data: { object: {} } });
      const time = Math.floor(clock().getTime() / 1_000);
      const signature = createHmac("sha256", "whsec_1").update(`${time}.${body}`).digest("hex");
      return { body, headers: { "stripe-signature": `t=${time},v1=${signature}` } };
    },
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
    const url = new URL(request.url ?? "/", "http://localhost");
    const isOpening = request.method === "POST" && url.pathname === "/v1/accounts";
    const isClosing = request.method === "DELETE";
    const fault = isOpening || isClosing ? faults.shift() : undefined;
    if (fault === "request lost") return void request.socket.destroy();
    const given = new URLSearchParams(Buffer.concat(chunks).toString());
    const key = String(request.headers["idempotency-key"]);
    const done =
      fault === "503"
        ? { status: 503, body: {} }
        : isOpening
          ? open(given, key)
          : isClosing
            ? close(url.pathname.slice("/v1/accounts/".length))
            : respond(url, given);
    if (fault === "opened, answer lost") return void request.socket.destroy();
    const { status, body } = fault === "opened, then 500" ? { status: 500, body: {} } : done;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }

  function open(given: URLSearchParams, key: string): { status: number; body: unknown } {
    const now = clock().getTime();
    const known = keys.get(key);
    if (known !== undefined && now - known.at < KEY_MS) return found(known.id);
    const country = given.get("country")!;
    if (api.refused.has(country)) {
      const error = { type: "invalid_request_error", message: `${country} is not supported` };
      return { status: 400, body: { error } };
    }
    const id = `acct_${api.accounts.length + 1}`;
    keys.set(key, { at: now, id });
    api.accounts.push({
      id,
      reference: given.get("metadata[promoter]")!,
      country,
      agreement: given.get("tos_acceptance[service_agreement]"),
      created_at: now,
      transfers: "inactive",
      missing: ["external_account", "individual.verification.document"],
      disabledReason: null,
      balance: 0,
    });
    return found(id);
  }

  function close(id: string): { status: number; body: unknown } {
    const answered = found(id);
    const at = api.accounts.findIndex((each) => each.id === id);
    if (answered.status !== 200) return answered;
    if (api.accounts[at]!.balance !== 0)
      return { status: 400, body: { error: { type: "invalid_request_error", message: "It has a balance" } } };
    api.accounts.splice(at, 1);
    api.closed.push(id);
    return { status: 200, body: { id, object: "account", deleted: true } };
  }

  function respond(
    { pathname, searchParams }: URL,
    given: URLSearchParams,
  ): { status: number; body: unknown } {
    if (pathname === "/v1/account") return { status: 200, body: { id: "acct_own", country: "US" } };
    if (pathname === "/v1/balance") return { status: 200, body: { available: [] } };
    if (pathname === "/v1/account_links") {
      api.links.push(Object.fromEntries(given));
      return {
        status: 200,
        body: { object: "account_link", url: `${api.formUrl}/${api.links.length}` },
      };
    }
    if (pathname !== "/v1/accounts") return found(pathname.slice("/v1/accounts/".length));
    const since = Number(searchParams.get("created[gte]")) * 1_000;
    const data = api.accounts.filter(({ created_at }) => created_at >= since).map(shown);
    return { status: 200, body: { object: "list", data } };
  }

  function found(id: string): { status: number; body: unknown } {
    const account = api.accounts.find((each) => each.id === id);
    if (account === undefined || api.isOther)
      return { status: 403, body: { error: { type: "invalid_request_error", message: "No access" } } };
    return { status: 200, body: shown(account) };
  }
}

function shown(account: ConnectedAccount) {
  const { id, reference, country, transfers, missing, disabledReason } = account;
  return {
    id,
    object: "account",
    country,
    details_submitted: missing.length === 0,
    payouts_enabled: transfers === "active",
    capabilities: { transfers },
    requirements: { currently_due: missing, past_due: [], disabled_reason: disabledReason },
    metadata: { promoter: reference },
  };
}
