import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../server/storage/open.ts";
import { integer, table, text } from "../../server/storage/table.ts";
import { startCluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { rounds } from "../support/rounds.ts";
import { STORAGE_MODULE } from "../support/build.ts";

const thingFields = {
  id: integer(),
  name: text(),
  writer: text(),
  count: integer().optional(),
};

const things = table("thing", thingFields, {
  unique: { name: ["name"] },
  indexes: { writer: { on: ["writer"] } },
});

const fields = {
  id: integer(),
};

const turns = table("turn", fields);

/** How much further the writers come before each kill. */
const LINES_PER_KILL = rounds(10, 3);

const WRITERS = ["first", "second"];
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-crash-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each(["sqlite"])(
  "keeps every acknowledged commit whole when two processes on one store (%s) are killed while they write",
  async (scheme) => {
    await killWriters(`${scheme}:${join(folder, scheme)}`, { kills: rounds(2, 10) });
  },
);

it.skipIf(POSTGRES_FOLDER === null)(
  "keeps every acknowledged commit whole when processes that write to Postgres, and Postgres itself, are killed",
  async () => {
    const cluster = await startCluster();
    await killWriters(cluster.url(), {
      kills: rounds(1, 4),
      async meanwhile() {
        await cluster.kill();
        await cluster.start();
      },
    });
    await cluster.remove();
  },
);

it.each(["sqlite"])(
  "leaves a store (%s) that others can write to, without a part of the write, when a process exits in the middle of a write",
  async (scheme) => {
    const url = `${scheme}:${join(folder, `ended ${scheme}`)}`;
    for (let round = 0; round < rounds(2, 5); round++) {
      const words = ["test/support/storage-exit.mjs", STORAGE_MODULE, url];
      const child = spawn(process.execPath, words, {
        stdio: "inherit",
        timeout: 60_000,
        killSignal: "SIGKILL",
      });
      expect(await once(child, "close")).toEqual([0, null]);
    }
    const store = await openStore(url, { tables: [things, turns] });
    expect(await store.count(turns, "id", 1, [])).toBe(1);
    await store.transact((tx) => tx.put(things, { account_id: 1, id: 1, name: "last", writer: "none" }));
    expect(await store.get(things, 1, 1)).not.toBeNull();
    await store.close();
  },
);

it("lets several processes make one store (sqlite) at the same moment", async () => {
  for (let round = 0; round < rounds(2, 10); round++) {
    const url = `sqlite:${join(folder, `new ${round}`, "below", "store")}`;
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ["test/support/storage-open.mjs", STORAGE_MODULE, url], {
        stdio: ["pipe", "pipe", "inherit"],
      }),
    );
    const haveEnded = Promise.all(children.map((child) => once(child, "close")));
    await Promise.all(children.map((child) => once(child.stdout, "data")));
    for (const child of children) child.stdin.write("open\n");
    expect(await haveEnded).toEqual(children.map(() => [0, null]));
  }
});

/** Kills two writers again and again, and compares the store with what was acknowledged. */
async function killWriters(
  url: string,
  { kills, meanwhile }: { kills: number; meanwhile?: () => Promise<void> },
): Promise<void> {
  const acknowledged = new Set<number>();
  for (let kill = 0; kill < kills; kill++) {
    const children = WRITERS.map((writer) => startWriter(url, writer, acknowledged));
    const haveEnded = Promise.all(children.map(({ child }) => once(child, "close")));
    await Promise.all(children.map(({ hasWritten }) => hasWritten));
    await meanwhile?.();
    // Each round kills them at another point of their work.
    await afterLines(children[0]!.child, kill * LINES_PER_KILL);
    for (const { child } of children) child.kill("SIGKILL");
    // None of them has ended by itself.
    expect(await haveEnded).toEqual(WRITERS.map(() => [null, "SIGKILL"]));
  }

  const store = await openStore(url, { tables: [things] });
  const found = await store.page(things, "id", 1, [], { limit: 1_000_000 });
  const ids = new Set(found.map(({ id }) => id));
  for (const id of acknowledged) expect(ids.has(id) && ids.has(-id)).toBe(true);
  const pairs = found.filter(({ id }) => id !== 0);
  for (const { id } of pairs) expect(ids.has(-id)).toBe(true);
  let listed = 0;
  for (const writer of WRITERS) listed += await store.count(things, "writer", 1, [writer]);
  expect(listed).toBe(pairs.length);
  for (const { id, name } of pairs.slice(0, 500)) {
    expect(await store.find(things, "name", 1, [name])).toMatchObject({ id });
  }
  expect(acknowledged.size).toBeGreaterThan(kills);
  await store.close();
}

function startWriter(url: string, writer: string, acknowledged: Set<number>) {
  const child = spawn(process.execPath, ["test/support/storage-child.mjs", STORAGE_MODULE, url, writer], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let rest = "";
  const hasWritten = new Promise<void>((resolve) => {
    child.once("close", resolve);
    child.stdout.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "ready") continue;
        acknowledged.add(Number(line));
        resolve();
      }
    });
  });
  return { child, hasWritten };
}

/** Resolves when the child has written that many more lines, or has ended. */
function afterLines(child: ChildProcess, count: number): Promise<void> {
  let seen = 0;
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("close", resolve);
    child.stdout!.on("data", (chunk: Buffer) => {
      seen += chunk.toString().split("\n").length - 1;
      if (seen >= count) resolve();
    });
  });
}
