import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import type { Account } from "../../server/domain/program/account/account.ts";
import { listCommissions, type CommissionFilter } from "../../server/domain/ledger/commission/search.ts";
import { systemChance } from "../../server/domain/context.ts";
import { findLeads, type LeadFilter } from "../../server/domain/people/lead/search.ts";
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
const leadPlans = (filter: LeadFilter) =>
  plansOf((asked) => findLeads(asked, account.id, { filter, reverse: true, ...page }));
const commissionPlans = (filter: CommissionFilter) =>
  plansOf((asked) => {
    const sorting = [{ by: "created_at", isDescending: true } as const];
    return listCommissions({ store: asked, now }, account, { filter, sorting, ...page });
  });

describe("a list of leads", () => {
  it.each<LeadFilter>([
    { state: "active" },
    { text: "ada" },
    { isCustomer: true },
    { entrySources: ["cookie"] },
    { suspicions: ["ad_source"] },
    { planIds: ["team"] },
    { created_at: month },
    { cancelled_at: month },
    { customer_since: month },
  ])("by %j reads no whole leads", async (filter) => {
    const plan = "SEARCH leads USING COVERING INDEX leads_list";
    expect(await leadPlans(filter)).toEqual([plan, plan]);
  });

  it("by promoter reads those of the promoter", async () => {
    const plan = "SEARCH leads USING INDEX leads_promoter";
    expect(await leadPlans({ promoter_id: 1, text: "ada" })).toEqual([plan, plan]);
  });
});

describe("a list of commissions, newest first", () => {
  it("by payout reads those of the payout", async () => {
    const plan = "SEARCH commissions USING INDEX commissions_payout";
    expect(await commissionPlans({ payout_ids: [1], created_at: month })).toEqual([plan, plan]);
  });

  it("by promoter reads those of the promoter", async () => {
    const plan = "SEARCH commissions USING INDEX commissions_balance";
    expect(await commissionPlans({ promoter_id: 1, created_at: month })).toEqual([plan, plan]);
  });

  it.each<CommissionFilter>([{ status: "pending" }, { created_at: month }])(
    "by %j goes by the date",
    async (filter) => {
      const [ofPage] = await commissionPlans(filter);
      expect(ofPage).toMatch(/ INDEX commissions_created_at$/);
    },
  );
});
