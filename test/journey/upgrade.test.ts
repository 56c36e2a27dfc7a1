import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeItem } from "../../server/storage/items.ts";
import { LAYOUT, OLDEST_SERVED } from "../../server/storage/layout.ts";
import { openEngine } from "../../server/storage/open.ts";
import { runCli } from "../support/cli.ts";
import { ANSWERS_0_1, EXPORT_0_1, EXPORT_5, entriesOfLayout5 } from "../support/fixture.ts";
import { endConnections } from "../support/garbage.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

let folder: string;
let remove: () => void;
let server: Server | null;
beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  server = null;
  await fill();
  await endConnections();
});
afterEach(async () => {
  await server?.kill();
  remove();
});

/** Makes a store of an earlier layout. Nothing of it stays in use. */
async function fill(): Promise<void> {
  const engine = await openEngine(`sqlite:${folder}`, { tables: [] });
  await engine.transact(async (session) => {
    for (const [key, text] of entriesOfLayout5()) await writeItem(session, key, text);
  });
  await engine.close();
}

const settings = () => ({ STORAGE_URL: `sqlite:${folder}` });
const run = (...words: string[]) => runCli(folder, words, settings());
const backups = () => readdirSync(folder).filter((name) => name.startsWith("before-upgrade-"));
const records = (text: string) => text.split("\n").slice(1, -2);

it("a starting server upgrades an old store once, after a backup", async () => {
  for (let start = 0; start < 2; start++) {
    server = await startServer(folder, { ...settings(), WORKERS: "2" });
    const headers = { "x-api-key": "key-of-acme" };
    const answer = await fetch(`${server.url}/api/v1/leads/list`, { headers });
    expect([answer.status, answer.headers.get("total")]).toEqual([200, "52"]);
    expect(await server.stop()).toBe(0);
    expect(backups()).toHaveLength(1);
  }
  const [backup] = backups();
  expect(records(readFileSync(`${folder}/${backup}`, "utf8"))).toEqual(
    records(readFileSync(EXPORT_5, "utf8")),
  );
  expect(await run("check")).toEqual({ code: 0, stdout: "", stderr: "no faults\n" });
});

it("a starting server leaves an old store as it is while another process uses it", async () => {
  const other = await openEngine(`sqlite:${folder}`, { tables: [] });
  expect(await run("upgrade", "--check")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Another server or command uses the store now.") as string,
  });
  await expect(startServer(folder, settings())).rejects.toThrow(
    "Another server or command uses the store, and this release must convert it first: stop all servers, then start this one\n",
  );
  expect([backups(), (await run("upgrade")).code]).toEqual([[], 1]);
  await other.close();
});

it("a conversion logs a line when a step begins, not one for each thousand entries", async () => {
  server = await startServer(folder, { ...settings(), LOG_LEVEL: "info" });
  const lines = server.output().match(/"msg":"[^"]*(so far|upgraded[^"]*)"/g) ?? [];
  const said = lines.map((line) => line.slice(7, -1));
  const steps = ["exported", "converted", "cleared"].map((what) => `${what} so far`);
  expect(said).toEqual(["the store is being upgraded to this release", ...steps, "the store was upgraded"]);
});

it("`upgrade --check` says what would happen, and changes nothing", async () => {
  const { code, stdout } = await run("upgrade", "--check");
  expect({ code, told: stdout.trimEnd().split("\n") }).toEqual({
    code: 0,
    told: [
      `The store has layout 5, and this release needs layout ${OLDEST_SERVED}: it will be converted. It can't be used meanwhile.`,
      expect.stringMatching(
        /^It has \d[\d,]* entries of less than 1 MB\. The conversion takes about \d+ seconds on this machine, /,
      ),
      expect.stringMatching(
        /^Before that, a backup of less than 1 MB at most is written to .*before-upgrade-.*\.jsonl\.$/,
      ),
      "No other server or command uses the store now.",
    ],
  });
  expect(backups()).toEqual([]);
  expect((await run("upgrade")).code).toBe(0);
  expect((await run("upgrade", "--check")).stdout).toBe(
    "Nothing has to be done: the store has the layout of this release.\n",
  );
});

it("other commands refuse an old store in one sentence until it is upgraded by hand", async () => {
  const { code, stderr } = await run("account", "list");
  expect([code, stderr]).toEqual([
    1,
    "The store of STORAGE_URL can't be opened: The store was made by an earlier release of Tidemark: `tidemark upgrade` upgrades it, and so does starting the server\n",
  ]);
  const upgraded = await run("upgrade", "--backup", `${folder}/mine.jsonl`);
  expect(JSON.parse(upgraded.stdout)).toEqual({ layout: LAYOUT, backup: `${folder}/mine.jsonl` });
  expect(await run("check")).toMatchObject({ code: 0 });
  expect(JSON.parse((await run("upgrade")).stdout)).toEqual({ layout: LAYOUT, backup: null });
});

it("an export of release 0.1 is imported, and all records are there, with V2's payouts in cents", async () => {
  const store = { STORAGE_URL: `sqlite:${folder}/from-0.1` };
  const { code } = await runCli(folder, ["import", EXPORT_0_1], store);
  expect(code).toBe(0);
  expect(await runCli(folder, ["check"], store)).toEqual({ code: 0, stdout: "", stderr: "no faults\n" });
  server = await startServer(folder, store);
  for (const [path, former] of Object.entries(ANSWERS_0_1)) {
    // The key is that of 0.1, and it is still good.
    const answer = await fetch(`${server.url}${path}`, {
      headers: { "x-api-key": "key-of-acme", authorization: "Bearer key-of-acme", "account-id": "acme" },
    });
    const rows = (await answer.json()) as unknown[];
    const expected = path === "/api/v2/company/payouts" ? former.map(inCents) : former;
    expect(rows, path).toHaveLength(expected.length);
    expect(rows, path).toMatchObject(expected);
  }
});

/** A payout of V2 as releases since 0.2 show it. 0.1 showed decimals there, and cents in V1. */
function inCents(payout: Record<string, unknown>): Record<string, unknown> {
  const cents = (name: string) => Math.round(Number(payout[name]) * 100);
  return { ...payout, amount: cents("amount"), total_incl_tax: cents("total_incl_tax") };
}

it("an LMDB store of release 0.1 is refused with the two commands that bring its records over", async () => {
  const message =
    "The store of STORAGE_URL can't be opened: Only Tidemark 0.1 opens LMDB stores. With it, run STORAGE_URL=lmdb:./data " +
    "tidemark export all.ndjson. With this release, run tidemark import all.ndjson into an empty store. " +
    'See "From 0.1 to 0.2" in docs/operators.md\n';
  const { code, stderr } = await runCli(folder, ["account", "list"], { STORAGE_URL: "lmdb:./data" });
  expect({ code, stderr }).toEqual({ code: 1, stderr: message });
  expect(await runCli(folder, ["move", "lmdb:./data", `sqlite:${folder}/new`])).toMatchObject({ code: 1 });
});
