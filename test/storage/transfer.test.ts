import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { createStorage } from "unstorage";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import { SYSTEM } from "../../server/domain/context.ts";
import { accounts } from "../../server/domain/program/account/account.ts";
import { brandOf } from "../../server/domain/program/account/brand.ts";
import { seed } from "../../server/domain/seed/seed.ts";
import { LAYOUT, readMark, replaceMark } from "../../server/storage/layout.ts";
import { storeOn } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import { newStore } from "../../server/storage/store.ts";
import { TABLES } from "../../server/tables.ts";
import { exportFolder, MANIFEST, type Manifest } from "../../server/transfer/export.ts";
import type { Interrupted } from "../../server/transfer/fill.ts";
import { importFolder } from "../../server/transfer/import.ts";
import { totalsOf, type Item } from "../../server/transfer/item.ts";
import type { Step } from "../../server/transfer/progress.ts";
import { atOneMoment, insertItems, itemsIn } from "../../server/transfer/stored-items.ts";
import { exportUploads, importUploads } from "../../server/transfer/uploads.ts";
import { NOW, countedChance } from "../support/app.ts";
import { allItemsIn, contentsOf } from "../support/contents.ts";
import { exported, textsOf } from "../support/exports.ts";
import { memoryEngine, TEST_SEAL } from "../support/memory-engine.ts";
import { dyingAt } from "../support/mortal-engine.ts";
import { rounds } from "../support/rounds.ts";
import { MAIN_KINDS, useEmptyStore } from "../support/stores.ts";

const silent = () => {};
const ONCE = { onProgress: silent, resumes: false, isForced: false, commitSize: 150 };

