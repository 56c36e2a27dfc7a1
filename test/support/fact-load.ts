import { randomUUID } from "node:crypto";
import { ACCOUNT, KEY, type Server } from "./server.ts";

const JSON_HEADERS = {
  authorization: `Bearer ${KEY}`,
  "account-id": ACCOUNT,
  "content-type": "application/json",
};
const FORM_HEADERS = {
  "x-api-key": KEY,
  // Clicks of bots are not recorded.
  "user-agent":
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36",
};
/** Refusals that mean that the fact is there: its first answer was lost. */
const ALREADY = new Set([409, 422]);

/** What servers have acknowledged, each by the id that the client gave it. */
export interface Facts {
  clicks: string[];
  leads: string[];
  sales: string[];
  refunds: string[];
  /** Ids of commissions that a payout was made of. */
  paidCommissions: number[];
}

/** People who come, sign up, buy, and get their money back, again and again. */
export interface FactLoad {
  acknowledged: Facts;
  /** Answers that no client should ever see, as text. */
  wrong: string[];
  /** How many answers were 503. */
  unavailableCount(): number;
  /** Resolves when a server has acknowledged this many more facts. */
  more(server: Server, count: number): Promise<void>;
  /** Resolves when a server has answered 503 once more. */
  unavailable(server: Server): Promise<void>;
  /** Resolves when the last fact of each person is acknowledged. */
  stop(): Promise<void>;
}

type Watch = { server: Server; isAcknowledged: boolean; left: number; resolve: () => void };
type Answer = { status: number; body: unknown };
type Post = (path: string, body: Record<string, unknown>) => Promise<Answer>;

/** Starts clients of each server. They repeat a request until it is not answered with 503 any more. */
export function startFacts(servers: Server[], { clients }: { clients: number }): FactLoad {
  const acknowledged: Facts = { clicks: [], leads: [], sales: [], refunds: [], paidCommissions: [] };
  const wrong: string[] = [];
  let watches: Watch[] = [];
  let unavailableCount = 0;
  const work = { isOver: false };

  function note(server: Server, isAcknowledged: boolean): void {
    for (const watch of watches) {
      if (watch.server === server && watch.isAcknowledged === isAcknowledged) watch.left -= 1;
      if (watch.left === 0) watch.resolve();
    }
    watches = watches.filter(({ left }) => left > 0);
  }

  function watch(server: Server, isAcknowledged: boolean, left: number): Promise<void> {
    return new Promise((resolve) => void watches.push({ server, isAcknowledged, left, resolve }));
  }

  function posting(server: Server): Post {
    return async (path, body) => {
      for (let isRepeated = false; ; isRepeated = true) {
        const response = await send(server, path, body);
        const text = await response.text();
        if (response.status !== 503) {
          // 204 says that no person has this uid.
          const isThere = response.ok && response.status !== 204;
          const isRight = isThere || (isRepeated && ALREADY.has(response.status));
          if (isRight) note(server, true);
          else wrong.push(`${path} ${JSON.stringify(body)} ${response.status} ${text}`);
          return { status: response.status, body: JSON.parse(text || "null") as unknown };
        }
        if (response.headers.get("retry-after") === null) wrong.push(`${path} 503 without Retry-After`);
        unavailableCount += 1;
        note(server, false);
      }
    };
  }

  async function workAs(server: Server, name: string): Promise<void> {
    const post = posting(server);
    for (let at = 0; !work.isOver; at++) await live(post, `${name}-${at}`, acknowledged);
  }

  const working = Promise.all(
    servers.flatMap((server, at) =>
      Array.from({ length: clients }, (_, client) => workAs(server, `${at}-${client}`)),
    ),
  );
  return {
    acknowledged,
    wrong,
    unavailableCount: () => unavailableCount,
    more: (server, count) => watch(server, true, count),
    unavailable: (server) => watch(server, false, 1),
    async stop() {
      work.isOver = true;
      await working;
    },
  };
}

/** One person's facts, in their order. Every second one gets a part of the money back. */
async function live(post: Post, uid: string, acknowledged: Facts): Promise<void> {
  const tid = randomUUID();
  await post("/t/click", { cid: ACCOUNT, tid, ref_id: "jane", url: "https://www.acme.example/" });
  acknowledged.clicks.push(tid);
  await post("/api/v1/track/signup", { uid, tid });
  acknowledged.leads.push(uid);
  const sale = await post("/api/v2/track/sale", { uid, event_id: uid, amount: 1_999 });
  acknowledged.sales.push(uid);
  const { commissions = [] } = sale.body as { commissions?: { id: number }[] };
  const ids = commissions.map(({ id }) => id);
  if (ids.length > 0) {
    await post("/api/v2/company/commissions/approve", { ids });
    await post("/api/v2/company/commissions/generate_payouts", { ids });
    acknowledged.paidCommissions.push(...ids);
  }
  if (uid.endsWith("0") || uid.endsWith("5")) return;
  await post("/api/v1/track/refund", { uid, event_id: `back-${uid}`, sale_event_id: uid, amount: 700 });
  acknowledged.refunds.push(`back-${uid}`);
}

function send({ url }: Server, path: string, body: Record<string, unknown>): Promise<Response> {
  if (path.startsWith("/api/v2"))
    return fetch(`${url}${path}`, { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) });
  const form = new URLSearchParams(Object.entries(body).map(([name, value]) => [name, String(value)]));
  return fetch(`${url}${path}`, { method: "POST", headers: FORM_HEADERS, body: form });
}
