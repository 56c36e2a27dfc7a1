import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { childrenOf } from "../support/child-processes.ts";
import { findFaults, inStore } from "../support/consistency.ts";
import { rounds } from "../support/rounds.ts";
import { KEY, startServer, temporaryFolder, v1, type Server } from "../support/server.ts";
import { withRecords } from "../support/records.ts";

/** How much the store's file may still grow. */
const ROOM_BYTES = 200_000;
const BATCHES = rounds(16, 40);
const MANY = String(rounds(2, 4));

let folder: string;
let remove: () => void;
let server: Server;
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
});
afterEach(async () => {
  await server.kill();
  remove();
});

// Setting and lifting the limit needs prlimit, which only Linux has.
it.skipIf(!hasPrlimit()).each(["1", MANY])(
  "a server answers 503 while the disk is full, still reads, and writes again when there is room, with WORKERS=%s",
  async (workers) => {
    server = await startServer(folder, { WORKERS: workers });
    await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    limit(String(statSync(join(folder, "tidemark.db-wal")).size + ROOM_BYTES));
    const first = await signUpMany("first");
    expect(first.refused.length).toBeGreaterThan(50);
    expect(first.recorded.length).toBeGreaterThan(0);
    for (const path of ["/healthz", "/api/v1/leads/list"]) {
      const answer = await fetch(`${server.url}${path}`, { headers: { "x-api-key": KEY } });
      expect([path, answer.status]).toEqual([path, 200]);
    }
    if (workers === "1") await expectUnready();
    else await expectReplacement();
    limit("unlimited");
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    // People who were refused are unknown: none of them is mistaken for one who was recorded.
    const again = await signUpMany("first", first.refused);
    const later = await signUpMany("later");
    expect([...again.refused, ...later.refused]).toEqual([]);
    expect(await server.stop()).toBe(0);
    const found = await withRecords(`sqlite:${folder}`, (records) => records.all("lead"));
    const recorded = [...first.recorded, ...again.recorded, ...later.recorded];
    expect(found.map(({ email }) => email).toSorted()).toEqual(recorded.toSorted());
    expect(await inStore(`sqlite:${folder}`, findFaults)).toEqual([]);
  },
);

it.skipIf(!hasPrlimit())(
  "tells of a full disk in a JSON line now and then, not for each request",
  async () => {
    server = await startServer(folder);
    await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    const before = server.output().length;
    limit("1");
    const began = performance.now();
    const { refused } = await signUpMany("first");
    const seconds = Math.ceil((performance.now() - began) / 1_000);
    expect(refused).toHaveLength(BATCHES * 8);
    const logged = server.output().slice(before).trimEnd().split("\n");
    expect(logged.length).toBeLessThanOrEqual(seconds + 1);
    for (const line of logged) expect(JSON.parse(line)).toMatchObject({ level: 50 });
  },
);

it.skipIf(!hasPrlimit()).each(["1", MANY])(
  "a server continues and stops cleanly even if neither its store nor its log has room, with WORKERS=%s",
  async (workers) => {
    server = await startServer(folder, { WORKERS: workers }, { logFile: join(folder, "log") });
    await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    limit("1");
    const { recorded, refused } = await signUpMany("first");
    expect([recorded, refused.length]).toEqual([[], BATCHES * 8]);
    expect(await server.stop()).toBe(0);
    expect(statSync(join(folder, "log")).size).toBeLessThan(2);
  },
);

/** Signs up eight people at a time. Each is recorded, or refused with a clear error. */
async function signUpMany(name: string, emails = namesOf(name)) {
  const recorded: string[] = [];
  const refused: string[] = [];
  for (let at = 0; at < emails.length; at += 8) {
    await Promise.all(
      emails.slice(at, at + 8).map(async (email) => {
        const answer = await fetch(`${server.url}/api/v1/track/signup`, {
          method: "POST",
          headers: { "x-api-key": KEY },
          body: new URLSearchParams({ email, ref_id: "jane", username: "x".repeat(1_000) }),
        });
        if (answer.status === 200) return void recorded.push(email);
        expect([answer.status, answer.headers.get("retry-after"), await answer.json()]).toEqual([
          503,
          "1",
          { error: "The store could not be written to; try again" },
        ]);
        refused.push(email);
      }),
    );
  }
  return { recorded, refused };
}

function namesOf(name: string): string[] {
  return Array.from({ length: BATCHES * 8 }, (_, at) => `${name}-${at}@example.com`);
}

/** With several workers the probe may meet one that has not written since the disk is full. */
async function expectUnready(): Promise<void> {
  limit("1");
  expect((await v1(server, "/track/signup", { email: "none@example.com", ref_id: "jane" })).status).toBe(503);
  for (let probe = 0; probe < 2; probe++) expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
}

/** A worker that dies while the disk is full is replaced by one that serves, and the others stay. */
async function expectReplacement(): Promise<void> {
  const [first, ...others] = childrenOf(server.pid);
  process.kill(first!, "SIGKILL");
  await server.printed(/"msg":"worker died/);
  await expect.poll(() => childrenOf(server.pid).length).toBe(others.length + 1);
  expect(childrenOf(server.pid)).toEqual(expect.arrayContaining(others));
  expect(server.output().match(/"msg":"worker (died|could not)/g)).toHaveLength(1);
}

/** Limits the size of the files that the server and its present and future workers write. */
function limit(bytes: string): void {
  for (const pid of [server.pid, ...childrenOf(server.pid)])
    execFileSync("prlimit", [`--pid=${pid}`, `--fsize=${bytes}:`]);
}

function hasPrlimit(): boolean {
  try {
    execFileSync("prlimit", ["--version"]);
    return true;
  } catch {
    return false; // not Linux: nothing else can limit a running process and lift the limit
  }
}
