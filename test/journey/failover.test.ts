import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leads } from "../../server/domain/people/lead/lead.ts";
import { deliveries } from "../../server/domain/events/webhook/delivery.ts";
import { visitors } from "../../server/domain/people/visitor/visitor.ts";
import { readHoldings } from "../support/consistency/structure.ts";
import { findFaults, inStore } from "../support/consistency.ts";
import { startFacts, type FactLoad } from "../support/fact-load.ts";
import { lastingBreaches, readLedger } from "../support/money-laws.ts";
import { startPair, type Pair } from "../support/postgres-pair.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { rounds } from "../support/rounds.ts";
import { startServer, v1, v2, type Server } from "../support/server.ts";
import { storeAt, recordsIn } from "../support/records.ts";

const ROUNDS = rounds(1, 15);
const TEST_MS = rounds(240_000, 3_600_000);
/** Each look reads the whole store. */
const PATIENT = { timeout: TEST_MS, interval: 1_000 };

describe.skipIf(POSTGRES_FOLDER === null)("two servers on a Postgres with a synchronous standby", () => {
  let pair: Pair;
  let receiver: Receiver;
  let servers: Server[];
  beforeAll(async () => {
    [pair, receiver] = await Promise.all([startPair(), startReceiver()]);
    servers = [await start(), await start()];
    await setUp(servers[0]!);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await Promise.all([pair.remove(), receiver.close()]);
  });

  function start(): Promise<Server> {
    return startServer("", {
      STORAGE_URL: pair.url,
      STORAGE_CONNECTIONS: "4",
      RATE_LIMIT_CLICKS: "0",
      WEBHOOK_ALLOW_PRIVATE: "1",
      LOG_LEVEL: "warn",
    });
  }

  /** A promoter who earns ten percent, and a webhook that hears of each lead. */
  async function setUp(server: Server): Promise<void> {
    const reward = {
      name: "ten percent",
      is_promoter_reward: true,
      schemas: [{ unit: "cash", amount: 10, flat_amount: false }],
    };
    const { id: reward_id } = (await v2(server, "POST /rewards", reward)).body as { id: number };
    const offered = [{ reward_id, apply_on: "all", product_ids: [] }];
    expect(await v2(server, "PUT /campaigns/1", { rewards_for_promoters: offered })).toMatchObject({
      status: 200,
    });
    await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    const webhook = { url: receiver.url, event_types: ["referral.created"] };
    expect((await v2(server, "POST /webhooks", webhook)).status).toBe(201);
  }

  /** Kills the primary and promotes the standby. Resolves to the time until both servers go on, in milliseconds. */
  async function failOver(
    load: FactLoad,
    { waitsForRefusal }: { waitsForRefusal: boolean },
  ): Promise<number> {
    await Promise.all(servers.map((server) => load.more(server, 20)));
    const refused = servers.map((server) => load.unavailable(server));
    await pair.primary().kill();
    if (waitsForRefusal) await Promise.all(refused);
    const goOn = servers.map((server) => load.more(server, 1));
    await pair.promote();
    const promotedAt = performance.now();
    await Promise.all(goOn);
    return performance.now() - promotedAt;
  }

  it(
    `keep each acknowledged fact once while the primary dies ${ROUNDS} times and the standby takes over`,
    async () => {
      const load = startFacts(servers, { clients: 3 });
      const goneOnMs: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        goneOnMs.push(await failOver(load, { waitsForRefusal: round === 0 }));
        await pair.rejoin();
      }
      await load.stop();
      const slowest = Math.max(...goneOnMs).toFixed(0);
      console.info(`${ROUNDS} failovers: both servers go on ${slowest} ms after the promotion at the latest`);
      expect(load.wrong).toEqual([]);
      expect(load.unavailableCount()).toBeGreaterThan(1);
      await expectAllOnce(load);
      expect(await inStore(pair.url, findFaults)).toEqual([]);
      const log = servers.map((server) => server.output()).join("");
      expect(log).not.toContain('"msg":"bug"');
      expect(log).toContain(`Writes go to 127.0.0.1:${pair.primary().port}, on timeline ${ROUNDS + 1}`);
      await expect.poll(lostEvents, PATIENT).toEqual([]);
      expect(receiver.received.length).toBeGreaterThan(0);
    },
    TEST_MS,
  );

  /** The leads whose event was neither posted nor waits to be posted. */
  async function lostEvents(): Promise<number[]> {
    const { of } = await inStore(pair.url, readHoldings);
    const open = of(deliveries).filter(({ finished_at }) => finished_at === null);
    const waiting = new Set(open.map(({ message }) => message?.data["id"]));
    const posted = new Set(receiver.received.map(({ body }) => body["entity_id"]));
    return of(leads)
      .map(({ id }) => id)
      .filter((id) => !posted.has(id) && !waiting.has(id));
  }

  /** Checks that each acknowledged fact is in the store, that nothing is there twice, and that the money adds up. */
  async function expectAllOnce({ acknowledged }: FactLoad): Promise<void> {
    const store = await storeAt(pair.url);
    const [account] = await recordsIn(store, 0).all("account");
    const { id: accountId } = account!;
    const { sales, refunds, commissions } = await readLedger(store, accountId);
    const { of } = await inStore(pair.url, readHoldings);
    const paid = commissions.filter(({ payout_id }) => payout_id !== null).map(({ id }) => id);
    expect(sorted(of(visitors).map(({ tid }) => tid))).toEqual(sorted(acknowledged.clicks));
    expect(sorted(of(leads).map(({ uid }) => uid!))).toEqual(sorted(acknowledged.leads));
    expect(sorted(sales.map(({ event_id }) => event_id))).toEqual(sorted(acknowledged.sales));
    expect(sorted(refunds.map(({ event_id }) => event_id))).toEqual(sorted(acknowledged.refunds));
    expect(paid).toEqual(expect.arrayContaining(acknowledged.paidCommissions));
    expect(await lastingBreaches(store, accountId)).toEqual([]);
    await store.close();
  }
});

function sorted(texts: string[]): string[] {
  return texts.toSorted();
}
