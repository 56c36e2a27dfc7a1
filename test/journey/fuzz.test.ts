import { afterEach, beforeEach, expect, it } from "vitest";
import { allEntries, entriesOf, findFaults, inStore } from "../support/consistency.ts";
import { honestCall, write, type WrittenCall } from "../support/fuzz/call.ts";
import { newClient } from "../support/fuzz/client.ts";
import { newDice } from "../support/fuzz/dice.ts";
import { LOCKS_OUT, operationsOf } from "../support/fuzz/document.ts";
import { newJudge } from "../support/fuzz/judge.ts";
import { newKnown } from "../support/fuzz/known.ts";
import { spoil, type Spoiling } from "../support/fuzz/spoil.ts";
import { fillStore } from "../support/fuzz/world.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { rounds } from "../support/rounds.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

/** To repeat a failure, set its seed, and one lane if the order matters. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? rounds(150, 3_000));
const LANES = Number(process.env.FUZZ_LANES ?? 8);
/** How many faults to show; one cause has many. */
const SHOWN = 25;

let folder: string;
let remove: () => void;
let server: Server | null;
let cluster: Cluster | null;
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  [server, cluster] = [null, null];
});
afterEach(async () => {
  await server?.kill();
  await cluster?.remove();
  remove();
});

it(`a server withstands ${REQUESTS} hostile requests (FUZZ_SEED=${SEED})`, () =>
  withstand(`sqlite:${folder}`));

it.skipIf(POSTGRES_FOLDER === null)(
  `a server on Postgres withstands ${REQUESTS} hostile requests (FUZZ_SEED=${SEED})`,
  async () => {
    cluster = await startCluster();
    await withstand(cluster.url());
  },
);

async function withstand(url: string): Promise<void> {
  const other = await fillStore(url);
  const before = entriesOf(await inStore(url, allEntries), other.id);
  expect(before.length).toBeGreaterThan(1_000);
  server = await startServer(folder, { TRUST_PROXY: "1", STORAGE_URL: url });
  const { faults, statuses } = await attack(server, other.spoiling);
  console.log(`answers by status: ${JSON.stringify(statuses)}`);
  expect(faults.slice(0, SHOWN), `FUZZ_SEED=${SEED}`).toEqual([]);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(server.output()).not.toContain('"msg":"bug"');
  expect(await server.stop()).toBe(0);
  const after = await inStore(url, allEntries);
  expect((await inStore(url, findFaults)).slice(0, SHOWN), `FUZZ_SEED=${SEED}`).toEqual([]);
  expect(entriesOf(after, other.id)).toEqual(before);
  // Otherwise the requests were refused for their form, and nothing was tested.
  const done = [200, 201, 202, 204].reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
  expect(done).toBeGreaterThan(REQUESTS / 6);
}

/** Sends all requests, several at a time, and returns the faults of their answers. */
async function attack({ url, port }: Server, other: Spoiling["other"]) {
  const described = operationsOf(await (await fetch(`${url}/openapi.json`)).json());
  const operations = described.filter(({ path }) => !LOCKS_OUT.test(path));
  const judge = newJudge(described);
  const client = newClient(port);
  const faults: string[] = [];
  const statuses: Record<number, number> = {};

  async function drive(lane: number): Promise<void> {
    const dice = newDice(SEED + lane);
    const known = newKnown();
    for (let number = lane; number < REQUESTS && faults.length < SHOWN; number += LANES) {
      const operation = dice.pick(operations);
      const call = honestCall(operation, dice, known);
      if (dice.percent(75)) spoil(call, { dice, operation, other });
      const written = write(call);
      try {
        const reply = await client.send(written);
        statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
        const fault = judge(written, reply);
        if (fault !== null) faults.push(`${fault}: ${describe(written)} → ${reply.body.slice(0, 300)}`);
        if (reply.status < 300 && operation.tag !== "Operation")
          known.learn(operation.path, parse(reply.body));
      } catch (error) {
        faults.push(`${(error as Error).message}: ${describe(written)}`);
      }
    }
  }

  await Promise.all(Array.from({ length: LANES }, (_, lane) => drive(lane)));
  client.close();
  return { faults, statuses };
}

function describe({ method, target, headers, body }: WrittenCall): string {
  const said = { ...headers, ...(body !== null && { body: body.toString().slice(0, 600) }) };
  return `${method} ${target.slice(0, 600)} ${JSON.stringify(said).slice(0, 1_500)}`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null; // nothing to learn from
  }
}
