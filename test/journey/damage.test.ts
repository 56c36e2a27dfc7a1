import { cpSync, openSync, closeSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { callCli } from "../support/cli.ts";
import { KEY, startServer, temporaryFolder, type Server } from "../support/server.ts";

const PAGE_BYTES = 4_096;
/** A file of this many people has many pages that a few requests don't read. */
const SIZE = ["--promoters", "100", "--leads", "2000", "--sales", "500"];
const DAMAGED = { error: "The store is damaged; try again later" };

let program: ReturnType<typeof temporaryFolder>;
let folder: string;
let remove: () => void;
let server: Server | null;
beforeAll(async () => {
  program = temporaryFolder();
  const server = await startServer(program.folder);
  await server.stop();
  expect(await callCli(program.folder, ["seed", "acme", ...SIZE])).toMatchObject({ code: 0 });
});
afterAll(() => program.remove());
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  cpSync(program.folder, folder, { recursive: true });
  server = null;
});
afterEach(async () => {
  await server?.kill();
  remove();
});

const file = (beside = "") => join(folder, `tidemark.db${beside}`);

/** Writes nonsense into every third page. */
function spoil(path: string, from: number): void {
  const open = openSync(path, "r+");
  const nonsense = Buffer.alloc(600, 0x55);
  for (let at = from; at < statSync(path).size; at += 3 * PAGE_BYTES)
    writeSync(open, nonsense, 0, 600, at + 100);
  closeSync(open);
}

function halve(path: string): void {
  truncateSync(path, Math.floor(statSync(path).size / 2));
}

/**
 * Reads and writes within the first pages of the lists, and returns the distinct statuses. Every 503 says why. SQLite
 * keeps in memory what it has read.
 */
async function use({ url }: Server, name: string, pageCount: number): Promise<number[]> {
  const headers = { "x-api-key": KEY };
  const answers = await Promise.all(
    Array.from({ length: pageCount }, async (_, at) => [
      await fetch(`${url}/api/v1/leads/list?page=${at + 1}`, { headers }),
      await fetch(`${url}/api/v1/leads/show?id=${at * 47 + 1}`, { headers }),
      await fetch(`${url}/api/v1/track/sale`, {
        method: "POST",
        headers,
        body: new URLSearchParams({
          email: `${name}${at}@example.com`,
          event_id: `${name}${at}`,
          amount: "100",
        }),
      }),
    ]),
  );
  const unavailable = answers.flat().filter(({ status }) => status === 503);
  for (const answer of unavailable) {
    expect([answer.headers.get("retry-after"), await answer.json()]).toEqual(["1", DAMAGED]);
  }
  return [...new Set(answers.flat().map(({ status }) => status))].toSorted();
}

describe.each<[what: string, damage: () => void]>([
  ["pages of its file are spoiled", () => spoil(file(), 10 * PAGE_BYTES)],
  ["its file is cut off", () => halve(file())],
  ["its file is emptied", () => truncateSync(file())],
  ["pages of its log are spoiled", () => spoil(file("-wal"), 0)],
  ["its log is cut off", () => halve(file("-wal"))],
  ["its log is emptied", () => truncateSync(file("-wal"))],
])("if %s", (what, damage) => {
  it("a server answers 503, logs what to do, goes on and stops cleanly", async () => {
    server = await startServer(folder);
    expect(await use(server, "before", 1)).not.toContain(503);
    damage();
    const failing = (await use(server, "after", 40)).filter((status) => status >= 500);
    // Pages of the log may be in the file already.
    expect(failing.length === 0 && what.includes("log") ? [503] : failing).toEqual([503]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const told = server
      .output()
      .split("\n")
      .filter((line) => line.includes("tidemark.db is damaged"));
    expect(told.length > 0).toBe(failing.length > 0);
    for (const line of told) {
      expect((JSON.parse(line) as { err: { message: string } }).err.message).toMatch(
        /^\/.*tidemark\.db is damaged \(.*\): look at it with `tidemark check`, stop the servers, and restore a backup$/,
      );
    }
    expect(await server.stop()).toBe(0);
  });
});

describe("a server does not start, and says why in a sentence, if", () => {
  const REASON = /Tidemark can't start: .*tidemark\.db is damaged.*restore a backup\n$/;

  it.each([
    ["its file is cut off", () => halve(file())],
    ["every page is spoiled", () => spoilAll()],
  ])("%s", async (_, damage) => {
    damage();
    await expect(startServer(folder)).rejects.toThrow(REASON);
  });

  function spoilAll(): void {
    for (const page of [1, 2, 3]) spoil(file(), page * PAGE_BYTES);
  }
});
