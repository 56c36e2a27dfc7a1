import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadBalance } from "../../server/domain/commission/balance.ts";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { memoryDriver } from "../../server/storage/drivers/memory.ts";
import { encodeKey } from "../../server/storage/keys.ts";
import { openDriver, storeOn } from "../../server/storage/open.ts";
import type { Entry } from "../../server/storage/listing/snapshot.ts";
import { newStore } from "../../server/storage/store.ts";
import { findFaults } from "../../server/transfer/check.ts";
import { importFile } from "../../server/transfer/import.ts";
import { moveStore } from "../../server/transfer/move.ts";
import { upgradeWithBackup } from "../../server/transfer/upgrade/backup.ts";
import { NOW, startApp } from "../support/app.ts";
import { entriesIn } from "../support/entries.ts";
import { ENGINES, useEmptyStore } from "../support/drivers.ts";
import {
  ANSWERS_10,
  ANSWERS_5,
  DATABASE_10,
  EXPORT_10,
  EXPORT_5,
  answersOf,
  entriesOfLayout5,
  moneyAnswersOf,
} from "../support/fixture.ts";
import { rounds } from "../support/rounds.ts";

/** All answers are compared after each of this many interruptions. */
const LOOKED_AT = rounds(3, 1);
const NOTHING = { checks: [], puts: [], removes: [], sums: [] };
const ONCE = { onProgress: () => {}, resumes: false, isForced: false };
const OLDER =
  "The store was made by an earlier release of Tidemark: `tidemark upgrade` upgrades it, and so does starting the server";
const INTERRUPTED =
  "An upgrade of the store is running or was interrupted: if nothing runs it any more, `tidemark upgrade` continues it";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "tidemark-"))));
afterEach(() => rmSync(folder, { recursive: true }));

async function putOld(driver: AtomicDriver): Promise<void> {
  await driver.commit({ ...NOTHING, puts: entriesOfLayout5() });
}

async function upgrade(driver: AtomicDriver, name = "backup.jsonl"): Promise<string | null> {
  const file = join(folder, name);
  return upgradeWithBackup(driver, { url: "memory:", now: new Date(NOW), onProgress: () => {}, file });
}

async function expectWhole(driver: AtomicDriver): Promise<void> {
  const faults: string[] = [];
  for await (const fault of findFaults(driver)) faults.push(fault);
  expect(faults).toEqual([]);
  const app = await startApp("memory", { store: await storeOn(driver), isFilled: true });
  expect(await answersOf(app)).toEqual(ANSWERS_5);
  expect(app.bugs).toEqual([]);
  app.services.post.close();
}

describe.each(ENGINES)("in %s", (kind) => {
  let driver: AtomicDriver;
  useEmptyStore(kind, (emptyDriver) => void (driver = emptyDriver));

  it("an export of layout 5 is imported, and all answers stay the same", async () => {
    const totals = await importFile(driver, { ...ONCE, file: EXPORT_5 });
    expect(totals.records).toMatchObject({ lead: 52, visitor: 29, promoter: 11, payout: 12 });
    await expectWhole(driver);
  });

  it("a store of layout 5 is upgraded, and all answers stay the same", async () => {
    await putOld(driver);
    await expect(storeOn(driver)).rejects.toMatchObject({ kind: "refused", message: OLDER });
    const backup = await upgrade(driver);
    await expectWhole(driver);
    expect(readFileSync(backup!, "utf8").split("\n").slice(1, -2)).toEqual(
      readFileSync(EXPORT_5, "utf8").split("\n").slice(1, -2),
    );
    expect(await upgrade(driver, "second.jsonl")).toBeNull();
  });
});

describe("the release with layout 10 left a program whose answers stay the same", () => {
  async function expectKept(driver: AtomicDriver): Promise<void> {
    const app = await startApp("memory", { store: await storeOn(driver), isFilled: true });
    expect(await moneyAnswersOf(app)).toMatchObject(ANSWERS_10);
    for await (const fault of findFaults(driver)) expect.fail(fault);
    expect(app.bugs).toEqual([]);
    app.services.post.close();
    await driver.dispose?.();
  }

  it("in its SQLite file", async () => {
    copyFileSync(DATABASE_10, join(folder, "tidemark.db"));
    const driver = await openDriver(`sqlite:${folder}`);
    await upgrade(driver);
    await expectKept(driver);
  });

  it("in its export", async () => {
    const driver = memoryDriver();
    await importFile(driver, { ...ONCE, file: EXPORT_10 });
    await expectKept(driver);
  });
});

it("a store of layout 6, which has shorter keys, is upgraded", async () => {
  const source = memoryDriver();
  await importFile(source, { ...ONCE, file: EXPORT_5 });
  const driver = memoryDriver();
  await driver.commit({ ...NOTHING, puts: (await entriesIn(source)).map(asInLayout6) });
  await expect(storeOn(driver)).rejects.toMatchObject({ kind: "refused", message: OLDER });
  await upgrade(driver);
  expect(await entriesIn(driver)).toEqual(await entriesIn(source));
});

