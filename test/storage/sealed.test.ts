import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { payoutMethods } from "../../server/domain/ledger/payout-method/payout-method.ts";
import { newSeal } from "../../server/seal.ts";
import { marked } from "../../server/storage/marks.ts";
import { recordOf, valuesOf } from "../../server/storage/record.ts";
import { openRow } from "../../server/storage/sealed.ts";
import { sqlName } from "../../server/storage/sql.ts";
import type { ColumnValue } from "../../server/storage/table.ts";
import type { Engine } from "../../server/storage/session.ts";
import { openEngine, storeOn } from "../../server/storage/open.ts";
import { newStore } from "../../server/storage/store.ts";
import { TABLES, type AnyRecord } from "../../server/tables.ts";
import { findFaults, rebuildStore } from "../../server/transfer/check.ts";
import { exportFolder, type Secrets } from "../../server/transfer/export.ts";
import { importFolder } from "../../server/transfer/import.ts";
import { resealStore } from "../../server/transfer/reseal.ts";
import { NOW, countedChance, startApp } from "../support/app.ts";
import { contentsOf } from "../support/contents.ts";
import { PAYOUT_METHODS, PAYOUT_METHODS_ANSWERS } from "../support/fixture.ts";
import { textsOf } from "../support/exports.ts";
import { TEST_SEAL, memoryEngine } from "../support/memory-engine.ts";
import { dyingAt } from "../support/mortal-engine.ts";
import { startCluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER, unprivileged } from "../support/postgres-programs.ts";

const silent = () => {};
const ONCE = { onProgress: silent, resumes: false, isForced: false };
/** The secrets of the fixture: bank accounts, a wallet, and the company's own details. */
const SECRETS = ["DE02120300000000202051", "DE75512108001245126199", "rob.wallet@example.com", "the safe"];
const [OLD, NEXT] = ["k", "n"].map((letter) => Buffer.alloc(32, letter)) as [Buffer, Buffer];
const WRONG_KEY =
  "The store's secrets are encrypted with another key, and TIDEMARK_SECRET_FILE does not have it: put it back";
const NO_KEY =
  "The store's secrets are encrypted with another key, and TIDEMARK_SECRET_FILE is not set: put it back";

let folder: string;
let opened: Engine[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  opened = [];
});
afterEach(async () => {
  for (const engine of opened) await engine.close();
  rmSync(folder, { recursive: true });
});

async function newEngine(): Promise<Engine> {
  const engine = await memoryEngine();
  opened.push(engine);
  return engine;
}

/** A store with the fixture's program. */
async function filled(): Promise<Engine> {
  const engine = await newEngine();
  await importFolder(engine, { ...ONCE, folder: PAYOUT_METHODS });
  await storeOn(engine);
  return engine;
}

/** The same store in another process, which has these keys. */
function withKeys(engine: Engine, keys: Buffer[]): Engine {
  return { ...engine, seal: newSeal(keys) };
}

/** Exports a store into a folder. */
async function exportedWith(engine: Engine, secrets: Secrets): Promise<string> {
  const target = mkdtempSync(join(folder, secrets.replace(" ", "-")));
  await exportFolder(engine, { folder: target, secrets, onProgress: silent });
  return target;
}

/** How often the secrets of the fixture can be read in a text. */
const leaksIn = (text: string | Buffer) => SECRETS.filter((secret) => text.includes(secret));

async function expectKept(engine: Engine): Promise<void> {
  const app = await startApp("memory", { store: await storeOn(engine), isFilled: true });
  for (const [path, answer] of Object.entries(PAYOUT_METHODS_ANSWERS))
    expect([path, (await app.v2("GET", path)).body]).toMatchObject([path, answer]);
  for await (const fault of findFaults(engine)) expect.fail(fault);
  expect(app.bugs).toEqual([]);
  app.services.post.close();
}

describe("details of payout methods are kept, and none can be read", () => {
  it("in a SQLite file", async () => {
    const engine = await openEngine(`sqlite:${folder}`, { tables: TABLES, seal: TEST_SEAL });
    opened.push(engine);
    await importFolder(engine, { ...ONCE, folder: PAYOUT_METHODS });
    await expectKept(engine);
    for (const name of readdirSync(folder)) expect(leaksIn(readFileSync(join(folder, name)))).toEqual([]);
  });

  it.skipIf(POSTGRES_FOLDER === null)("in a dump of Postgres", async () => {
    const cluster = await startCluster();
    const engine = await openEngine(cluster.url(), { tables: TABLES, seal: TEST_SEAL });
    await importFolder(engine, { ...ONCE, folder: PAYOUT_METHODS });
    await expectKept(engine);
    await engine.close();
    const dump = execFileSync(join(POSTGRES_FOLDER!, "pg_dump"), [cluster.url()], {
      ...unprivileged(),
      cwd: "/",
    });
    await cluster.remove();
    expect(dump.includes("payout_methods")).toBe(true);
    expect(leaksIn(dump)).toEqual([]);
  });
});

