import { afterEach, beforeEach, expect, it } from "vitest";
import { countDeliveries } from "../../server/domain/events/webhook/backlog.ts";
import { deliveries, enqueue, lanes } from "../../server/domain/events/webhook/delivery.ts";
import { openStore } from "../../server/storage/open.ts";
import type { Store } from "../../server/storage/store.ts";
import { TABLES } from "../../server/tables.ts";
import { runCli } from "../support/cli.ts";
import { findFaults, inStore } from "../support/consistency.ts";
import { endLease } from "../support/leases.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { rounds } from "../support/rounds.ts";
import { startServer, temporaryFolder, v1, v2, type Server } from "../support/server.ts";
import { TEST_SEAL } from "../support/memory-engine.ts";

/** The number of records, and of waiting events for each. */
const LANES = rounds(100, 600);
const EACH = 3;
const AT_ONCE = 300;
const KILLS = rounds(1, 3);

/** The test's own deadline comes first. */
const PATIENT = { timeout: 240_000 };

let folder: string;
let remove: () => void;
let receiver: Receiver;
let server: Server;
beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  receiver = await startReceiver();
});
afterEach(async () => {
  await server.kill();
  await receiver.close();
  const faults = await inStore(`sqlite:${folder}`, findFaults);
  remove();
  expect(faults).toEqual([]);
});

const start = async () => {
  server = await startServer(folder, { WEBHOOK_ALLOW_PRIVATE: "1" });
};
/** Kills the server as if long ago. */
const kill = async () => {
  await server.kill();
  await endLease(`sqlite:${folder}`);
};
const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openStore(`sqlite:${folder}`, { tables: TABLES, seal: TEST_SEAL });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

/** A server that is down. Many deliveries in its store wait for a webhook, or were given up. */
async function fill(status: "pending" | "failed", maxRetries: number): Promise<void> {
  await start();
  await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  const webhook = { url: receiver.url, event_types: ["referral.created"], max_retries: maxRetries };
  expect((await v2(server, "POST /webhooks", webhook)).status).toBe(201);
  await v1(server, "/track/signup", { email: "lead@example.com", ref_id: "jane" });
  await receiver.has(1);
  expect(await server.stop()).toBe(0);
  await withStore(async (store) => {
    const [model] = await store.page(deliveries, "webhook", 0, [1], { limit: 1 });
    for (let count = 0; count < LANES * EACH; count += AT_ONCE) {
      const ids: number[] = [];
      while (ids.length < AT_ONCE) ids.push(await store.nextId("delivery"));
      const at = new Date();
      await store.transact(async (tx) => {
        for (const [index, id] of ids.entries()) {
          const number = Math.floor((count + index) / LANES) + 1;
          const entityId = 1_000 + ((count + index) % LANES);
          const message = { ...model!.message!, entity_id: entityId, event_id: `${entityId} ${number}` };
          const lane = `referral/${entityId}`;
          const one = { ...model!, id, lane, message, status, attempts: 0, created_at: at.toISOString() };
          if (status === "failed") await tx.put(deliveries, { ...one, finished_at: at.toISOString() });
          else await enqueue(tx, { ...one, finished_at: null, delivered_at: null }, at);
        }
      });
    }
  });
  receiver.received.length = 0;
}

/** The numbers that arrived for each record, in the order of their arrival. */
function numbersOf(): Map<string, number[]> {
  const numbers = new Map<string, number[]>();
  for (const { body } of receiver.received) {
    const [entity = "", number] = String(body["event_id"]).split(" ");
    numbers.set(entity, [...(numbers.get(entity) ?? []), Number(number)]);
  }
  return numbers;
}

it("a server ends all deliveries to a deleted webhook, even if it is killed meanwhile", async () => {
  await fill("pending", 10);
  receiver.answer((response) => response.writeHead(500).end());
  await start();
  await receiver.has(20);
  expect((await v2(server, "DELETE /webhooks/1")).status).toBe(200);
  const open = () => withStore((store) => store.count(lanes, "id", 0, []));
  const before = await open();
  for (let kills = 0; kills < KILLS; kills++) {
    await kill();
    await start();
  }
  await expect.poll(open, PATIENT).toBeLessThan(before);
  await kill();
  expect(await inStore(`sqlite:${folder}`, findFaults)).toEqual([]);
  await start();
  await expect.poll(open, PATIENT).toBe(0);
  expect(await server.stop()).toBe(0);
});

it("a server sends each delivery once, in order, and counts correctly, while an operator restarts them elsewhere", async () => {
  await fill("failed", 10);
  await start();
  const outcomes = await Promise.all(
    ["webhook retry acme 1", "webhook retry acme 1"].map((words) => runCli(folder, words.split(" "))),
  );
  const retried = outcomes.map(({ stdout }) => (JSON.parse(stdout) as { retried: number }).retried);
  expect(retried[0]! + retried[1]!).toBe(LANES * EACH);
  await receiver.has(LANES * EACH);
  expect(await server.stop()).toBe(0);
  expect(receiver.received).toHaveLength(LANES * EACH);
  const numbers = numbersOf();
  expect(numbers.size).toBe(LANES);
  for (const order of numbers.values()) expect(order).toEqual([1, 2, 3]);
  const counts = await withStore((store) => countDeliveries(store, { account_id: 1, webhook_id: 1 }));
  const none = { pending: 0, retrying: 0, held: 0, failed: 0 };
  expect(counts).toEqual({ ...none, delivered: LANES * EACH + 1 });
  expect(receiver.mostAtOnce()).toBeLessThanOrEqual(4);
});

it("a server sends all restarted deliveries even if it was killed before or during the sending", async () => {
  await fill("failed", 10);
  expect(await runCli(folder, "webhook retry acme 1".split(" "))).toMatchObject({ code: 0 });
  for (const more of [50, 0, 200].slice(0, KILLS)) {
    await start();
    await receiver.has(receiver.received.length + more);
    await kill();
  }
  await start();
  const ids = () => new Set(receiver.received.map(({ body }) => body["event_id"]));
  while (ids().size < LANES * EACH) await receiver.has(receiver.received.length + 1);
  // Deliveries that were being sent at a kill may have arrived twice.
  expect(receiver.received.length - ids().size).toBeLessThanOrEqual(KILLS * 4);
  for (const order of numbersOf().values()) {
    expect(order.filter((number, index) => order.indexOf(number) === index)).toEqual([1, 2, 3]);
  }
  expect(await server.stop()).toBe(0);
  const counts = await withStore((store) => countDeliveries(store, { account_id: 1, webhook_id: 1 }));
  expect(counts.delivered).toBe(LANES * EACH + 1);
});