it("an upgrade can be undone by importing the backup, which only its owner can read", async () => {
  const driver = memoryDriver();
  await putOld(driver);
  const backup = (await upgrade(driver))!;
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  const again = memoryDriver();
  await importFile(again, { ...ONCE, file: backup });
  await expectWhole(again);
});

it("an upgrade changes nothing if the backup can't be written", async () => {
  const driver = memoryDriver();
  await putOld(driver);
  const before = await entriesIn(driver);
  writeFileSync(join(folder, "backup.jsonl"), "");
  await expect(upgrade(driver)).rejects.toThrow("backup.jsonl already exists");
  expect(await entriesIn(driver)).toEqual(before);
});

it("an upgrade continues after any interruption, and the store is refused until it is complete", async () => {
  for (let cutAt = 1; ; cutAt++) {
    const driver = memoryDriver();
    await putOld(driver);
    const isDone = await upgrade(dying(driver, cutAt), `${cutAt}.jsonl`).then(
      () => true,
      () => false,
    );
    if (isDone) return expect(cutAt).toBeGreaterThan(8);
    await expect(storeOn(driver)).rejects.toMatchObject({ kind: "refused", message: INTERRUPTED });
    expect(await upgrade(driver, "none.jsonl")).toBeNull();
    if (cutAt % LOOKED_AT === 0) await expectWhole(driver);
  }
});

it("an upgrade keeps earnings and payments, to the cent", async () => {
  const driver = memoryDriver();
  await importFile(driver, { ...ONCE, file: EXPORT_5 });
  const store = newStore(driver);
  expect((await loadBalance(store, 1, 7)).units).toEqual({
    cash: { earnings: 2_034, current: 1_234, paid: 800 },
  });
  expect((await loadBalance(store, 1, 8)).units).toEqual({
    cash: { earnings: 250, current: 0, paid: 250 },
    points: { earnings: 8, current: 0, paid: 8 },
  });
});

it("an upgrade gives no id twice", async () => {
  const driver = memoryDriver();
  await importFile(driver, { ...ONCE, file: EXPORT_5 });
  const store = newStore(driver);
  for (const kind of ["lead", "promoter", "commission", "payout"]) {
    expect(await store.nextId(kind)).toBeGreaterThan(256);
  }
});

it("an upgrade leaves webhooks their form", async () => {
  const driver = memoryDriver();
  await putOld(driver);
  await upgrade(driver);
  const app = await startApp("memory", { store: await storeOn(driver), isFilled: true });
  const { status, body } = await app.v2("GET", "/webhooks");
  expect([status, body]).toMatchObject([200, [{ id: 1, format: "v2", event_types: ["referral.created"] }]]);
  expect(app.bugs).toEqual([]);
  app.services.post.close();
});

it("a move upgrades the records too", async () => {
  const [from, to] = [memoryDriver(), memoryDriver()];
  await putOld(from);
  await moveStore([from, to], ONCE);
  await expectWhole(to);
});

it.each([
  [
    "of a later release",
    { version: 99 },
    "The store was made by a later release of Tidemark: use that one, or an empty store",
  ],
  [
    "of an early build",
    { version: 4 },
    "The store was made by a build before 0.1 of Tidemark: use that one, or an empty store",
  ],
])("an upgrade leaves a store %s unchanged", async (_, mark, message) => {
  const driver = memoryDriver();
  const puts: Entry[] = [[encodeKey([0, "layout"]), JSON.stringify(mark)]];
  await driver.commit({ ...NOTHING, puts });
  await expect(upgrade(driver)).rejects.toMatchObject({ kind: "refused", message });
  expect(await entriesIn(driver)).toEqual(puts);
});

/** An entry with the abbreviated keys of layout 6. */
function asInLayout6([key, text]: Entry): Entry {
  if (key === encodeKey([0, "layout"])) return [key, '{"version":6}'];
  const short = new Map([
    ["spromoter!", "t"],
    ["scommission!", "tb"],
    ["svisitor!", "tf"],
    ["slead!", "z"],
    ["sdaily+2epromoter+2dcampaign@3d!", "u"],
    ["sclicks!", "ta"],
  ]);
  return [
    key
      .split(":")
      .map((segment) => short.get(segment) ?? segment)
      .join(":"),
    text,
  ];
}

/** The same driver, killed at one of its commits. */
function dying(driver: AtomicDriver, cutAt: number): AtomicDriver {
  let commits = 0;
  return {
    ...driver,
    async commit(changes) {
      if (commits++ >= cutAt) throw new Error("killed");
      return driver.commit(changes);
    },
  };
}
