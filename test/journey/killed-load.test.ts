import { afterEach, beforeEach, expect, it } from "vitest";
import { TABLES } from "../../server/tables.ts";
import { readHoldings } from "../support/consistency/structure.ts";
import { findFaults, inStore } from "../support/consistency.ts";
import { honestCall, write } from "../support/fuzz/call.ts";
import { newClient } from "../support/fuzz/client.ts";
import { newDice } from "../support/fuzz/dice.ts";
import { operationsOf, type DescribedOperation } from "../support/fuzz/document.ts";
import { newKnown, type Known } from "../support/fuzz/known.ts";
import { fillStore } from "../support/fuzz/world.ts";
import { lastingBreaches } from "../support/money-laws.ts";
import { rounds } from "../support/rounds.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";
import { storeAt, recordsIn } from "../support/records.ts";

const ROUNDS = rounds(1, 5);
const LANES = 4;
/** The number of answers from both servers after which the first is killed, and then the second. */
const KILLS = [300, 500];
let folder: string;
let remove: () => void;
let servers: Server[];
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  remove();
});

it("two servers leave a consistent store when they are killed in the middle of all kinds of requests", async () => {
  const url = `sqlite:${folder}`;
  await fillStore(url);
  const kindsBefore = await kindsIn(url);
  for (let round = 0; round < ROUNDS; round++) {
    servers = await Promise.all([startServer(folder), startServer(folder)]);
    const operations = operationsOf(await (await fetch(`${servers[0]!.url}/openapi.json`)).json());
    await loadAndKill(operations, round);
    expect(servers.map((server) => server.output()).join("")).not.toContain('"msg":"bug"');
    expect(await inStore(url, findFaults)).toEqual([]);
    expect(await breachesIn(url)).toEqual([]);
  }
  // Otherwise the requests were refused, and nothing was tested.
  expect((await kindsIn(url)).length).toBeGreaterThan(kindsBefore.length + 5);
});

/** The names of the tables that have records. */
async function kindsIn(url: string): Promise<string[]> {
  const { of } = await inStore(url, readHoldings);
  return TABLES.filter((from) => of(from).length > 0).map(({ name }) => name);
}

/** What breaks the laws of money, in any account. */
async function breachesIn(url: string): Promise<string[]> {
  const store = await storeAt(url);
  const found: string[] = [];
  for (const { id } of await recordsIn(store, 0).all("account"))
    found.push(...(await lastingBreaches(store, id)));
  await store.close();
  return found;
}

/** Sends honest requests to both servers over several connections each, until both have been killed. */
async function loadAndKill(operations: DescribedOperation[], round: number): Promise<void> {
  let answers = 0;
  const killed: Promise<void>[] = [];
  const onAnswer = () => {
    answers += 1;
    if (answers >= KILLS[killed.length]!) killed.push(servers[killed.length]!.kill());
  };
  const drives = servers.flatMap((server, at) =>
    Array.from({ length: LANES }, (_, lane) =>
      drive(server, { operations, seed: round * 100 + at * 10 + lane, known: newKnown(), onAnswer }),
    ),
  );
  await Promise.all(drives);
  expect(killed).toHaveLength(2);
  await Promise.all(killed);
}

async function drive(
  { port }: Server,
  load: { operations: DescribedOperation[]; seed: number; known: Known; onAnswer: () => void },
): Promise<void> {
  const { operations, seed, known, onAnswer } = load;
  const dice = newDice(seed);
  const client = newClient(port);
  for (;;) {
    const operation = dice.pick(operations);
    try {
      const { status, headers, body } = await client.send(write(honestCall(operation, dice, known)));
      // Exports are several JSON documents, a line each.
      const isJson = headers["content-type"]?.startsWith("application/json") === true;
      if (status < 300 && isJson) known.learn(operation.path, JSON.parse(body));
      onAnswer();
    } catch {
      return client.close(); // the server is gone
    }
  }
}
