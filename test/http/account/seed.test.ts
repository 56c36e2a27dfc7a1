import { afterAll, beforeAll, expect, it } from "vitest";
import { seed, type SeedOptions } from "../../../server/domain/seed/seed.ts";
import type { Account } from "../../../server/domain/program/account/account.ts";
import { SYSTEM } from "../../../server/domain/context.ts";
import { campaigns } from "../../../server/domain/program/campaign/campaign.ts";
import { facts } from "../../../server/domain/events/event.ts";
import { FRAUD_SUSPICIONS, LEAD_STATES, leads } from "../../../server/domain/people/lead/lead.ts";
import { paymentsBatches } from "../../../server/domain/ledger/payments-batch/batch.ts";
import { products } from "../../../server/domain/program/product.ts";
import { promoCodes } from "../../../server/domain/people/promo-code/promo-code.ts";
import { signInByAuthToken } from "../../../server/domain/people/portal/sign-in.ts";
import { promoterCampaigns } from "../../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import { sales } from "../../../server/domain/ledger/sale/sale.ts";
import { deliveries } from "../../../server/domain/events/webhook/delivery.ts";
import type { Table } from "../../../server/storage/table.ts";
import { portalBrowser } from "../../support/portal.ts";
import { dailySums } from "../../support/stats.ts";
import { breaches, readLedger } from "../../support/money-laws.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import type { RecordOf } from "../../support/records.ts";

let app: TestApp;
let account: Account;
const shares: number[] = [];
beforeAll(async () => {
  app = await startApp("memory");
  const onProgress = (share: number) => void shares.push(share);
  account = await seeded(app, { promoters: 40, leads: 600, sales: 900, onProgress });
});
afterAll(() => app.close());

it("tells of its progress", () => {
  expect(shares.length).toBeGreaterThan(3);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(shares.at(-1)).toBe(1);
});

async function seeded({ context, records, account_id }: TestApp, size: SeedOptions): Promise<Account> {
  const owner = (await records.get("account", account_id))!;
  await seed(context, owner, size);
  return owner;
}

