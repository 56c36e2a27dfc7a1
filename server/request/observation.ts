import { createHash, timingSafeEqual } from "node:crypto";
import type { EventHandler, H3Event } from "h3";
import { Failure } from "../failure.ts";
import { NO_STORE, plainText } from "../http/answer.ts";
import { readBearer } from "../http/credentials.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import { v1Error } from "../http/errors.ts";
import { refuse, requestId } from "./refusal.ts";
import type { Services } from "./services.ts";
import { listAccounts } from "../domain/program/account/account.ts";
import { countFailingWebhooks } from "../domain/home.ts";
import { countHeld, loadBacklog } from "../domain/events/webhook/backlog.ts";
import type { Store } from "../storage/store.ts";
import type { Stock } from "./metrics.ts";

/**
 * Wraps a handler so that its requests are counted by route and, with `LOG_LEVEL=debug`, logged in one line
 * each. The only client data in either is the method.
 */
export function observed({ metrics, log }: Services, route: string, handler: EventHandler): EventHandler {
  const hasAccessLog = log.isLevelEnabled("debug");
  if (metrics === null && !hasAccessLog) return handler;

  function note(event: H3Event, began: number, status: number): void {
    const milliseconds = performance.now() - began;
    const answered = { method: event.req.method, route, status };
    metrics?.record({ ...answered, seconds: milliseconds / 1_000 });
    if (!hasAccessLog) return;
    log.debug(
      { ...answered, milliseconds: Number(milliseconds.toFixed(3)), requestId: requestId(event) },
      "request",
    );
  }

  return async (event) => {
    const began = performance.now();
    try {
      const answer = await handler(event);
      note(event, began, answer instanceof Response ? answer.status : 200);
      return answer;
    } catch (error) {
      note(event, began, 500);
      throw error;
    }
  };
}

/**
 * `GET /metrics`, for Prometheus.
 *
 * Metrics are private, and the caller's address proves nothing, because behind a proxy on the same machine
 * every caller looks local. So metrics are off until they get an address of their own or a token, which
 * callers send as a bearer token.
 */
export function metricsPage(services: Services, token: string | null): EventHandler {
  const { metrics } = services;
  return async (event) => {
    try {
      if (metrics === null) throw new Failure("not_found", "Not found");
      if (token !== null) await checkToken(services, event, token);
      const { text, contentType } = await metrics.page();
      return plainText(text, { "content-type": contentType, ...NO_STORE });
    } catch (error) {
      const headers = { "www-authenticate": "Bearer" };
      return refuse(services, event, { error, generation: "v1", shape: v1Error, headers });
    }
  };
}

/**
 * The right token is never refused. Otherwise guesses from the same network could lock the operator out.
 *
 * @throws Failure `unauthorized`, or `rate_limited` after too many failed attempts
 */
async function checkToken(
  { limits, trust_proxy_hops }: Services,
  event: H3Event,
  token: string,
): Promise<void> {
  const given = digest(readBearer(event) ?? "");
  if (timingSafeEqual(given, digest(token))) return;
  const network = networkOf(clientAddress(event, trust_proxy_hops));
  // API keys are counted by the same limiter but are not valid here.
  const credential = `metrics ${given.toString("base64url")}`;
  await limits.failedAuthentication.attempt(network, credential, () => Promise.resolve(null));
  throw new Failure("unauthorized", "Bad credentials");
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/**
 * How long the store may take to answer. Load balancers get their answer within a second, even from a slow
 * process.
 */
const WAIT_MS = 700;

/** Whether a server should get requests. */
export interface Readiness {
  /** Why it should not, or null. */
  obstacle: string | null;
  /** Sentences on why commits are less durable than promised, or why hosts are not written to. */
  warnings: string[];
}

const LATE = "The store does not answer in time";

type AskedStore = Pick<Store, "whyUnready" | "weaknesses" | "refusedHosts">;

/** Asks the store whether it is available. One that answers too late is not ready. */
export async function loadReadiness(store: AskedStore): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Readiness>((resolve) => {
    timer = setTimeout(() => resolve({ obstacle: LATE, warnings: store.refusedHosts() }), WAIT_MS);
  });
  const readiness = await Promise.race([askStore(store), late]);
  clearTimeout(timer);
  return readiness;
}

/** The store's backlog and size, or null if the store does not answer. */
export async function takeStock(store: Store, now: Date): Promise<Stock | null> {
  try {
    const accountIds = (await listAccounts(store)).map(({ id }) => id);
    const { count, oldestAt } = await loadBacklog(store, null);
    const size = await store.size();
    const held = await Promise.all(accountIds.map((id) => countHeld(store, id)));
    const failing = await Promise.all(accountIds.map((id) => countFailingWebhooks(store, id)));
    return {
      waitingCount: count,
      oldestSeconds: oldestAt === null ? 0 : Math.max(0, (now.getTime() - Date.parse(oldestAt)) / 1_000),
      heldEmailsCount: sum(held),
      failingWebhooksCount: sum(failing),
      storeBytes: size?.bytes ?? null,
      logBytes: size?.logBytes ?? null,
    };
  } catch {
    return null; // `tidemark_store_ready` reports it
  }
}

async function askStore(store: AskedStore): Promise<Readiness> {
  const [obstacle, weaknesses] = await Promise.all([store.whyUnready(), store.weaknesses()]);
  return { obstacle, warnings: [...store.refusedHosts(), ...(weaknesses ?? [])] };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
