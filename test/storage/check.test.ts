import { readFileSync, readdirSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import { recordRefund } from "../../server/domain/ledger/sale/refund.ts";
import { sales } from "../../server/domain/ledger/sale/sale.ts";
import { seed } from "../../server/domain/seed/seed.ts";
import { storeOn } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import { sqlName } from "../../server/storage/sql.ts";
import { TABLES } from "../../server/tables.ts";
import { findFaults, rebuildStore } from "../../server/transfer/check.ts";
import type { Item } from "../../server/transfer/item.ts";
import { insertItems } from "../../server/transfer/stored-items.ts";
import { NOW, countedChance } from "../support/app.ts";
import { allItemsIn, contentsOf } from "../support/contents.ts";
import { memoryEngine, TEST_SEAL } from "../support/memory-engine.ts";
import { dyingAt } from "../support/mortal-engine.ts";
import { MAIN_KINDS, useEmptyStore } from "../support/stores.ts";

const silent = () => {};

const opened: Engine[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

/** The items of a store with a program in it. */
let program: Item[];
beforeAll(async () => {
  const engine = await memoryEngine();
  const context = { store: await storeOn(engine), now: new Date(NOW), chance: countedChance() };
  const { account } = await createAccount(context, { name: "Acme", landing_url: "https://a.example/" });
  await seed(context, account, { promoters: 5, leads: 120, sales: 20 });
  const [sale] = await context.store.page(sales, "id", account.id, [], { limit: 1 });
  const { lead_id, event_id: saleEventId, original_amount: amount } = sale!;
  const customer = { lead_id, uid: null, email: null };
  const refund = {
    customer,
    event_id: "re_1",
    sale_event_id: saleEventId,
    amount,
    currency: null,
    created_at: null,
  };
  await context.store.transact((tx) => recordRefund(tx, context, account, refund));
  program = await allItemsIn(engine);
  await engine.close();
});

async function filled(): Promise<Engine> {
  const engine = await memoryEngine();
  opened.push(engine);
  await storeOn(engine);
  await engine.transact((session) => insertItems(session, program, { ...engine, seal: TEST_SEAL }));
  return engine;
}

async function faultsOf(engine: Engine): Promise<string[]> {
  const faults: string[] = [];
  for await (const fault of findFaults(engine)) faults.push(fault);
  return faults;
}

/** Changes a store behind the server's back. */
async function tamper(engine: Engine, text: string): Promise<void> {
  expect(await engine.transact(async (session) => session.run({ text, values: [] }))).toBeGreaterThan(0);
}

describe.each(MAIN_KINDS)("a store in %s", (kind) => {
  let engine: Engine;
  useEmptyStore(kind, TABLES, (empty) => void (engine = empty));

  it("has no faults, and a rebuild makes all columns and sums right again", async () => {
    await engine.transact((session) => insertItems(session, program, { ...engine, seal: TEST_SEAL }));
    expect(await faultsOf(engine)).toEqual([]);
    const before = await contentsOf(engine);
    await tamper(engine, "update leads set words = null, email_key = null");
    await tamper(engine, "update promoters set words = id");
    expect((await faultsOf(engine)).length).toBeGreaterThan(100);
    expect(await rebuildStore(engine, silent)).toEqual([]);
    expect(await faultsOf(engine)).toEqual([]);
    expect(await contentsOf(engine)).toEqual(before);
  });

  it("has an instant that no record can have, and the check says so in a sentence", async () => {
    await engine.transact((session) => insertItems(session, program, { ...engine, seal: TEST_SEAL }));
    await tamper(engine, "update leads set created_at = 'infinity', archived_at = '-infinity' where id = 5");
    expect(await faultsOf(engine)).toContain(
      "lead [5] of account 1 has values that it can't have: archived_at, created_at. Restore a backup",
    );
  });
});

describe("a store that was tampered with", () => {
  it.each<[string, string, string[]]>([
    [
      "has wrong columns",
      "update leads set email_key = null, words = 'bob' where id = 5",
      ["lead [5] of account 1 has columns that do not fit the record: email_key, words"],
    ],
    [
      "has wrong sums",
      "insert into daily (account_id, series, subject_id, subject_key, day, promoter_campaign_id, clicks)" +
        " values (1, 'campaign', 1, '', '2001-01-01', 0, 2)",
      [
        'daily ["campaign",1,"","2001-01-01",0] of account 1 has other sums than the records: clicks 2 instead of 0',
      ],
    ],
    [
      "lacks sums",
      "delete from daily where series = 'campaign'",
      [
        expect.stringMatching(
          /^daily \["campaign",1,"","\d{4}-\d\d-\d\d",0\] of account 1 .* records: clicks 0 instead of \d+/,
        ) as string,
      ],
    ],
    [
      "lacks clicks by promoters' sources and pages",
      "delete from daily where series = 'promoter-origin'",
      [
        expect.stringMatching(
          /^daily \["promoter-origin",\d+,"[0-9a-f]{32} [0-9a-f]{32}","\d{4}-\d\d-\d\d",\d+\] of account 1 .* records: clicks 0 instead of \d+$/,
        ) as string,
      ],
    ],
  ])("%s, and the check says so in a sentence", async (_, text, sentences) => {
    const engine = await filled();
    const before = await contentsOf(engine);
    await tamper(engine, text);
    expect(await faultsOf(engine)).toEqual(expect.arrayContaining(sentences));
    await rebuildStore(engine, silent);
    expect(await contentsOf(engine)).toEqual(before);
  });

  it("has a damaged record, which only a backup brings back", async () => {
    const engine = await filled();
    await tamper(engine, "update leads set custom_fields = '{' where id = 5");
    await tamper(engine, "update leads set words = null where id = 4");
    const sentence = "lead [5] of account 1 is damaged: restore a backup that has it";
    expect(await faultsOf(engine)).toContain(sentence);
    const before = await contentsOf(engine);
    await expect(rebuildStore(engine, silent)).rejects.toMatchObject({
      kind: "malformed",
      message: sentence,
    });
    expect(await contentsOf(engine)).toEqual(before);
  });

  it.each([
    [
      "a null where none may be",
      "update leads set created_at = null, state = null where id = 5",
      "state, created_at",
    ],
    ["a day for an instant", "update leads set created_at = '2026-03-01' where id = 5", "created_at"],
    ["a text for a number", "update leads set sales_count = 'abc' where id = 5", "sales_count"],
    [
      "a document that is no object",
      "update leads set once_reward_ids = '7' where id = 5",
      "once_reward_ids",
    ],
  ])("has %s, which only a backup brings back", async (_, text, fields) => {
    const engine = await filled();
    await tamper(engine, text);
    const sentence = `lead [5] of account 1 has values that it can't have: ${fields}. Restore a backup`;
    expect(await faultsOf(engine)).toContain(sentence);
    await expect(rebuildStore(engine, silent)).rejects.toThrow(sentence);
  });

  it("has two records of which there may be one, and a rebuild changes nothing", async () => {
    const engine = await filled();
    await tamper(
      engine,
      "update promoters set email = (select one.email from promoters one where one.id = 1) where id = 2",
    );
    const before = await contentsOf(engine);
    await expect(rebuildStore(engine, silent)).rejects.toMatchObject({
      kind: "malformed",
      message: expect.stringMatching(/^promoter \[2\] has the same \w+ as another$/) as string,
    });
    expect(await contentsOf(engine)).toEqual(before);
  });

  it("is as it was if a rebuild is interrupted", async () => {
    const engine = await filled();
    await tamper(engine, "update leads set words = null");
    const before = await contentsOf(engine);
    await expect(rebuildStore(dyingAt(engine, 0), silent)).rejects.toThrow();
    expect(await contentsOf(engine)).toEqual(before);
    await storeOn(engine);
  });

  it.each([
    ["sales_count", "lead", "the sales of lead"],
    ["refunded_sales_count", "lead", "the refunded sales of lead"],
    ["refunded_cents", "sale", "the refunded cents of sale"],
    ["amount", "payout", "the commissions in payout"],
  ])("has a record with a wrong %s, and the check says so", async (field, name, tie) => {
    const engine = await filled();
    const from = sqlName({ name });
    const text = `select id, ${field} from ${from} where ${field} > 0 limit 1`;
    const [[id, right]] = (await engine.reads.all({ text, values: [] })) as [[number, number]];
    for (const said of [77, 0]) {
      await tamper(engine, `update ${from} set ${field} = ${said} where id = ${id}`);
      expect(await faultsOf(engine)).toContain(
        `${tie} ${id} are said to be ${said}, but the records add up to ${right}`,
      );
    }
  });
});

it("knows every kind of record that the code writes", () => {
  const sources = readdirSync("server", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const names = sources.flatMap((name) => {
    const text = readFileSync(`server/${name}`, "utf8");
    return [...text.matchAll(/ = table\(\s*"([^"]+)"/g)].map(([, found]) => found);
  });
  expect(names.length).toBeGreaterThan(25);
  expect(names.toSorted()).toEqual(TABLES.map(({ name }) => name).toSorted());
  expect(TABLES.map(({ name }) => name)).toEqual(names.toSorted());
});