it("no column is derived from a sealed field, so that a sealed record has the same ones", async () => {
  const engine = await filled();
  for (const table of TABLES.filter(({ sealed }) => sealed !== undefined)) {
    const text = `select ${table.selected} from ${sqlName(table)}`;
    for (const row of await engine.reads.all({ text, values: [] })) {
      const own = new Set([...marked(table, "isSealed"), "sealed"]);
      const derivedOf = (record: AnyRecord) =>
        valuesOf(table, record).filter((_, at) => !own.has(table.names[at]!));
      expect(derivedOf(recordOf(table, row))).toEqual(derivedOf(openRow(table, row, TEST_SEAL)));
    }
  }
});

describe("an export", () => {
  it("leaves the details out, and can be imported", async () => {
    const source = await filled();
    const file = await exportedWith(source, "left out");
    expect(leaksIn(Object.values(textsOf(file)).join(""))).toEqual([]);
    const target = await newEngine();
    await importFolder(target, { ...ONCE, folder: file });
    const store = await storeOn(target);
    const methods = await store.list(payoutMethods, "id", 1, []);
    expect(methods.map(({ method, details }) => [method, details])).toEqual([
      ["bank", {}],
      ["paypal", {}],
      ["custom", {}],
      ["bank", {}],
    ]);
    for await (const fault of findFaults(target)) expect.fail(fault);
  });

  it("has them if asked, and fills a store with another key", async () => {
    const source = await filled();
    const file = await exportedWith(source, "plain");
    expect(leaksIn(Object.values(textsOf(file)).join(""))).toEqual(SECRETS);
    const target = withKeys(await newEngine(), [NEXT]);
    await importFolder(target, { ...ONCE, folder: file });
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
    await expectKept(target);
  });

  it("for a backup has them encrypted, and needs the key", async () => {
    const source = await filled();
    const file = await exportedWith(source, "sealed");
    expect(leaksIn(Object.values(textsOf(file)).join(""))).toEqual([]);
    const target = await newEngine();
    const stranger = withKeys(target, [NEXT]);
    const before = await contentsOf(target);
    await expect(importFolder(stranger, { ...ONCE, folder: file })).rejects.toThrow(WRONG_KEY);
    expect(await contentsOf(target)).toEqual(before);
    await importFolder(target, { ...ONCE, folder: file });
    await expectKept(target);
  });
});

it.each([
  ["another key", [NEXT], WRONG_KEY],
  ["no key", [], NO_KEY],
])("a store is refused with %s, and loses nothing", async (_, keys, message) => {
  const engine = await filled();
  const before = await contentsOf(engine);
  await expect(storeOn(withKeys(engine, keys))).rejects.toMatchObject({ kind: "refused", message });
  expect(await contentsOf(engine)).toEqual(before);
});

describe("a rotation", () => {
  const rotate = async (engine: Engine) => {
    const store = await storeOn(engine);
    return resealStore(engine, { store, now: new Date(NOW), chance: countedChance() });
  };

  it("changes the key of every secret and nothing else, wherever it is killed", async () => {
    let commits = 0;
    for (let isDone = false; !isDone; commits++) {
      const engine = await filled();
      const before = await contentsOf(engine);
      const plain = textsOf(await exportedWith(engine, "plain"));
      const both = withKeys(engine, [NEXT, OLD]);
      isDone = await rotate(dyingAt(both, commits)).then(
        () => true,
        () => false,
      );
      // Servers that have both keys go on meanwhile.
      await expectKept(both);
      if (!isDone) await rotate(both);
      const after = withKeys(engine, [NEXT]);
      expect(await rotate(after)).toBe(0);
      await expectKept(after);
      expect(await contentsOf(after)).toEqual(before);
      expect(textsOf(await exportedWith(after, "plain"))).toEqual(plain);
      await expect(storeOn(engine)).rejects.toThrow(WRONG_KEY);
    }
    expect(commits).toBeGreaterThan(2);
  });

  it("counts the secrets, and changes nothing without the former key", async () => {
    const engine = await filled();
    await expect(rotate(withKeys(engine, [NEXT]))).rejects.toThrow(WRONG_KEY);
    // Four methods, two facts, and five deliveries about them or about payouts.
    expect(await rotate(withKeys(engine, [NEXT, OLD]))).toBe(11);
  });
});

