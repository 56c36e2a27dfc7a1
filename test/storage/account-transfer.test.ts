import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccount, type Account } from "../../server/domain/program/account/account.ts";
import { leads } from "../../server/domain/people/lead/lead.ts";
import { recordSale } from "../../server/domain/ledger/sale/new-sale.ts";
import { recordRefund } from "../../server/domain/ledger/sale/refund.ts";
import { asItIs } from "../../server/domain/show.ts";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import type { Context } from "../../server/domain/context.ts";
import { dayRates, storeRates } from "../../server/domain/ledger/rate.ts";
import { seed } from "../../server/domain/seed/seed.ts";
import { freezes } from "../../server/storage/freeze.ts";
import { storeOn } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import { newStore, type Store } from "../../server/storage/store.ts";
import { TABLES } from "../../server/tables.ts";
import { freeze, unfreeze, isShared, newOwnership, removeAccount } from "../../server/transfer/account.ts";
import { moveAccounts } from "../../server/transfer/move.ts";
import { findFaults as findStoreFaults } from "../../server/transfer/check.ts";
import { exportLines, writeNewFile } from "../../server/transfer/export.ts";
import { importFile } from "../../server/transfer/import.ts";
import type { Item } from "../../server/transfer/item.ts";
import { insertItems } from "../../server/transfer/stored-items.ts";
import { NOW, countedChance } from "../support/app.ts";
import { entriesOf, findFaults } from "../support/consistency.ts";
import { allItemsIn, contentsOf } from "../support/contents.ts";
import { entriesIn, type Entry } from "../support/entries.ts";
import { memoryEngine, TEST_SEAL } from "../support/memory-engine.ts";
import { dyingAt } from "../support/mortal-engine.ts";
import { rounds } from "../support/rounds.ts";

const silent = () => {};
const ONCE = { onProgress: silent, resumes: false, isForced: false, commitSize: 100 };
const RESUMED = { ...ONCE, resumes: true };
const FORCED = { ...ONCE, isForced: true };
/** Interruptions come before every fifth commit. Long runs try each. */
const CUT_STEP = rounds(5, 1);
/** The accounts of `filled`, by their numbers. */
const [ACME, OTHER] = [1, 2];

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "tidemark-"))));
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
  rmSync(folder, { recursive: true });
});

const opened: Engine[] = [];
async function newEngine(): Promise<Engine> {
  const engine = await memoryEngine();
  opened.push(engine);
  return engine;
}

/** The items of a store with two accounts, waiting events, and exchange rates. */
let original: Item[];
beforeAll(async () => {
  const engine = await newEngine();
  const context: Context = { store: await storeOn(engine), now: new Date(NOW), chance: countedChance() };
  for (const publicId of ["acme", "other"]) {
    const landingUrl = `https://www.${publicId}.example/`;
    const { account } = await createAccount(context, {
      name: publicId,
      public_id: publicId,
      landing_url: landingUrl,
    });
    await seed(context, account, { promoters: 10, leads: 15, sales: 15 });
    await keepSale(context, account);
  }
  await storeRates(context, 0, [{ day: "2026-03-04", base: "EUR", rates: { USD: "1.1" } }]);
  original = await allItemsIn(engine);
});

/** Leaves a sale, and its refund, that wait for an exchange rate. */
async function keepSale(context: Context, account: Account): Promise<void> {
  const known = await context.store.page(leads, "id", account.id, [], { limit: 99 });
  const nobody = { uid: null, email: null, tid: null, ref_token: null, promoCode: null };
  const customer = { ...nobody, lead_id: known.find(({ state }) => state === "active")!.id };
  const common = { amount: 100, currency: "GBP", created_at: null, show: asItIs, showWaiting: asItIs };
  const plan = { plan_id: null, billing_period: null, mrr: null, subscription_id: null, instalments: null };
  const sold = { quantity: 1, skip_email_notification: true, ...plan };
  const sale = await recordSale(context, account, { ...common, ...sold, customer, event_id: "kept" });
  const refund = { customer, event_id: "back", sale_event_id: "kept" };
  const waiting = await recordRefund(context, account, { ...common, ...refund });
  expect([sale, waiting]).toMatchObject([{ waiting: { kind: "sale" } }, { waiting: { kind: "refund" } }]);
}

