import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCli } from "../support/cli.ts";
import { findFaults, inStore } from "../support/consistency.ts";
import { rounds } from "../support/rounds.ts";
import { startSignups } from "../support/signup-load.ts";
import { startServer, temporaryFolder, v1, type Server } from "../support/server.ts";
import { leadCountsIn, leadCounts } from "../support/stats.ts";

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

it("export works while servers take sign-ups, and its file can be imported and moved", async () => {
  const stop = signUp();
  const exported = await runCli(at("first"), ["export", at("all.ndjson")]);
  await stop();
  expect(exported).toMatchObject({ code: 0, stdout: "" });
  expect(exported.stderr).toMatch(/^exported \d+ records, SHA-256 [0-9a-f]{64}\n$/);
  expect(statSync(at("all.ndjson")).mode & 0o777).toBe(0o600);

  const imported = await runCli(at("second"), ["import", at("all.ndjson")]);
  expect({ code: imported.code, stderr: imported.stderr }).toEqual({ code: 0, stderr: "" });
  const count = await expectWhole("second");
  expect(JSON.parse(imported.stdout)).toMatchObject({ records: { lead: count } });

  const moved = await runCli(folder, ["move", `sqlite:${at("second")}`, `sqlite:${at("third")}`]);
  expect(moved).toEqual({ code: 0, stdout: imported.stdout, stderr: "" });
  expect(await expectWhole("third")).toBe(count);

  const piped = await runCli(at("third"), ["export", "-"]);
  const withoutDate = (text: string) => text.slice(text.indexOf("\n"));
  expect(withoutDate(piped.stdout)).toBe(withoutDate(readFileSync(at("all.ndjson"), "utf8")));
});

it("move fails while servers take sign-ups, although its copy is consistent", async () => {
  const stop = signUp();
  const { code, stdout, stderr } = await runCli(folder, [
    "move",
    `sqlite:${at("first")}`,
    `sqlite:${at("second")}`,
  ]);
  await stop();
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    /^The copy is not the same \(\d+ and \d+ records\): stop what writes to the first store/,
  );
  await expectWhole("second");
});

it("export, backup, import and move refuse wrong files and stores", async () => {
  writeFileSync(at("mine"), "mine");
  const { code, stderr } = await runCli(at("first"), ["export", at("mine")]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("mine already exists")]);
  expect(readFileSync(at("mine"), "utf8")).toBe("mine");
  const none = await runCli(folder, ["backup", at("copy")], { STORAGE_URL: "memory:" });
  expect([none.code, none.stderr]).toEqual([
    1,
    "This store has no files to copy; use export, or the database's own tools\n",
  ]);
  const missing = await runCli(at("second"), ["import", at("nothing")]);
  expect([missing.code, missing.stderr]).toEqual([1, `There is no file ${at("nothing")}\n`]);
  const same = await runCli(folder, ["move", `sqlite:${at("first")}`, `sqlite:${at("first")}`]);
  expect([same.code, same.stderr]).toEqual([1, "The two stores are the same\n"]);
});
