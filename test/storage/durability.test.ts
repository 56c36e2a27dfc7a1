import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../server/storage/open.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { startPair } from "../support/postgres-pair.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";

const OFF = "synchronous_commit is off: a crash of the database loses its latest commits";
const LOCAL = "synchronous_commit is local: commits do not wait for the standby";
const EMPTY = "synchronous_standby_names is empty: commits wait for no standby";
const GONE = "no synchronous standby is connected: every write waits for one";
const HIDDEN = "the standbys can't be seen: grant pg_monitor to the role of STORAGE_URL";

async function weaknessesOf(url: string, requiresStandby: boolean): Promise<string[]> {
  const engine = await openEngine(url, { tables: [], requiresStandby });
  const found = await engine.weaknesses!();
  await engine.close();
  return found;
}

const committing = (cluster: Cluster, how: string) =>
  `${cluster.url()}?options=${encodeURIComponent(`-c synchronous_commit=${how}`)}`;

describe.skipIf(POSTGRES_FOLDER === null)("the durability of a Postgres without a standby", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());

  it.each([
    ["on", false, []],
    ["local", false, []],
    ["off", false, [OFF]],
    ["on", true, [EMPTY]],
    ["local", true, [LOCAL, EMPTY]],
    ["off", true, [OFF, EMPTY]],
  ])(
    "with synchronous_commit %s, where a standby is asked for: %j",
    async (how, requiresStandby, expected) => {
      expect(await weaknessesOf(committing(cluster, how), requiresStandby)).toEqual(expected);
    },
  );
});

describe.skipIf(POSTGRES_FOLDER === null)("the durability of a Postgres with a synchronous standby", () => {
  it("is full until the standby dies, or where nobody may see it", async () => {
    const pair = await startPair();
    const primary = pair.primary();
    expect(await weaknessesOf(primary.url(), true)).toEqual([]);
    expect(await weaknessesOf(committing(primary, "local"), false)).toEqual([LOCAL]);
    await primary.query("create role stranger login");
    await primary.query("grant all on all tables in schema public to stranger");
    const stranger = primary.url().replace("tidemark@", "stranger@");
    expect(await weaknessesOf(stranger, true)).toEqual([HIDDEN]);
    await primary.query("grant pg_monitor to stranger");
    expect(await weaknessesOf(stranger, true)).toEqual([]);
    await pair.standby().kill();
    await expect.poll(() => weaknessesOf(primary.url(), false)).toEqual([GONE]);
    await pair.remove();
  });
});
