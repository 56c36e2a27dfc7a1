import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { postgresDriver } from "../../server/storage/drivers/postgres.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { startPair, type Pair } from "../support/postgres-pair.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";

const ALL = { from: " ", before: "~", limit: 100 };

describe.skipIf(POSTGRES_FOLDER === null)("a driver on a primary and its synchronous standby", () => {
  let pair: Pair;
  let drivers: AtomicDriver[];
  let notices: string[];
  beforeEach(async () => {
    [drivers, notices] = [[], []];
    pair = await startPair();
  });
  afterEach(async () => {
    await Promise.all(drivers.map((driver) => driver.dispose?.()));
    await pair.remove();
  });

  async function open(url = pair.url): Promise<AtomicDriver> {
    const driver = await postgresDriver(url, { notify: (notice) => notices.push(notice) });
    drivers.push(driver);
    return driver;
  }

  /** Writes a key that must not be there, and counts it. */
  const put = (driver: AtomicDriver, key: string) =>
    driver.commit({ checks: [[key, null]], puts: [[key, "{}"]], removes: [], sums: [["n", 1]] });

  /** Tries again while no server accepts it. */
  async function putAtLast(driver: AtomicDriver, key: string): Promise<void> {
    await expect.poll(() => put(driver, key).catch((error: { kind?: string }) => error.kind)).toBe(true);
  }

  const nameOf = ({ port }: Cluster) => `127.0.0.1:${port}`;

  it("writes to the other one after its promotion, and has each commit once", async () => {
    const [first, second] = [await open(), await open()];
    expect(await put(first, "a")).toBe(true);
    await pair.primary().kill();
    await pair.promote();
    await Promise.all([putAtLast(first, "b"), putAtLast(second, "c")]);
    expect(await first.list(ALL)).toEqual([
      ["a", "{}"],
      ["b", "{}"],
      ["c", "{}"],
      ["n", `{"sum":3}`],
    ]);
    expect(notices).toContain(`Writes go to ${nameOf(pair.primary())}, on timeline 2`);
    expect(
      await second.limits!.query({ text: "select pg_is_in_recovery() as is", values: [] }),
    ).toMatchObject({
      rows: [{ is: false }],
    });
  });

  it("refuses the old primary that comes back and still believes, at once and after a restart", async () => {
    const driver = await open();
    const old = pair.primary();
    await old.kill();
    await pair.promote();
    await putAtLast(driver, "a");
    await old.start();
    const refusal = `${nameOf(old)} accepts writes on timeline 1, which ended: timeline 2 has begun elsewhere`;
    await expect.poll(() => notices).toContain(`Refused: ${refusal}`);
    expect(await put(driver, "b")).toBe(true);
    // Now only the old one answers.
    await pair.primary().kill();
    await expect(put(driver, "c")).rejects.toMatchObject({ kind: "unavailable" });
    await pair.primary().start();
    expect(await (await open()).list(ALL)).toEqual([
      ["a", "{}"],
      ["b", "{}"],
      ["n", `{"sum":2}`],
    ]);
    expect((await old.query("select key from tidemark_items")).rows).toEqual([]);
  });

  it("refuses the old primary in a new process if a standby of the new one answers", async () => {
    const third = await startCluster();
    const old = pair.primary();
    await old.kill();
    await pair.promote();
    await putAtLast(await open(), "a");
    await third.follow(pair.primary());
    await pair.primary().kill();
    await old.start();
    const url = `postgres://tidemark@${nameOf(old)},${nameOf(third)}/postgres`;
    await expect(open(url)).rejects.toThrow(
      `No host accepts writes: ${nameOf(old)} accepts writes on timeline 1, which ended: timeline 2 has begun elsewhere; ${nameOf(third)} is a standby`,
    );
    await third.remove();
  });

  it("leaves a primary that hangs, and does not come back to it when it continues", async () => {
    const driver = await open();
    const old = pair.primary();
    expect(await put(driver, "a")).toBe(true);
    await old.freeze();
    const stuck = put(driver, "b").catch((error: { kind?: string }) => error.kind);
    await pair.promote();
    await putAtLast(driver, "c");
    expect([true, "unavailable"]).toContain(await stuck);
    await old.thaw();
    await putAtLast(driver, "d");
    const keys = (await driver.list(ALL)).map(([key]) => key);
    expect(keys).toEqual(expect.arrayContaining(["a", "c", "d"]));
    expect((await old.query("select key from tidemark_items where key in ('c', 'd')")).rows).toEqual([]);
  });

  it("does not call a commit done that only its killed and restarted primary has", async () => {
    const primary = pair.primary();
    const driver = await open(primary.url());
    expect(await put(driver, "a")).toBe(true);
    await pair.standby().freeze();
    const waiting = put(driver, "b");
    const waitingForStandby = async () => {
      const text = "select count(*) as found from pg_stat_activity where wait_event = 'SyncRep'";
      return Number((await primary.query(text)).rows[0]!.found);
    };
    await expect.poll(waitingForStandby).toBe(1);
    await primary.kill();
    await primary.start();
    // The commit is there now, and the driver has found it.
    await expect.poll(waitingForStandby).toBe(1);
    expect((await primary.query("select key from tidemark_items where key = 'b'")).rows).toHaveLength(1);
    await pair.standby().thaw();
    expect(await waiting).toBe(true);
    expect((await pair.standby().query("select key from tidemark_items where key = 'b'")).rows).toHaveLength(
      1,
    );
  });
});
