import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { callCli, runCli } from "../support/cli.ts";
import { findFaults, inStore } from "../support/consistency.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { rounds } from "../support/rounds.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { startSignups } from "../support/signup-load.ts";
import { KEY, startServer, temporaryFolder, v1, v2, type Server } from "../support/server.ts";
import { leadCountsIn, leadCounts } from "../support/stats.ts";

/** Promoters whose events wait during the move. */
const NAMES = ["ben", "cleo", "dan", "eve", "finn", "gus"];
const REFUSED = '503 {"error":"The account is being moved to another store: try again later"}';
const WORKERS = String(rounds(1, 2));

let folder: string;
let remove: () => void;
let receiver: Receiver;
const servers: Server[] = [];
beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  receiver = await startReceiver();
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.kill()));
  await receiver.close();
  remove();
});

async function serve(storageUrl: string): Promise<Server> {
  const server = await startServer("", { WEBHOOK_ALLOW_PRIVATE: "1", STORAGE_URL: storageUrl, WORKERS });
  servers.push(server);
  return server;
}

/** The ids of the events that the receiver got, by the promoter's e-mail address. */
function eventsByEmail(): Map<string, Set<unknown>> {
  const found = new Map<string, Set<unknown>>();
  for (const { body } of receiver.received) {
    const { email } = body["data"] as { email: string };
    found.set(email, (found.get(email) ?? new Set()).add(body["event_id"]));
  }
  return found;
}

/** Moves one of two accounts while both are in use, and checks that nothing is lost or doubled. */
async function expectMoved(from: string, to: string): Promise<void> {
  const cli = (...words: string[]) => runCli("", words, { STORAGE_URL: from });
  const first = await serve(from);
  const made = await cli(
    "account",
    "create",
    "Other",
    "--id",
    "other",
    "--landing-url",
    "https://o.example/",
  );
  const { key } = JSON.parse(made.stdout) as { key: string };
  for (const caller of [first, { url: first.url, key }]) {
    await v1(caller, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  }
  // The receiver answers only after the move. So one event is being sent then, and others wait.
  receiver.answer(() => {});
  await v2(first, "POST /webhooks", { url: receiver.url, event_types: ["promoter.created"] });
  for (const name of NAMES) await v1(first, "/promoters/create", { email: `${name}@example.com` });
  await receiver.has(1);

  const acme = startSignups(first, { clients: 2, name: "acme" });
  const other = startSignups(first, { clients: 2, name: "other", key });
  await Promise.all([acme.more(20), other.more(20)]);
  expect((await cli("account", "freeze", "acme")).code).toBe(0);
  const copy = join(folder, "acme");
  expect((await cli("export", copy, "--account", "acme", "--secrets")).code).toBe(0);
  expect((await runCli("", ["import", copy], { STORAGE_URL: to })).code).toBe(0);
  await other.more(20);
  await acme.stop();
  expect(new Set(acme.refused)).toEqual(new Set([REFUSED]));
  expect(await leadCountsIn(to, "acme")).toEqual(leadCounts(acme.recorded.length));
  expect(await leadCountsIn(to, "other")).toBe(null);

  receiver.answer((response) => response.end("thanks"));
  const second = await serve(to);
  const later = startSignups(second, { clients: 2, name: "later" });
  await later.more(20);
  const removed = await cli("account", "remove", "acme", "--yes");
  expect([removed.code, JSON.parse(removed.stdout)]).toEqual([0, { account_id: "acme", is_removed: true }]);
  const late = { headers: { "x-api-key": KEY } };
  expect((await fetch(`${first.url}/api/v1/promoters/list`, late)).status).toBe(401);
  await other.more(20);
  await Promise.all([later.stop(), other.stop()]);
  expect([...later.refused, ...other.refused]).toEqual([]);

  const emails = NAMES.map((name) => `${name}@example.com`);
  await expect.poll(() => [...eventsByEmail().keys()].toSorted()).toEqual(emails);
  // The event that was being sent comes again, with the same id.
  expect([...eventsByEmail().values()].filter((ids) => ids.size !== 1)).toEqual([]);

  await Promise.all(servers.splice(0).map((server) => server.stop()));
  const all = acme.recorded.length + later.recorded.length;
  expect(await leadCountsIn(to, "acme")).toEqual(leadCounts(all));
  expect(await leadCountsIn(from, "acme")).toBe(null);
  expect(await leadCountsIn(from, "other")).toEqual(leadCounts(other.recorded.length));
  for (const storageUrl of [from, to]) {
    expect(await runCli("", ["check"], { STORAGE_URL: storageUrl })).toMatchObject({ code: 0, stdout: "" });
    expect(await inStore(storageUrl, findFaults)).toEqual([]);
  }
}

it("one account moves to another SQLite store while both are in use", () =>
  expectMoved(`sqlite:${join(folder, "first")}`, `sqlite:${join(folder, "second")}`));

describe.skipIf(POSTGRES_FOLDER === null)("with Postgres", () => {
  let cluster: Cluster;
  beforeAll(async () => void (cluster = await startCluster()));
  afterAll(() => cluster.remove());

  it("one account moves from SQLite while both are in use", () =>
    expectMoved(`sqlite:${join(folder, "first")}`, cluster.url()));
});

it("an account is removed only by --yes, and freezes and thaws by hand", async () => {
  const cli = (...words: string[]) => callCli(folder, words);
  await cli("account", "create", "Acme", "--id", "acme", "--landing-url", "https://www.acme.example/");
  expect(await cli("account", "remove", "acme")).toEqual({
    code: 1,
    stdout: "",
    stderr: "This removes all data of acme from the store: add --yes to do it\n",
  });
  const answerOf = async (...words: string[]) => JSON.parse((await cli(...words)).stdout) as unknown;
  expect(await answerOf("account", "freeze", "acme")).toEqual({ account_id: "acme", is_frozen: true });
  expect(await cli("account", "rename", "acme", "New")).toEqual({
    code: 1,
    stdout: "",
    stderr: "The account is being moved to another store: try again later\n",
  });
  expect(await answerOf("account", "unfreeze", "acme")).toEqual({ account_id: "acme", is_frozen: false });
  expect((await cli("account", "rename", "acme", "New")).code).toBe(0);
  expect(await answerOf("account", "remove", "acme", "--yes")).toEqual({
    account_id: "acme",
    is_removed: true,
  });
  expect(await answerOf("account", "list")).toEqual([]);
});
