import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCli } from "../support/cli.ts";
import { findFaults, inStore } from "../support/consistency.ts";
import { textsOf } from "../support/exports.ts";
import { rounds } from "../support/rounds.ts";
import { startSignups } from "../support/signup-load.ts";
import { startServer, temporaryFolder, v1, v2, type Server } from "../support/server.ts";
import { leadCountsIn, leadCounts } from "../support/stats.ts";

/** A PNG of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let folder: string;
let remove: () => void;
let server: Server;
const at = (name: string) => join(folder, name);
beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  server = await startServer(at("first"), { WORKERS: String(rounds(2, 4)) });
  await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
});
afterEach(async () => {
  await server.kill();
  remove();
});

/** Signs people up until it is stopped. Resolves to how many were recorded. */
function signUp(): () => Promise<number> {
  const load = startSignups(server, { clients: 3, name: "lead" });
  return async () => {
    await load.stop();
    expect(load.refused).toEqual([]);
    return load.recorded.length;
  };
}

/** Checks that a copy's leads, lists and counters are from one moment. */
async function expectWhole(name: string): Promise<number> {
  const counts = (await leadCountsIn(`sqlite:${at(name)}`))!;
  expect(counts).toEqual(leadCounts(counts.records));
  expect(await inStore(`sqlite:${at(name)}`, findFaults)).toEqual([]);
  return counts.records;
}

it("backup copies a store while servers take sign-ups, and the copy can be served", async () => {
  for (let count = 0; count < 20; count++)
    await v1(server, "/track/signup", { email: `before-${count}@example.com`, ref_id: "jane" });
  const stop = signUp();
  const { code, stdout, stderr } = await runCli(at("first"), ["backup", at("copy")]);
  const recorded = await stop();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  // Others on the machine may read neither store.
  for (const store of ["first", "copy"]) expect(statSync(at(store)).mode & 0o777).toBe(0o700);
  const count = await expectWhole("copy");
  expect(count).toBeGreaterThanOrEqual(20);
  expect(count).toBeLessThanOrEqual(20 + recorded);
  expect(JSON.parse(stdout)).toMatchObject({ records: { lead: count, account: 1, promoter: 1 } });

  const again = await runCli(at("first"), ["backup", at("copy")]);
  expect([again.code, again.stderr]).toEqual([1, `${at("copy")} is not empty\n`]);
  await server.kill();
  server = await startServer(at("copy"));
  expect(await v1(server, "/track/signup", { email: "before-1@example.com", ref_id: "jane" })).toMatchObject({
    status: 422,
  });
});

it("export works while servers take sign-ups, and its folder can be imported and exported again", async () => {
  const stop = signUp();
  const exported = await runCli(at("first"), ["export", at("all")]);
  await stop();
  expect(exported).toMatchObject({ code: 0, stderr: "" });
  expect(statSync(at("all")).mode & 0o777).toBe(0o700);
  expect(statSync(join(at("all"), "leads.jsonl")).mode & 0o777).toBe(0o600);

  const imported = await runCli(at("second"), ["import", at("all")]);
  expect({ code: imported.code, stderr: imported.stderr }).toEqual({ code: 0, stderr: "" });
  const count = await expectWhole("second");
  expect(JSON.parse(exported.stdout)).toMatchObject({
    folder: at("all"),
    records: { "leads.jsonl": count, "promoters.jsonl": 1 },
  });
  expect(JSON.parse(imported.stdout)).toMatchObject({ records: { lead: count } });

  expect((await runCli(at("second"), ["export", at("again")])).code).toBe(0);
  expect(textsOf(at("again"))).toEqual(textsOf(at("all")));
});

it("export and import take uploaded files along if asked", async () => {
  const { body } = await v2(server, "PUT /brand/logo", { file: PNG });
  const name = basename((body as { shown: { logo_url: string } }).shown.logo_url);
  await runCli(at("first"), ["export", at("without")]);
  const { stderr } = await runCli(at("first"), ["export", at("all"), "--files"]);
  expect(stderr).toBe("copied 1 uploaded files\n");
  expect(existsSync(join(at("without"), "files"))).toBe(false);
  const imported = await runCli(at("second"), ["import", at("all")]);
  expect(imported).toMatchObject({ code: 0, stderr: "copied 1 uploaded files\n" });
  const file = (store: string) => readFileSync(join(at(store), "files", "uploads", name));
  expect(file("second").equals(file("first"))).toBe(true);
});

it("export, backup and import refuse wrong folders and stores", async () => {
  mkdirSync(at("mine"));
  writeFileSync(join(at("mine"), "file"), "mine");
  const { code, stderr } = await runCli(at("first"), ["export", at("mine")]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("mine is not empty")]);
  expect(readFileSync(join(at("mine"), "file"), "utf8")).toBe("mine");
  const none = await runCli(folder, ["backup", at("copy")], { STORAGE_URL: "memory:" });
  expect([none.code, none.stderr]).toEqual([
    1,
    "This store has no files to copy; use export, or the database's own tools\n",
  ]);
  const missing = await runCli(at("second"), ["import", at("nothing")]);
  expect([missing.code, missing.stderr]).toEqual([1, `There is no folder ${at("nothing")}\n`]);
});