/** How many of a table's records there are of each kind. */
async function tally<R extends { account_id: number }, Unique extends string, Index extends string>(
  of: Table<R, Unique, Index>,
  kindOf: (record: R) => string,
  owner = app.account_id,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for await (const chunk of app.context.store.scan(of, "id", owner, [])) {
    for (const record of chunk) {
      const kind = kindOf(record);
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  }
  return counts;
}

it("makes a year that ends today and grows, with quiet weekends", async () => {
  const { store } = app.context;
  const sums = await dailySums(store, account.id, "campaign");
  const days = sums.filter(({ metric }) => metric === "referrals");
  const within = (from: string, to: string) => days.filter(({ day }) => day >= from && day < to);
  const total = (some: typeof days) => some.reduce((all, { sum }) => all + sum, 0);
  expect(total(days)).toBe(600);
  expect(
    days
      .map(({ day }) => day)
      .toSorted()
      .at(-1),
  ).toBe(NOW.slice(0, 10));
  expect(days.filter(({ day }) => day < "2025-03-05")).toEqual([]);
  expect(total(within("2026-01-01", "2026-03-01"))).toBeGreaterThan(
    2 * total(within("2025-04-01", "2025-06-01")),
  );
  const weekend = days.filter(({ day }) => [0, 6].includes(new Date(day).getUTCDay()));
  expect(total(weekend)).toBeLessThan(600 / 5);
  for await (const chunk of store.scan(leads, "id", account.id, [])) {
    const instants = chunk.map(({ created_at }) => created_at);
    expect(instants).toEqual(instants.toSorted());
    expect(instants.filter((at) => at > NOW)).toEqual([]);
  }
});

it("makes sales, refunds, commissions and payouts by the real rules", async () => {
  const { store } = app.context;
  expect(await breaches(store, account.id)).toEqual([]);
  const { sales, refunds, commissions, payouts } = await readLedger(store, account.id);
  expect(Math.abs(sales.length - 900)).toBeLessThan(200);
  expect(new Set(commissions.map(({ tier }) => tier))).toEqual(new Set([1, 2]));
  expect(new Set(commissions.map(({ status }) => status))).toEqual(
    new Set(["approved", "denied", "pending"]),
  );
  expect(commissions.filter(({ approve_at }) => approve_at !== null && approve_at <= NOW)).toEqual([]);
  expect(commissions.some(({ approve_at }) => approve_at !== null)).toBe(true);
  expect(commissions.some(({ unit }) => unit === "free_months")).toBe(true);
  expect(refunds.length).toBeGreaterThan(0);
  const statuses = new Set(payouts.map(({ status, group_ref }) => `${status} ${group_ref}`));
  expect([...statuses]).toEqual(
    expect.arrayContaining(["completed 2025-12", "completed 2026-01", "failed 2026-01", "pending 2026-02"]),
  );
  expect(statuses).not.toContain("pending 2025-12");
});

it("makes records in every state that the pages show", async () => {
  expect(await tally(promoterCampaigns, ({ state }) => state)).toEqual({
    accepted: expect.any(Number),
    pending: expect.any(Number),
    rejected: expect.any(Number),
    blocked: expect.any(Number),
    inactive: expect.any(Number),
  });
  const leadStates = Object.keys(await tally(leads, ({ state }) => state));
  expect(leadStates.toSorted()).toEqual([...LEAD_STATES].toSorted());
  const suspicions = Object.keys(await tally(leads, ({ fraud_check }) => fraud_check));
  expect(suspicions.toSorted()).toEqual(["no_suspicion", ...FRAUD_SUSPICIONS].toSorted());
  expect(await tally(campaigns, ({ name }) => name)).toEqual({
    "Default campaign": 1,
    Creators: 1,
    "Refer a friend": 1,
  });
  expect(await tally(products, ({ name }) => name)).toEqual({ Starter: 1, Team: 1, Business: 1 });
  expect(await tally(promoCodes, () => "codes")).toEqual({ codes: 12 });
  expect(Object.keys(await tally(paymentsBatches, ({ status }) => status)).toSorted()).toEqual([
    "awaiting_confirmation",
    "completed",
    "failed",
  ]);
  const kindOf = ({ webhook_id, status }: RecordOf<"delivery">) =>
    `${webhook_id === null ? "e-mail" : "webhook"} ${status}`;
  expect(Object.keys(await tally(deliveries, kindOf, SYSTEM)).toSorted()).toEqual([
    "webhook delivered",
    "webhook failed",
  ]);
});

it("names sources, pages and visitors", async () => {
  const answer = await app.v2(
    "GET",
    `/reports/traffic_sources?group_by=year&start_date=2025-03-05&end_date=2026-03-04&columns[]=clicks_count`,
  );
  expect(answer.status).toBe(200);
  const names = JSON.stringify(answer.body);
  for (const source of ["youtube.com", "newsletter", "direct"]) expect(names).toContain(source);
  for await (const chunk of app.context.store.scan(leads, "id", account.id, [])) {
    for (const { tid, created_at } of chunk)
      expect(tid !== null).toBe(created_at > "2026-01-03T05:06:07.890Z");
  }
});

it("names the channels of links, whose clicks and leads promoters see", async () => {
  const { store } = app.context;
  const [first] = await store.page(promoterCampaigns, "state", account.id, ["accepted"], { limit: 1 });
  const { auth_token } = (await app.records.get("promoter", first!.promoter_id))!;
  const signedIn = await signInByAuthToken(app.context, { auth_token, device: null });
  const { body } = await portalBrowser(app, {}, `tidemark_portal=${signedIn!.token}`).outcome(
    "GET /reports/sub_ids?group_by=year&start_date=2025-03-05&end_date=2026-03-04&columns[]=referrals_count",
  );
  const channels = (body as { sub_id: string; data: { referrals_count: number } }[]).map(
    ({ sub_id: id }) => id,
  );
  expect(channels.toSorted()).toEqual(["blog", "newsletter", "video"]);
});

it("asks applicants, and has their answers", async () => {
  const { store } = app.context;
  const all = await app.records.all("campaign");
  const asking = all.find(({ signup }) => signup !== undefined)!;
  const [label] = asking.signup!.questions.map(({ label }) => label);
  const joined = await store.page(promoterCampaigns, "campaign", account.id, [asking.id], { limit: 1 });
  const promoter = await app.records.get("promoter", joined[0]!.promoter_id);
  expect(asking.signup!.questions[0]!.choices).toContain(promoter!.custom_fields![label!]);
});

it("sends nothing about the past", async () => {
  expect(await tally(facts, () => "facts", SYSTEM)).toEqual({});
  const { store } = app.context;
  expect(await store.page(deliveries, "due", SYSTEM, [], { limit: 1 })).toEqual([]);
});

it("records payments in the order of time", async () => {
  const other = await startApp("memory");
  await seeded(other, { promoters: 5, leads: 60, sales: 100, paymentsAtOnce: 1 });
  const instants: string[] = [];
  for await (const chunk of other.context.store.scan(sales, "id", other.account_id, [])) {
    instants.push(...chunk.map(({ created_at }) => created_at));
  }
  expect(instants.length).toBeGreaterThan(50);
  expect(instants).toEqual(instants.toSorted());
  await other.close();
});

it("gives the same people and amounts again", async () => {
  const answers: unknown[] = [];
  while (answers.length < 2) {
    const other = await startApp("memory");
    await seeded(other, { promoters: 10, leads: 100, sales: 100 });
    const promoter = await other.v1("/promoters/show", { id: "7" });
    answers.push([(await other.v2("GET", "/payouts/stats")).body, promoter.body]);
    await other.close();
  }
  expect(answers[1]).toEqual(answers[0]);
});