async function filled(): Promise<Engine> {
  const engine = await newEngine();
  await storeOn(engine);
  await engine.transact((session) => insertItems(session, original, { ...engine, seal: TEST_SEAL }));
  return engine;
}

/** What a store holds of an account, but not whether it is frozen. */
async function heldOf(engine: Engine, accountId: number): Promise<Entry[]> {
  return entriesOf(await entriesIn(engine, TABLES), accountId).filter(({ table }) => table !== freezes.name);
}

const stateOf = async (store: Store, accountId: number) =>
  (await store.get(freezes, accountId, 1))?.state ?? null;

async function exportAll(engine: Engine, isWanted?: (item: Item) => boolean): Promise<string> {
  const file = join(folder, `${Math.random()}.ndjson`);
  const choice = isWanted === undefined ? {} : { isWanted };
  const options = { now: new Date(NOW), onProgress: silent, onEnd: silent, secrets: "plain" } as const;
  const lines = exportLines(engine, { ...options, ...choice });
  await writeNewFile(lines, file);
  return file;
}

describe("a move of one account", () => {
  it("copies everything of it, and nothing of others", async () => {
    const [source, target] = [await filled(), await newEngine()];
    const [acme, other] = [await heldOf(source, ACME), await heldOf(source, OTHER)];
    await moveAccounts([source, target], { ...ONCE, accounts: ["acme"] });
    expect(await heldOf(target, ACME)).toEqual(acme);
    expect(await heldOf(target, OTHER)).toEqual([]);
    expect(await heldOf(source, OTHER)).toEqual(other);
    const store = await storeOn(target);
    expect(await stateOf(newStore(source), ACME)).toBe("moved");
    expect(await stateOf(store, ACME)).toBe(null);
    expect(await store.nextId("lead")).toBeGreaterThan(30);
    for (const engine of [source, target]) expect(await findFaults(engine)).toEqual([]);
    await expect(moveAccounts([source, target], { ...ONCE, accounts: ["acme"] })).rejects.toMatchObject({
      kind: "in_use",
      message: "The target store is not empty",
    });
  });

  it("takes the operator's exchange rates along", async () => {
    const [source, target] = [await filled(), await newEngine()];
    await moveAccounts([source, target], { ...ONCE, accounts: ["acme"] });
    const rates = async (engine: Engine) =>
      (await entriesIn(engine, TABLES)).filter(({ table }) => table === dayRates.name);
    expect(await rates(source)).toHaveLength(1);
    expect(await rates(target)).toEqual(await rates(source));
  });

  it("can take several accounts", async () => {
    const [source, target] = [await filled(), await newEngine()];
    await moveAccounts([source, target], { ...ONCE, accounts: ["other", "acme"] });
    for (const account of [ACME, OTHER]) {
      expect(await heldOf(target, account)).toEqual(await heldOf(source, account));
    }
  });

  it.each([
    [
      "the target is not empty",
      async () => [await filled(), await filled()],
      "acme",
      "The target store is not empty",
    ],
    [
      "there is no such account",
      async () => [await filled(), await newEngine()],
      "nobody",
      "Account nobody was not found",
    ],
  ])("freezes nothing if %s", async (_, stores, publicId, message) => {
    const [source, target] = (await stores()) as [Engine, Engine];
    const before = await contentsOf(source);
    const move = moveAccounts([source, target], { ...ONCE, accounts: [publicId] });
    await expect(move).rejects.toThrow(message);
    expect(await contentsOf(source)).toEqual(before);
  });

  it.each([
    ["continues", RESUMED],
    ["starts over", FORCED],
  ])("%s after an interruption at any point, while the other account goes on", async (_, how) => {
    const accounts = ["acme"];
    for (let cutAt = 0; ; cutAt += CUT_STEP) {
      const [source, target] = [await filled(), await newEngine()];
      const acme = await heldOf(source, ACME);
      const isDone = await moveAccounts([source, dyingAt(target, cutAt)], { ...ONCE, accounts }).then(
        () => true,
        () => false,
      );
      if (isDone) return expect(cutAt).toBeGreaterThan(5);
      const context = { store: newStore(source), now: new Date(NOW), chance: countedChance() };
      const other = (await findAccount(context.store, "other"))!;
      await storeRates(context, other.id, [{ day: "2026-03-05", base: "EUR", rates: { USD: "1.2" } }]);
      await storeRates(context, 0, [{ day: "2026-03-03", base: "EUR", rates: { USD: "1.2" } }]);
      await moveAccounts([source, dyingAt(target, 1)], { ...how, accounts }).catch(() => {});
      await moveAccounts([source, target], { ...how, accounts });
      expect(await heldOf(target, ACME)).toEqual(acme);
      expect(await findFaults(target)).toEqual([]);
      await storeOn(target);
    }
  });
});

