import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../server/storage/store.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { startPair, type Pair } from "../support/postgres-pair.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { openThings, thing, things, totalOf } from "../support/things.ts";

describe.skipIf(POSTGRES_FOLDER === null)("an engine on a primary and its synchronous standby", () => {
  let pair: Pair;
  let stores: Store[];
  let notices: string[];
  beforeEach(async () => {
    [stores, notices] = [[], []];
    pair = await startPair();
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await pair.remove();
  });

  async function open(url = pair.url): Promise<Store> {
    const store = await openThings(url, { notify: (notice) => notices.push(notice) });
    stores.push(store);
    return store;
  }

  /** Writes a record that must not be there. */
  const put = (store: Store, name: string) =>
    store.transact(async (tx) => {
      const id = name.charCodeAt(0);
      if ((await tx.get(things, 1, id)) !== null) return false;
      await tx.insert(things, thing(id, name));
      return true;
    });

  /** Tries again while no server accepts it. */
  async function putAtLast(store: Store, name: string): Promise<void> {
    await expect.poll(() => put(store, name).catch((error: { kind?: string }) => error.kind)).toBe(true);
  }

  /** The names of all records, and the sum of them. */
  async function written(store: Store): Promise<[names: string, count: number]> {
    const all = await store.page(things, "id", 1, [], { limit: 100 });
    return [all.map(({ name }) => name).join(""), await totalOf(store)];
  }

  const nameOf = ({ port }: Cluster) => `127.0.0.1:${port}`;

  it("writes to the other one after its promotion, and has each commit once", async () => {
    const [first, second] = [await open(), await open()];
    expect(await put(first, "a")).toBe(true);
    await pair.primary().kill();
    await pair.promote();
    await Promise.all([putAtLast(first, "b"), putAtLast(second, "c")]);
    expect(await written(first)).toEqual(["abc", 3]);
    expect(notices).toContain(`Writes go to ${nameOf(pair.primary())}, on timeline 2`);
    expect(
      await second.limits!.query({ text: "select pg_is_in_recovery() as is", values: [] }),
    ).toMatchObject({
      rows: [{ is: false }],
    });
  });

  it("refuses the old primary that comes back and still believes, at once and after a restart", async () => {
    const store = await open();
    const old = pair.primary();
    await old.kill();
    await pair.promote();
    await putAtLast(store, "a");
    await old.start();
    const refusal = `${nameOf(old)} accepts writes on timeline 1, which ended: timeline 2 has begun elsewhere`;
    await expect.poll(() => notices).toContain(`Refused: ${refusal}`);
    expect(await put(store, "b")).toBe(true);
    // Now only the old one answers.
    await pair.primary().kill();
    await expect(put(store, "c")).rejects.toMatchObject({ kind: "unavailable" });
    await pair.primary().start();
    expect(await written(await open())).toEqual(["ab", 2]);
    expect((await old.query("select name from things")).rows).toEqual([]);
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

  it("goes on with an older timeline once every host answers and none has the newer one", async () => {
    const store = await open();
    const old = pair.primary();
    expect(await put(store, "a")).toBe(true);
    await old.kill();
    await pair.promote();
    await putAtLast(store, "b");
    const promoted = pair.primary();
    await old.start();
    const refusal = `Refused: ${nameOf(old)} accepts writes on timeline 1, which ended: timeline 2 has begun elsewhere`;
    await expect.poll(() => store.refusedHosts()).toEqual([refusal]);
    // The other one may come back.
    await promoted.kill();
    await expect(put(store, "c")).rejects.toMatchObject({ kind: "unavailable" });
    expect(store.refusedHosts()).toEqual([refusal]);
    // It comes back without its data.
    await promoted.follow(old);
    await putAtLast(store, "d");
    expect((await written(store))[0]).toBe("ad");
    expect(notices).toContain("Timeline 2 is lost with all that was recorded on it alone: no host has it");
    expect(store.refusedHosts()).toEqual([]);
  });

  it("goes on with no older timeline while a standby has the newer one", async () => {
    const third = await startCluster();
    const old = pair.primary();
    await third.follow(old);
    const store = await open(pair.url.replace("/postgres", `,${nameOf(third)}/postgres`));
    expect(await put(store, "a")).toBe(true);
    await old.kill();
    await pair.promote();
    await putAtLast(store, "b");
    await third.follow(pair.primary());
    await pair.primary().kill();
    await old.start();
    await pair.primary().follow(old);
    // Now every host answers, and only the old one accepts writes.
    await expect.poll(() => store.refusedHosts()).toHaveLength(1);
    await expect(put(store, "c")).rejects.toMatchObject({ kind: "unavailable" });
    await third.promote();
    await putAtLast(store, "d");
    expect((await written(store))[0]).toBe("abd");
    await third.remove();
  });

  it("leaves a primary that hangs, and does not come back to it when it continues", async () => {
    const store = await open();
    const old = pair.primary();
    expect(await put(store, "a")).toBe(true);
    await old.freeze();
    const stuck = put(store, "b").catch((error: { kind?: string }) => error.kind);
    await pair.promote();
    await putAtLast(store, "c");
    expect([true, "unavailable"]).toContain(await stuck);
    await old.thaw();
    await putAtLast(store, "d");
    expect((await written(store))[0]).toMatch(/^ab?cd$/);
    expect((await old.query("select name from things where name in ('c', 'd')")).rows).toEqual([]);
  });

  it("does not call a commit done that only its killed and restarted primary has", async () => {
    const primary = pair.primary();
    const store = await open(primary.url());
    expect(await put(store, "a")).toBe(true);
    await pair.standby().freeze();
    const waiting = put(store, "b");
    const waitingForStandby = async () => {
      const text = "select count(*) as found from pg_stat_activity where wait_event = 'SyncRep'";
      return Number((await primary.query(text)).rows[0]!.found);
    };
    await expect.poll(waitingForStandby).toBe(1);
    await primary.kill();
    await primary.start();
    // The commit is there now, and the engine has found it.
    await expect.poll(waitingForStandby).toBe(1);
    expect((await primary.query("select name from things where name = 'b'")).rows).toHaveLength(1);
    await pair.standby().thaw();
    expect(await waiting).toBe(true);
    expect((await pair.standby().query("select name from things where name = 'b'")).rows).toHaveLength(1);
  });
});