let opened: Engine[];
let folders: string[];
beforeEach(() => {
  opened = [];
  folders = [];
});
afterEach(async () => {
  for (const engine of opened) await engine.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function newEngine(): Promise<Engine> {
  const engine = await memoryEngine();
  opened.push(engine);
  return engine;
}

/** An interruption is tried after every so many commits. */
const CUT_STEP = rounds(4, 1);

const LEADS = 60;
/** The items of a store with a program in it, by its number of leads. */
const programs = new Map<number, Item[]>();

/** A store with a program in it. */
async function filled(engine?: Engine, leadCount = LEADS): Promise<Engine> {
  const items = programs.get(leadCount) ?? (await program(leadCount));
  programs.set(leadCount, items);
  const made = engine ?? (await newEngine());
  await storeOn(made);
  await made.transact((session) => insertItems(session, items, { ...made, seal: TEST_SEAL }));
  return made;
}

async function program(leadCount: number): Promise<Item[]> {
  const engine = await newEngine();
  const context = { store: await storeOn(engine), now: new Date(NOW), chance: countedChance() };
  const { account } = await createAccount(context, {
    name: "Zoë \"'\\ 漢\u2028",
    landing_url: "https://a.example/",
  });
  await seed(context, account, { promoters: 20, leads: leadCount, sales: 60 });
  return allItemsIn(engine);
}

/** Exports a store to a folder that is removed after the test. */
async function folderOf(engine: Engine, options: Parameters<typeof exported>[1] = {}): Promise<string> {
  const folder = await exported(engine, options);
  folders.push(folder);
  return folder;
}

describe.each(MAIN_KINDS)("a store in %s", (kind) => {
  let engine: Engine;
  useEmptyStore(kind, TABLES, (empty) => void (engine = empty));

  it("is restored from its export exactly", async () => {
    const source = await filled();
    const folder = await folderOf(source);
    const totals = await importFolder(engine, { ...ONCE, folder });
    expect(totals.records).toEqual({
      account: 1,
      "api-key": 1,
      campaign: 3,
      cancellation: expect.any(Number) as number,
      commission: expect.any(Number) as number,
      delivery: expect.any(Number) as number,
      lead: LEADS,
      listening: 1,
      origin: expect.any(Number) as number,
      "past-clicks": expect.any(Number) as number,
      "payments-batch": expect.any(Number) as number,
      payout: expect.any(Number) as number,
      "payout-method": expect.any(Number) as number,
      product: 3,
      "product-price": 3,
      "promo-code": 12,
      promoter: 20,
      "promoter-campaign": 20,
      "payout-run": 12,
      "ref-token": 20,
      refund: expect.any(Number) as number,
      reward: 5,
      sale: expect.any(Number) as number,
      "sub-id": expect.any(Number) as number,
      visitor: expect.any(Number) as number,
      webhook: 1,
    });
    expect(await contentsOf(engine)).toEqual(await contentsOf(source));
    expect(textsOf(await folderOf(engine))).toEqual(textsOf(folder));
    expect(await newStore(engine).nextId("lead")).toBeGreaterThan(LEADS);
  });

  it("is exported as it is at a single moment", async () => {
    const source = await filled(engine);
    const before = await totalsOf(itemsIn(source.reads));
    const seen: Item[] = [];
    for await (const items of atOneMoment(source, itemsIn)) {
      if (seen.length === 0) await source.transact(async (session) => session.run(CHANGE));
      seen.push(...items);
    }
    const one = async function* () {
      yield seen;
    };
    expect(await totalsOf(one())).toEqual(before);
    expect((await totalsOf(itemsIn(source.reads))).entries).toBe(before.entries - 1);
  });
});

/** Someone else's. */
const CHANGE = { text: "delete from leads where id = (select max(id) from leads)", values: [] };

/** An export, for the tests that spoil a copy of it. */
let whole: Promise<Record<string, string>> | undefined;

const changed = (name: string) => `${name} was changed, or is not complete: its checksum does not match`;
/** Changes the lines of a file. */
const lines = (name: string, change: (lines: string[]) => string[]) => (texts: Record<string, string>) => ({
  ...texts,
  [name]: change(texts[name]!.split("\n").slice(0, -1))
    .map((line) => `${line}\n`)
    .join(""),
});
const without = (name: string) => (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).filter(([each]) => each !== name));
const manifest = (change: (manifest: Manifest) => object) => (texts: Record<string, string>) => ({
  ...texts,
  [MANIFEST]: JSON.stringify(change(JSON.parse(texts[MANIFEST]!) as Manifest)),
});

it.each<[string, (texts: Record<string, string>) => Record<string, string>, string | RegExp]>([
  ["has no manifest", without(MANIFEST), /can't be imported: it has no tidemark.json, so it is no export/],
  [
    "has CSV files",
    () => ({ "leads.csv": "account_id,id\r\n" }),
    /can't be imported: it has CSV files, which are for people: export again without --csv$/,
  ],
  ["lacks a file", without("leads.jsonl"), /leads.jsonl is missing$/],
  ["lacks a line", lines("leads.jsonl", (all) => all.toSpliced(7, 1)), changed("leads.jsonl")],
  ["is cut off", lines("leads.jsonl", (all) => all.slice(0, 30)), changed("leads.jsonl")],
  [
    "is cut off within a line",
    (texts) => ({ ...texts, "leads.jsonl": texts["leads.jsonl"]!.slice(0, -9) }),
    /^leads.jsonl, line \d+ is not a record$/,
  ],
  [
    "has swapped lines",
    lines("leads.jsonl", (all) => all.with(7, all[8]!).with(8, all[7]!)),
    changed("leads.jsonl"),
  ],
  [
    "has a changed line",
    lines("accounts.jsonl", (all) => all.map((line) => line.replaceAll("Zoë", "Zoe"))),
    changed("accounts.jsonl"),
  ],
  [
    "has a line that is not JSON",
    lines("leads.jsonl", (all) => all.with(7, '{"key":"a"')),
    "leads.jsonl, line 8 is not a record",
  ],
  [
    "has a line that is not a record",
    lines("leads.jsonl", (all) => all.with(7, '["a"]')),
    "leads.jsonl, line 8 is not a record",
  ],
  [
    "has values that a record can't have",
    lines("promoters.jsonl", (all) => all.with(7, '{"account_id":"1","id":1.5,"email":5}')),
    /^promoters.jsonl, line 8 has values that it can't have: account_id, id, email, /,
  ],
  [
    "has a day for an instant",
    lines("leads.jsonl", (all) =>
      all.with(7, all[7]!.replace(/"created_at":"(\d{4}-\d\d-\d\d)T[^"]*"/, '"created_at":"$1"')),
    ),
    "leads.jsonl, line 8 has values that it can't have: created_at",
  ],
  [
    "has a table that this release does not know",
    manifest((all) => ({ ...all, files: { ...all.files, "wishes.jsonl": { records: 0, sha256: "" } } })),
    "This release does not know wishes.jsonl",
  ],
  [
    "names a file outside",
    manifest((all) => ({ ...all, files: { "../leads.jsonl": all.files["leads.jsonl"] } })),
    "This release does not know ../leads.jsonl",
  ],
  [
    "has a next id that is no number",
    manifest((all) => ({ ...all, next_ids: { lead: "9" } })),
    changed(MANIFEST),
  ],
  [
    "has a next id beyond all ids",
    manifest((all) => ({ ...all, next_ids: { lead: 1e300 } })),
    changed(MANIFEST),
  ],
  ["is another program's", manifest(() => ({})), "tidemark.json does not describe an export of Tidemark"],
  [
    "has another layout",
    manifest((all) => ({ ...all, layout: 99 })),
    `The export has layout 99, and this release reads only layout ${LAYOUT}: import it with the release that made it`,
  ],
])("writes nothing from a folder that %s", async (_, change, message) => {
  const texts = change(await (whole ??= filled().then(folderOf).then(textsOf)));
  const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  const target = await newEngine();
  await expect(importFolder(target, { ...ONCE, folder })).rejects.toThrow(message);
  expect(await contentsOf(target)).toEqual([]);
});

it.each([
  ["a folder that does not exist", "nothing", /^There is no folder .*nothing$/],
  ["a file", "package.json", /^package.json is a file, and an export is a folder$/],
])("writes nothing from %s", async (_, folder, message) => {
  await expect(importFolder(await newEngine(), { ...ONCE, folder })).rejects.toThrow(message);
});

it("writes CSV files for people, with the same records and a header", async () => {
  const source = await filled();
  const [json, csv] = [textsOf(await folderOf(source)), textsOf(await folderOf(source, { isCsv: true }))];
  const tables = Object.keys(json).filter((name) => name !== MANIFEST);
  expect(Object.keys(csv)).toEqual(tables.map((name) => name.replace("jsonl", "csv")));
  const linesIn = (text: string) => text.trimEnd().split(/\r?\n/);
  const [header, first] = linesIn(csv["promo_codes.csv"]!);
  const record = JSON.parse(linesIn(json["promo_codes.jsonl"]!)[0]!) as Record<string, unknown>;
  expect(header!.split(",").slice(0, 3)).toEqual(["account_id", "id", "code"]);
  expect(first!.split(",").slice(0, 3)).toEqual(
    [record["account_id"], record["id"], record["code"]].map(String),
  );
  for (const name of tables) {
    const rows = parse(csv[name.replace("jsonl", "csv")]!) as string[][];
    expect([name, rows.length - 1]).toEqual([name, linesIn(json[name]!).length]);
  }
});

/** A place for uploads with one file that the records name. */
const withLogo = async () => {
  const source = await filled();
  const uploads = createStorage();
  await uploads.setItemRaw("logo.png", Buffer.from("pixels"));
  await newStore(source).transact(async (tx) => {
    const [account] = await tx.view.list(accounts, "id", SYSTEM, []);
    const logo = { name: "logo.png", format: "png", bytes: 6, image: null };
    await tx.put(accounts, { ...account!, brand: { ...brandOf(account!), logo } });
  });
  const addUploads = async (to: string) => void (await exportUploads(uploads, to));
  return { source, addUploads };
};

it("has its name only when its uploaded files are there, too", async () => {
  const { source, addUploads } = await withLogo();
  const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  folders.push(folder);
  const options = { folder, onProgress: silent };
  const failing = exportFolder(source, { ...options, addUploads: () => Promise.reject(new Error("full")) });
  await expect(failing).rejects.toThrow("full");
  expect(readdirSync(folder)).toEqual([]);
  await exportFolder(source, { ...options, addUploads });
  expect(readdirSync(join(folder, "files"))).toEqual(["logo.png"]);
});

it("replaces what a killed export has left, and nothing else", async () => {
  const { source, addUploads } = await withLogo();
  const complete = await folderOf(source, { addUploads });
  const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  folders.push(folder);
  // It was killed while files got their place.
  cpSync(complete, join(folder, "unfinished"), { recursive: true });
  cpSync(join(complete, "files"), join(folder, "files"), { recursive: true });
  copyFileSync(join(complete, "accounts.jsonl"), join(folder, "accounts.jsonl"));
  writeFileSync(join(folder, "mine.txt"), "mine");
  const again = () => exportFolder(source, { folder, secrets: "plain", onProgress: silent, addUploads });
  await expect(again()).rejects.toThrow(/is not empty$/);
  rmSync(join(folder, "mine.txt"));
  await again();
  expect(readdirSync(folder).sort()).toEqual(readdirSync(complete).sort());
  await expect(again()).rejects.toThrow(/is not empty$/);
});

it("is no whole store before its uploaded files are copied", async () => {
  const { source, addUploads } = await withLogo();
  const folder = await folderOf(source, { addUploads });
  const target = await newEngine();
  const cut = { ...ONCE, folder, copyUploads: () => Promise.reject(new Error("cut")) };
  await expect(importFolder(target, cut)).rejects.toThrow("cut");
  await expect(storeOn(target)).rejects.toMatchObject({ kind: "refused" });
  const uploads = createStorage();
  const copyUploads = async () => void (await importUploads(folder, uploads));
  await importFolder(target, { ...ONCE, folder, copyUploads, resumes: true });
  expect(await uploads.getKeys()).toEqual(["logo.png"]);
});

it("copies no file that a link among the uploads leads to", async () => {
  const { source, addUploads } = await withLogo();
  const folder = await folderOf(source, { addUploads });
  rmSync(join(folder, "files", "logo.png"));
  symlinkSync(join(folder, MANIFEST), join(folder, "files", "logo.png"));
  const uploads = createStorage();
  expect(await importUploads(folder, uploads)).toEqual({ count: 0, missing: ["logo.png"] });
  expect(await uploads.getKeys()).toEqual([]);
});

it("refuses to fill a store that has something in it", async () => {
  const source = await filled();
  const folder = await folderOf(source);
  const before = await contentsOf(source);
  await expect(importFolder(source, { ...ONCE, folder })).rejects.toThrow("The target store is not empty");
  expect(await contentsOf(source)).toEqual(before);
});

it("reports its progress after each chunk", async () => {
  const told: Step[] = [];
  const onProgress = (step: Step) => void told.push(step);
  const last = () => [...new Map(told.map((step) => [step.what, step])).values()];
  const source = await filled();
  const { entries } = await totalsOf(itemsIn(source.reads));
  const folder = await folderOf(source, { onProgress });
  expect(last()).toEqual([{ what: "exported", entries, total: null }]);
  told.length = 0;
  await importFolder(await newEngine(), { ...ONCE, folder, onProgress });
  const { next_ids } = JSON.parse(textsOf(folder)[MANIFEST]!) as Manifest;
  const records = entries - Object.keys(next_ids).length;
  expect(last()).toEqual([
    { what: "checked", entries: records, total: records },
    { what: "imported", entries, total: entries },
  ]);
});

it("refuses an export with two records of which there may be one, and names them", async () => {
  const folder = await folderOf(await filled());
  const leads = readFileSync(join(folder, "leads.jsonl"), "utf8");
  const doubled = leads + leads.split("\n")[0]!.replace(/"id":\d+/, '"id":9999') + "\n";
  writeFileSync(join(folder, "leads.jsonl"), doubled);
  const known = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8")) as Manifest;
  const sha256 = createHash("sha256").update(doubled).digest("hex");
  known.files["leads.jsonl"] = { records: LEADS + 1, sha256 };
  writeFileSync(join(folder, MANIFEST), JSON.stringify(known));
  const target = await newEngine();
  await expect(importFolder(target, { ...ONCE, folder })).rejects.toMatchObject({
    kind: "malformed",
    message: expect.stringMatching(/^The source contradicts itself: .*(lead|email)/) as string,
  });
  await expect(storeOn(target)).rejects.toMatchObject({ kind: "refused" });
});

describe("an import that was interrupted", () => {
  const fill = async (from: Engine, to: Engine, how: Interrupted) =>
    importFolder(to, { ...ONCE, ...how, folder: await folderOf(from) });
  const RESUMED = { resumes: true, isForced: false };
  const FORCED = { resumes: false, isForced: true };
  const AGAIN = { resumes: false, isForced: false };
  const refused = {
    kind: "refused",
    message:
      "An import into the store is unfinished: run `tidemark import` again with --resume to continue it, or with --force to start over",
  };

  it.each([
    ["continues", RESUMED],
    ["starts over", FORCED],
  ])("%s from any point, and its store is refused until then", async (_what, how) => {
    const source = await filled();
    const expected = await contentsOf(source);
    for (let cutAt = 0; ; cutAt += CUT_STEP) {
      const target = await newEngine();
      const dying = dyingAt(target, cutAt);
      const isDone = await fill(source, dying, AGAIN).then(
        () => true,
        () => false,
      );
      if (isDone) return expect(cutAt).toBeGreaterThan(5);
      if (cutAt > 0) {
        await expect(storeOn(target)).rejects.toMatchObject(refused);
        await expect(fill(source, target, AGAIN)).rejects.toMatchObject(refused);
      }
      // Interrupted once more on the way.
      await fill(source, dyingAt(target, 1), how).catch(() => {});
      await fill(source, target, how);
      expect(await contentsOf(target)).toEqual(expected);
      await storeOn(target);
    }
  });

  it("continues only with its own source", async () => {
    const target = await newEngine();
    await fill(await filled(), dyingAt(target, 2), AGAIN).catch(() => {});
    const other = await filled(undefined, LEADS + 1);
    await expect(fill(other, target, RESUMED)).rejects.toMatchObject({
      kind: "refused",
      message: "The store was being filled from another source: --force starts over",
    });
    await fill(other, target, FORCED);
    expect(await contentsOf(target)).toEqual(await contentsOf(other));
  });

  it("continues only in the release that began it, which knows its sums", async () => {
    const [source, target] = [await filled(), await newEngine()];
    await fill(source, dyingAt(target, 4), AGAIN).catch(() => {});
    const seen = await readMark(target.reads);
    const former = { ...seen.mark!, version: LAYOUT - 1 };
    await target.transact(async (session) => void (await replaceMark(session, seen, former)));
    await expect(fill(source, target, RESUMED)).rejects.toMatchObject({
      kind: "refused",
      message: "The store was being filled by another release: --force starts over",
    });
    await fill(source, target, FORCED);
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
  });

  it("does not touch a store that is whole, whatever its options", async () => {
    const [source, target] = [await filled(), await filled(undefined, LEADS + 1)];
    const before = await contentsOf(target);
    for (const how of [AGAIN, RESUMED, FORCED]) {
      await expect(fill(source, target, how)).rejects.toMatchObject({ kind: "in_use" });
    }
    expect(await contentsOf(target)).toEqual(before);
  });

  it("is done only by the process that began last", async () => {
    const [source, target] = [await filled(), await newEngine()];
    let commits = 0;
    const slow: Engine = {
      ...target,
      async transact(work) {
        if (commits++ === 2) await fill(source, target, RESUMED);
        return target.transact(work);
      },
    };
    await expect(fill(source, slow, AGAIN)).rejects.toThrow("Another process has begun to work on the store");
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
  });
});