describe("an export", () => {
  it("of one account is imported like any other", async () => {
    const [source, target] = [await filled(), await newEngine()];
    const isOwned = newOwnership([OTHER]);
    const file = await exportAll(source, (item) => isOwned(item) || isShared(item));
    await importFile(target, { ...ONCE, file });
    expect(await heldOf(target, OTHER)).toEqual(await heldOf(source, OTHER));
    expect(await heldOf(target, ACME)).toEqual([]);
    expect(await findFaults(target)).toEqual([]);
  });

  it("of everything fills a store with one account", async () => {
    const [source, target] = [await filled(), await newEngine()];
    const file = await exportAll(source);
    await importFile(target, { ...ONCE, file, accounts: ["other"] });
    expect(await heldOf(target, OTHER)).toEqual(await heldOf(source, OTHER));
    expect(await heldOf(target, ACME)).toEqual([]);
    expect(await newStore(target).nextId("lead")).toBeGreaterThan(30);
    expect(await findFaults(target)).toEqual([]);
    const unknown = importFile(await newEngine(), { ...ONCE, file, accounts: ["nobody"] });
    await expect(unknown).rejects.toThrow("Account nobody was not found");
  });
});

describe("the removal of an account", () => {
  it("removes everything of it, and nothing of others, after an interruption at any point", async () => {
    for (let cutAt = 0; ; cutAt += CUT_STEP) {
      const source = await filled();
      const store = newStore(source);
      const other = await heldOf(source, OTHER);
      const acme = (await findAccount(store, "acme"))!;
      const dying = dyingAt(source, cutAt);
      const isDone = await removeAccount([dying, newStore(dying)], acme, silent).then(
        () => true,
        () => false,
      );
      for await (const fault of findStoreFaults(source)) expect.fail(fault);
      if (!isDone) await removeAccount([source, store], (await findAccount(store, "acme"))!, silent);
      expect(await heldOf(source, ACME)).toEqual([]);
      expect(await heldOf(source, OTHER)).toEqual(other);
      expect(await findAccount(store, "acme")).toBe(null);
      await expect(unfreeze(store, ACME, { isSure: true })).rejects.toMatchObject({ kind: "refused" });
      if (isDone) return expect(cutAt).toBeGreaterThan(3);
    }
  });
});

it("an account that was moved takes changes again only if someone insists", async () => {
  const store = newStore(await filled());
  await freeze(store, ACME, "moved");
  await expect(unfreeze(store, ACME, { isSure: false })).rejects.toMatchObject({
    kind: "refused",
    message:
      "Another store has a copy of the account. If a server uses that one, the two drift apart: say --yes if none does",
  });
  await unfreeze(store, ACME, { isSure: true });
  expect(await stateOf(store, ACME)).toBe(null);
});
