import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import type { Account } from "../../server/domain/program/account/account.ts";
import { commissions } from "../../server/domain/ledger/commission/commission.ts";
import { systemChance } from "../../server/domain/context.ts";
import { leads } from "../../server/domain/people/lead/lead.ts";
import { IN_USE, isOfType, mentions } from "../../server/domain/people/lead/search.ts";
import { having, listed, type Condition } from "../../server/resource/list.ts";
import { openStore } from "../../server/storage/open.ts";
import { statementOf } from "../../server/storage/query.ts";
import type { Store } from "../../server/storage/store.ts";
import { TABLES } from "../../server/tables.ts";
import { TEST_SEAL } from "../support/memory-engine.ts";

const now = new Date("2026-03-04T05:06:07.890Z");
const month = { from: now.getTime(), before: null };

let folder: string;
let store: Store;
let account: Account;
let db: DatabaseSyncInstance;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  store = await openStore(`sqlite:${folder}`, { tables: TABLES, seal: TEST_SEAL });
  const made = { name: "Acme", public_id: "acme", landing_url: "https://example.com/" };
  ({ account } = await createAccount({ store, now, chance: systemChance }, made));
  db = new DatabaseSync(join(folder, "tidemark.db"), { readOnly: true });
});
afterAll(async () => {
  db.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** The first step of each plan, without the columns that it looks up: for the ids of a page, and for the number of all. */
async function plansOf(list: (store: Store) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  await list({
    ...store,
    rows(query) {
      const { text, values } = statementOf(query);
      const [step] = db.prepare(`explain query plan ${text}`).all(...values) as { detail: string }[];
      plans.push(step!.detail.replace(/ \(.*/, ""));
      return store.rows(query);
    },
  });
  return plans;
}

const page = { limit: 20, offset: 0 };
const leadPlans = (...where: Condition[]) =>
  plansOf((asked) =>
    listed(leads, { only: IN_USE, isNewestFirst: true })().find(asked, account.id, { where, ...page }),
  );
const commissionPlans = (...where: Condition[]) =>
  plansOf((asked) => {
    const orders = [{ by: sql.ref("commissions.created_at"), isDescending: true }];
    return listed(commissions)().find(asked, account.id, { where, orders, ...page });
  });

describe("a list of leads", () => {
  it.each<[by: string, Condition[]]>([
    ["state", having(leads, { state: "active" })],
    ["text", [mentions("ada")]],
    ["type", [isOfType("customer")]],
    ["source", having(leads, { entry_source: ["cookie"] })],
    ["suspicion", having(leads, { fraud_check: ["ad_source"] })],
    ["plan", having(leads, { plan_id: ["team"] })],
    ["creation", having(leads, { created_at: month })],
    ["cancellation", having(leads, { cancelled_at: month })],
    ["first sale", having(leads, { customer_since: month })],
  ])("by %s reads no whole leads", async (_by, where) => {
    const plan = "SEARCH leads USING COVERING INDEX leads_list";
    expect(await leadPlans(...where)).toEqual([plan, plan]);
  });

  it("by promoter reads those of the promoter", async () => {
    const plan = "SEARCH leads USING INDEX leads_promoter";
    expect(await leadPlans(...having(leads, { promoter_id: 1 }), mentions("ada"))).toEqual([plan, plan]);
  });
});

describe("a list of commissions, newest first", () => {
  it("by payout reads those of the payout", async () => {
    const plan = "SEARCH commissions USING INDEX commissions_payout";
    const where = having(commissions, { payout_id: [1], created_at: month });
    expect(await commissionPlans(...where)).toEqual([plan, plan]);
  });

  it("by promoter reads those of the promoter", async () => {
    const plan = "SEARCH commissions USING INDEX commissions_balance";
    const where = having(commissions, { promoter_id: 1, created_at: month });
    expect(await commissionPlans(...where)).toEqual([plan, plan]);
  });

  it.each([{ status: "pending" }, { created_at: month }])("by %j goes by the date", async (values) => {
    const [ofPage] = await commissionPlans(...having(commissions, values));
    expect(ofPage).toMatch(/ INDEX commissions_created_at$/);
  });
});
