import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LAYOUT } from "../../server/storage/layout.ts";
import { openDriver } from "../../server/storage/open.ts";
import { runCli } from "../support/cli.ts";
import { EXPORT_5, entriesOfLayout5 } from "../support/fixture.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

let folder: string;
let remove: () => void;
let server: Server | null;
beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  server = null;
  const driver = await openDriver(`sqlite:${folder}`);
  await driver.commit({ checks: [], puts: entriesOfLayout5(), removes: [], sums: [] });
  await driver.dispose?.();
});
afterEach(async () => {
  await server?.kill();
  remove();
});

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
