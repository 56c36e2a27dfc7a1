import { textsOf } from "../support/exports.ts";
import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { rounds } from "../support/rounds.ts";
import { startServer, temporaryFolder, v1, type Server } from "../support/server.ts";
import { leadCountsIn, leadCounts } from "../support/stats.ts";
import { startSignups } from "../support/signup-load.ts";
import { putRecords } from "../support/records.ts";

/** From util-linux; runs a command on a terminal of its own. */
const SCRIPT = "/usr/bin/script";
const run = promisify(execFile);

/** Records of 2.5 kB each: more than fit into a process of 32 MB. */
const RECORDS = rounds(15_000, 24_000);
const shown = (count: number) => count.toLocaleString("en");

const empty = (cluster: Cluster) => cluster.query("drop schema public cascade; create schema public");

describe.skipIf(POSTGRES_FOLDER === null)("a store in Postgres", () => {
  let cluster: Cluster;
  let folder: string;
  let remove: () => void;
  const servers: Server[] = [];
  const at = (name: string) => join(folder, name);
  beforeAll(async () => {
    cluster = await startCluster();
  });
  beforeEach(() => void ({ folder, remove } = temporaryFolder()));
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.kill()));
    await empty(cluster);
    remove();
  });
  afterAll(() => cluster.remove());

  /** Starts two servers that take sign-ups from six clients. Returns a function that stops them. */
  async function startLoad(): Promise<() => Promise<number>> {
    const settings = { STORAGE_URL: cluster.url(), STORAGE_CONNECTIONS: "3" };
    servers.push(await startServer("", settings), await startServer("", settings));
    await v1(servers[0]!, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    const loads = servers.map((server, at) => startSignups(server, { clients: 3, name: `lead-${at}` }));
    // More than one chunk of entries, so that writes happen between two reads of an export.
    await Promise.all(loads.map((load) => load.more(100)));
    return async () => {
      await Promise.all(loads.map((load) => load.stop()));
      expect(loads.flatMap(({ refused }) => refused)).toEqual([]);
      return loads.flatMap(({ recorded }) => recorded).length;
    };
  }

  /** Checks that leads, their lists and their counters are from one moment. */
  async function expectWhole(url: string): Promise<number> {
    const counts = (await leadCountsIn(url))!;
    expect(counts).toEqual(leadCounts(counts.records));
    return counts.records;
  }

  const cli = (words: string[], environment = {}) =>
    runCli(folder, words, { STORAGE_URL: cluster.url(), ...environment });

  it("is exported from a single moment while servers write, and can be imported again", async () => {
    const stop = await startLoad();
    const exports = [];
    for (const name of ["first", "second"]) exports.push(await cli(["export", at(name)]));
    const recorded = await stop();
    const counts = [];
    for (const [index, name] of ["first", "second"].entries()) {
      expect(exports[index]).toMatchObject({ code: 0, stderr: "" });
      const imported = await cli(["import", at(name)], { STORAGE_URL: `sqlite:${at(`${name}.copy`)}` });
      expect(imported.code).toBe(0);
      counts.push(await expectWhole(`sqlite:${at(`${name}.copy`)}`));
      expect(JSON.parse(imported.stdout)).toMatchObject({ records: { lead: counts[index]! } });
    }
    expect(counts[0]).toBeGreaterThanOrEqual(200);
    expect(counts[1]).toBeGreaterThan(counts[0]!);
    expect(counts[1]).toBeLessThanOrEqual(recorded);
  });

  it("goes to SQLite and back exactly", async () => {
    const stop = await startLoad();
    const recorded = await stop();
    await Promise.all(servers.map((server) => server.stop()));
    const copy = { STORAGE_URL: `sqlite:${at("copy")}` };
    await cli(["export", at("before")]);
    const there = await cli(["import", at("before")], copy);
    expect(there).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(there.stdout)).toMatchObject({ records: { lead: recorded, promoter: 1, account: 1 } });
    await cli(["export", at("between")], copy);
    const full = await cli(["import", at("between")]);
    expect([full.code, full.stderr]).toEqual([1, "The target store is not empty\n"]);
    await empty(cluster);
    const back = await cli(["import", at("between")]);
    expect(back).toEqual(there);
    expect(await expectWhole(cluster.url())).toBe(recorded);
    await cli(["export", at("after")]);
    for (const name of ["between", "after"]) expect(textsOf(at(name))).toEqual(textsOf(at("before")));
    // Ids that were used before are not used again.
    const server = await startServer("", { STORAGE_URL: cluster.url() });
    servers.push(server);
    const { body } = await v1(server, "/track/signup", { uid: "new", ref_id: "jane" });
    expect(body["id"]).toBeGreaterThan(recorded);
  });

  it("is exported and imported by processes with 32 MB, and a terminal shows the progress", async () => {
    const large = `sqlite:${at("large")}`;
    const filler = "x".repeat(2_500);
    const states = Array.from({ length: RECORDS }, (_, promoterCampaignId) => {
      return { account_id: 1, promoter_campaign_id: promoterCampaignId, state: "accepted" as const, filler };
    });
    await putRecords(large, "archivedState", ...states);
    const node = [
      process.execPath,
      "--max-old-space-size=32",
      "--max-semi-space-size=1",
      "dist/server/cli.js",
    ];
    const little = (words: string[], STORAGE_URL = cluster.url()) => {
      const environment = { env: { ...process.env, STORAGE_URL }, maxBuffer: 1e8 };
      const words_ = [...node, ...words];
      if (existsSync(SCRIPT)) return run(SCRIPT, ["-qec", words_.join(" "), "/dev/null"], environment);
      return run(words_[0]!, words_.slice(1), environment);
    };
    const exported = await little(["export", at("all")], large);
    const imported = await little(["import", at("all")]);
    rmSync(at("all"), { recursive: true });
    const counted = `select count(*) as count from archived_states`;
    expect((await cluster.query(counted)).rows).toEqual([{ count: String(RECORDS) }]);
    if (!existsSync(SCRIPT)) return;
    expect(exported.stdout).toContain(
      `exported [${"#".repeat(30)}] 100 % ${shown(RECORDS)} of ${shown(RECORDS)}`,
    );
    expect(imported.stdout).toMatch(new RegExp(`checked \\[#+-+\\] \\d+ % [\\d,]+ of ${shown(RECORDS)}`));
    expect(imported.stdout).toContain(
      `imported [${"#".repeat(30)}] 100 % ${shown(RECORDS)} of ${shown(RECORDS)}`,
    );
  });
});
