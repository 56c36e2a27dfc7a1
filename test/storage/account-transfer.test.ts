import { rmSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { findAccount, type Account } from "../../server/domain/program/account/account.ts";
import { leads } from "../../server/domain/people/lead/lead.ts";
import { recordSale } from "../../server/domain/ledger/sale/new-sale.ts";
import { recordRefund } from "../../server/domain/ledger/sale/refund.ts";
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
import { findFaults as findStoreFaults } from "../../server/transfer/check.ts";
import { importFolder } from "../../server/transfer/import.ts";
import type { Item } from "../../server/transfer/item.ts";
import { insertItems } from "../../server/transfer/stored-items.ts";
import { NOW, countedChance } from "../support/app.ts";
import { entriesOf, findFaults } from "../support/consistency.ts";
import { allItemsIn } from "../support/contents.ts";
import { exported, textsOf } from "../support/exports.ts";
import { entriesIn, type Entry } from "../support/entries.ts";
import { memoryEngine, TEST_SEAL } from "../support/memory-engine.ts";
import { dyingAt } from "../support/mortal-engine.ts";
import { rounds } from "../support/rounds.ts";

const silent = () => {};
const ONCE = { onProgress: silent, resumes: false, isForced: false, commitSize: 100 };
/** Interruptions come before every fifth commit. Long runs try each. */
const CUT_STEP = rounds(5, 1);
/** The accounts of `filled`, by their numbers. */
const [ACME, OTHER] = [1, 2];

const folders: string[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
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
  const common = { amount: 100, currency: "GBP", created_at: null };
  const plan = { plan_id: null, billing_period: null, mrr: null, subscription_id: null, instalments: null };
  const sold = { quantity: 1, skip_email_notification: true, ...plan };
  const given = { ...common, ...sold, customer, event_id: "kept" };
  const sale = await context.store.transact((tx) => recordSale(tx, context, account, given));
  const refund = { ...common, customer, event_id: "back", sale_event_id: "kept" };
  const waiting = await context.store.transact((tx) => recordRefund(tx, context, account, refund));
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

/** Exports some accounts, as `tidemark export --account` does. */
async function exportAccounts(engine: Engine, ...accountIds: number[]): Promise<string> {
  const isOwned = newOwnership(accountIds);
  const folder = await exported(engine, { isWanted: (item) => isOwned(item) || isShared(item) });
  folders.push(folder);
  return folder;
}

describe("an export of one account", () => {
  it("has everything of it, and nothing of others", async () => {
    const [source, target] = [await filled(), await newEngine()];
    const folder = await exportAccounts(source, ACME);
    await importFolder(target, { ...ONCE, folder });
    expect(await heldOf(target, ACME)).toEqual(await heldOf(source, ACME));
    expect(await heldOf(target, OTHER)).toEqual([]);
    expect(await (await storeOn(target)).nextId("lead")).toBeGreaterThan(30);
    expect(await findFaults(target)).toEqual([]);
    expect(textsOf(await exportAccounts(source, ACME))).toEqual(textsOf(folder));
  });

  it("is taken while the account is frozen, and the copy is not frozen", async () => {
    const [source, target] = [await filled(), await newEngine()];
    await freeze(newStore(source), ACME, "frozen");
    await importFolder(target, { ...ONCE, folder: await exportAccounts(source, ACME) });
    expect(await heldOf(target, ACME)).toEqual(await heldOf(source, ACME));
    expect(await stateOf(newStore(target), ACME)).toBe(null);
  });

  it("takes the operator's exchange rates along", async () => {
    const [source, target] = [await filled(), await newEngine()];
    await importFolder(target, { ...ONCE, folder: await exportAccounts(source, ACME) });
    const rates = async (engine: Engine) =>
      (await entriesIn(engine, TABLES)).filter(({ table }) => table === dayRates.name);
    expect(await rates(source)).toHaveLength(1);
    expect(await rates(target)).toEqual(await rates(source));
  });

  it("can have several accounts", async () => {
    const [source, target] = [await filled(), await newEngine()];
    await importFolder(target, { ...ONCE, folder: await exportAccounts(source, OTHER, ACME) });
    for (const account of [ACME, OTHER])
      expect(await heldOf(target, account)).toEqual(await heldOf(source, account));
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
      await expect(unfreeze(store, ACME)).rejects.toMatchObject({ kind: "refused" });
      if (isDone) return expect(cutAt).toBeGreaterThan(3);
    }
  });
});
