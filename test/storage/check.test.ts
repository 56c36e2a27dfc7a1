import { readFileSync, readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { createAccount } from "../../server/domain/account/account.ts";
import { recordRefund } from "../../server/domain/sale/refund.ts";
import { sales } from "../../server/domain/sale/sales.ts";
import { seed } from "../../server/domain/seed/seed.ts";
import { asItIs } from "../../server/domain/show.ts";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { decodeKey, encodeKey } from "../../server/storage/keys.ts";
import { storeOn } from "../../server/storage/open.ts";
import { memoryDriver } from "../../server/storage/drivers/memory.ts";
import { putEntries, type Entry } from "../../server/storage/listing/snapshot.ts";
import { findFaults } from "../../server/transfer/check.ts";
import { COLLECTIONS } from "../../server/transfer/collections.ts";
import { FORMER_COLLECTIONS } from "../../server/transfer/upgrade/former-collections.ts";
import { rebuildStore } from "../../server/transfer/rebuild.ts";
import { NOW, countedChance } from "../support/app.ts";
import { tellingEntriesIn } from "../support/entries.ts";
import { ENGINES, useEmptyStore } from "../support/drivers.ts";

const silent = () => {};
const NOTHING = { checks: [], puts: [], removes: [], sums: [] };
const REFUSED =
  "A rebuild of the store is running or was interrupted: if nothing runs it any more, `tidemark rebuild` starts it again";

/** The entries of a store with a program in it. */
let program: Entry[];
beforeAll(async () => {
  const driver = memoryDriver();
  const context = { store: await storeOn(driver), now: new Date(NOW), chance: countedChance() };
  const { account } = await createAccount(context, { name: "Acme", landingUrl: "https://a.example/" });
  await seed(context, account, { promoters: 5, leads: 120, sales: 20 });
  const [sale] = await context.store.page(sales, "id", account.id, [], { limit: 1 });
  const { leadId, eventId: saleEventId, originalAmount: amount } = sale!;
  const customer = { leadId, uid: null, email: null };
  const refund = { customer, eventId: "re_1", saleEventId, amount, currency: null, createdAt: null };
  await recordRefund(context, account, { ...refund, show: asItIs });
  program = await tellingEntriesIn(driver);
});

const fill = (driver: AtomicDriver) => putEntries(driver, program);

async function faultsOf(driver: AtomicDriver): Promise<string[]> {
  const faults: string[] = [];
  for await (const fault of findFaults(driver)) faults.push(fault);
  return faults;
}

/** Whether an entry is derived from records: the names of claims, indexes and counters contain such marks. */
const isDerived = ([key]: Entry) => /[./=]/.test(String(decodeKey(key)[1]));

describe.each(ENGINES)("a store in %s", (kind) => {
  let driver: AtomicDriver;
  useEmptyStore(kind, (emptyDriver) => void (driver = emptyDriver));

  it("has no faults, and a rebuild from its records changes nothing", async () => {
    await fill(driver);
    expect(await faultsOf(driver)).toEqual([]);
    const before = await tellingEntriesIn(driver);
    const derived = before.filter(isDerived);
    expect(derived.length).toBeGreaterThan(1_000);
    for (let done = 0; done < derived.length; done += 500) {
      const removes = derived.slice(done, done + 500).map(([key]) => key);
      await driver.commit({ ...NOTHING, removes, puts: [] });
    }
    const lost = encodeKey([1, "lead.email", "nobody"]);
    const counted = encodeKey([1, "stats.campaign=", 1, "referrals"]);
    await driver.commit({ ...NOTHING, puts: [[lost, "[9]"]], sums: [[counted, 5]] });
    expect((await faultsOf(driver)).length).toBeGreaterThan(1_000);
    expect(await rebuildStore(driver, silent)).toEqual([]);
    expect(await faultsOf(driver)).toEqual([]);
    expect(await tellingEntriesIn(driver)).toEqual(before);
  });
});

describe("a store that was tampered with", () => {
  const ONE = { accountId: 1, id: 900, promoterCampaignId: 1, rewardId: 1, code: "X", archivedAt: null };
  const key = (...parts: (string | number)[]) => encodeKey(parts);

  it.each<[string, Partial<Parameters<AtomicDriver["commit"]>[0]>, string[]]>([
    [
      "lacks a claim, the first in the order of fingerprints",
      { removes: [key(1, "promoter-campaign.promoterInCampaign")] },
      ["promoter-campaign [4] of account 1 is not found by its claim promoterInCampaign, which is missing"],
    ],
    [
      "has a wrong counter",
      { sums: [[key(1, "promoter="), 2]] },
      ['the counter [1,"promoter="] says 7, but the records add up to 5'],
    ],
    [
      "has a counter of nothing",
      { sums: [[key(1, "nothing=", 7), -1]] },
      ['the counter [1,"nothing=",7] says -1, but the records add up to 0'],
    ],
    [
      "has an index entry of a record that is gone",
      { puts: [[key(1, "payout/status", "pending", 99), "[99]"]] },
      ['[1,"payout/status","pending",99] leads to payout [99], which is gone'],
    ],
    [
      "has an index entry of a record that is otherwise",
      { puts: [[key(1, "promoter/archived", 1, 2), "[2]"]] },
      ['[1,"promoter/archived",1,2] leads to promoter [2], which does not belong there'],
    ],
    [
      "has what no release knows",
      { puts: [[key(1, "mystery"), "{}"]] },
      ['[1,"mystery"] has an unknown kind'],
    ],
    [
      "has a record in another's place",
      { puts: [[key(1, "archived-state", 5), '{"accountId":1,"promoterCampaignId":6,"state":"accepted"}']] },
      ['archived-state [6] of account 1 is stored under the key of another record: [1,"archived-state",5]'],
    ],
    [
      "has two records that claim the same",
      {
        puts: [
          [key(1, "promo-code", 900), JSON.stringify(ONE)],
          [key(1, "promo-code", 901), JSON.stringify({ ...ONE, id: 901 })],
        ],
      },
      [],
    ],
  ])("%s, and the check says so in a sentence", async (_, changes, sentences) => {
    const driver = memoryDriver();
    await fill(driver);
    const [removed] = changes.removes ?? [];
    const removes = (await tellingEntriesIn(driver))
      .map(([each]) => each)
      .filter((each) => removed !== undefined && each.startsWith(`${removed}:`))
      .slice(0, 1);
    await driver.commit({ ...NOTHING, ...changes, removes });
    const faults = await faultsOf(driver);
    if (sentences.length > 0) return expect(faults).toEqual(sentences);
    await driver.commit({ ...NOTHING, removes: [] });
    const doubled = await rebuildStore(driver, silent);
    expect(doubled).toEqual(["promo-code [901] has the same claim code as [900]"]);
  });

  it("is refused during a rebuild, however often that is interrupted, and whole afterwards", async () => {
    const source = memoryDriver();
    await fill(source);
    const before = await tellingEntriesIn(source);
    for (let cutAt = 0; ; cutAt++) {
      const driver = memoryDriver();
      await driver.commit({ ...NOTHING, puts: before });
      let commits = 0;
      const dying: AtomicDriver = {
        ...driver,
        async commit(changes) {
          if (commits++ === cutAt) throw new Error("killed");
          return driver.commit(changes);
        },
      };
      const isDone = await rebuildStore(dying, silent).then(
        () => true,
        () => false,
      );
      if (isDone) break;
      if (cutAt > 0)
        await expect(storeOn(driver)).rejects.toMatchObject({ kind: "refused", message: REFUSED });
      expect(await rebuildStore(driver, silent)).toEqual([]);
      expect(await tellingEntriesIn(driver)).toEqual(before);
      await storeOn(driver);
    }
  });

  it("is rebuilt only by the process that began last", async () => {
    const driver = memoryDriver();
    await fill(driver);
    let commits = 0;
    const slow: AtomicDriver = {
      ...driver,
      async commit(changes) {
        if (commits++ === 1) await rebuildStore(driver, silent);
        return driver.commit(changes);
      },
    };
    await expect(rebuildStore(slow, silent)).rejects.toThrow(
      "Another process has begun to work on the store",
    );
    expect(await faultsOf(driver)).toEqual([]);
  });

  it.each([
    ["salesCount", "lead", "the sales of lead"],
    ["refundedSalesCount", "lead", "the refunded sales of lead"],
    ["refundedCents", "sale", "the refunded cents of sale"],
  ])("has a record with a wrong %s, and the check says so", async (field, name, tie) => {
    const driver = memoryDriver();
    await fill(driver);
    const records = (await tellingEntriesIn(driver)).filter(([each]) => each.startsWith(key(1, name)));
    for (const said of [77, 0]) {
      const [recordKey = "", text = ""] = records.find(([, value]) => !value.includes(`"${field}":0`)) ?? [];
      const record = JSON.parse(text) as Record<string, number>;
      const before = { ...NOTHING, puts: [[recordKey, text] as [string, string]] };
      const puts = [[recordKey, JSON.stringify({ ...record, [field]: said })] as [string, string]];
      await driver.commit({ ...NOTHING, puts });
      expect(await faultsOf(driver)).toContain(
        `${tie} ${record["id"]} are said to be ${said}, but the records add up to ${record[field]}`,
      );
      await driver.commit(before);
    }
    expect(await faultsOf(driver)).toEqual([]);
  });
});

it("knows every kind of record that the code writes", () => {
  const sources = readdirSync("server", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const names = sources.flatMap((name) => {
    const text = readFileSync(`server/${name}`, "utf8");
    return [...text.matchAll(/ = collection<[\s\S]*?>\(\)\(\{\s+name: "([^"]+)"/g)].map(([, found]) => found);
  });
  expect(names.length).toBeGreaterThan(25);
  const known = [...COLLECTIONS, ...FORMER_COLLECTIONS].map(({ name }) => name);
  expect(names.toSorted()).toEqual(known.toSorted());
});