describe("a check", () => {
  const faultsIn = async (engine: Engine) => {
    const faults: string[] = [];
    for await (const fault of findFaults(engine)) faults.push(fault);
    return faults;
  };

  it("names a secret that no key opens", async () => {
    const engine = await filled();
    expect(await faultsIn(withKeys(engine, [NEXT]))).toContain(
      "payout-method [1] of account 1 can't be decrypted: TIDEMARK_SECRET_FILE lacks its key, or it was sealed for another record or promoter",
    );
  });

  it("names a secret that can be read, and a rebuild does not make it a good one", async () => {
    const engine = await filled();
    const method = await (await storeOn(engine)).get(payoutMethods, 1, 1);
    await tamper(engine, 1, {
      sealed: null,
      details: JSON.stringify(method!.details),
      meta: JSON.stringify(method!.meta),
    });
    const fault =
      "payout-method [1] of account 1 is not encrypted, so its secret is not used: it was written without the key";
    expect(await faultsIn(engine)).toEqual([fault]);
    expect(await rebuildStore(engine, silent)).toEqual([fault]);
  });
});

/** Changes a payout method as someone who has the store but no key. */
async function tamper(engine: Engine, methodId: number, change: Record<string, ColumnValue>): Promise<void> {
  const columns = Object.keys(change).map((name, at) => `${name} = ${engine.dialect.value(at + 1)}`);
  const text = `update payout_methods set ${columns.join(", ")} where id = ${methodId}`;
  await engine.transact(async (session) => session.run({ text, values: Object.values(change) }));
}

async function sealedOf(engine: Engine, methodId: number): Promise<string> {
  const text = `select sealed from payout_methods where id = ${methodId}`;
  return String((await engine.reads.all({ text, values: [] }))[0]?.[0]);
}

describe("a secret that can't be used", () => {
  /** The store in a process that notes its warnings, with its first payout method changed. */
  async function changed(change: (sealed: string) => Record<string, ColumnValue>) {
    const engine = await filled();
    await tamper(engine, 1, change(await sealedOf(engine, 1)));
    const warnings: string[] = [];
    const seal = newSeal([OLD], (sentence) => void warnings.push(sentence));
    return { engine: { ...engine, seal }, warnings };
  }
  const shown = async (engine: Engine) => {
    const app = await startApp("memory", { store: await storeOn(engine), isFilled: true });
    const { status, body } = await app.v2("GET", "/payouts?per_page=100");
    expect([status, app.bugs]).toEqual([200, []]);
    app.services.post.close();
    return JSON.stringify(body);
  };
  it.each([
    ["was damaged", "can't be opened", (sealed: string) => ({ sealed: `${sealed}AAAA` })],
    ["was given to another promoter", "can't be opened", () => ({ promoter_id: 2 })],
    [
      "was written without the key",
      "is not encrypted",
      () => ({ sealed: null, details: JSON.stringify({ iban: "XX-OF-A-THIEF" }) }),
    ],
  ])("is left out alone if it %s, and the log names it once", async (_, fault, change) => {
    const { engine, warnings } = await changed(change);
    expect(await shown(engine)).not.toContain("XX-OF-A-THIEF");
    expect(leaksIn(await shown(engine))).toEqual([SECRETS[2]]);
    const store = await storeOn(engine);
    expect(await store.get(payoutMethods, 1, 1)).toMatchObject({ details: {} });
    expect(warnings).toEqual([
      `the secret of payout-method [1] of account 1 ${fault}, so it is neither shown nor used: run tidemark check`,
    ]);
  });

  it("comes back with its key, although another field was changed meanwhile", async () => {
    const engine = await filled();
    const before = await (await storeOn(engine)).get(payoutMethods, 1, 1);
    // A process without the former key, as after a rotation that was cut short.
    const store = newStore(withKeys(engine, [NEXT]));
    await store.transact(async (tx) => {
      const method = await tx.get(payoutMethods, 1, 1);
      await tx.put(payoutMethods, { ...method!, is_disabled: true });
    });
    const after = await (await storeOn(engine)).get(payoutMethods, 1, 1);
    expect(after).toEqual({ ...before, is_disabled: true });
  });
});
