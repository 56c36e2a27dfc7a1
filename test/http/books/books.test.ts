import { parse } from "csv-parse/sync";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, startApp, type TestApp } from "../../support/app.ts";
import { forgetBooks } from "../../support/book-laws.ts";
import { makeReward, offer } from "../../support/money.ts";
import { changeAccount } from "../../support/payouts.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";

const NOTHING = {
  opening: 0,
  earned: 0,
  reversed: 0,
  moved: 0,
  paid: 0,
  returned: 0,
  closing: 0,
  tax: 0,
  fees: 0,
};

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await join(app, "jane@example.com", { first_name: "Jane", last_name: "Doe", ref_id: "jane" });
  await join(app, "joe@example.com", { ref_id: "joe" });
});
afterEach(async () => {
  await app.close();
  expect(app.bugs).toEqual([]);
});

/** Gives a promoter a commission, which is approved. */
const earn = (promoterCampaignId: number, amount: number) =>
  company(app, "POST /commissions", {
    commission_type: "custom",
    unit: "cash",
    promoter_campaign_id: promoterCampaignId,
    amount,
  });
const setDay = (day: string) => app.setNow(`${day}T12:00:00.000Z`);
const books = (query: string) => outcome(company(app, `GET /books?${query}`));
const JANE = { promoter_id: 1, name: "Jane Doe", email: "jane@example.com" };

async function file(query: string): Promise<Record<string, string>[]> {
  const headers = { authorization: `Bearer ${KEY}`, "account-id": "acme" };
  const answer = await app.request(`/api/v2/company/books/download?${query}`, { headers });
  expect(answer.status).toBe(200);
  return parse(await answer.text(), { columns: true });
}

/** Two commissions in March, of which one is denied in April, when the other is paid. In May the money comes back. */
async function live(): Promise<void> {
  setDay("2026-03-10");
  await earn(1, 5_000);
  await earn(1, 700);
  setDay("2026-04-05");
  await app.v1("/rewards/update", { id: "2", status: "denied" });
  await company(app, "POST /commissions/generate_payouts", { ids: [1] });
  await company(app, "POST /payouts/mark_as_paid", { ids: [1] });
  setDay("2026-05-06");
  await company(app, "POST /payouts/mark_as_unpaid", { ids: [1] });
}

describe("the books", () => {
  it("show each month as it was", async () => {
    await live();
    const march = { ...NOTHING, earned: 5_700, closing: 5_700 };
    const april = { ...NOTHING, opening: 5_700, reversed: 700, paid: 5_000 };
    const may = { ...NOTHING, returned: 5_000, closing: 5_000 };
    const whole = { ...NOTHING, earned: 5_700, reversed: 700, paid: 5_000, returned: 5_000, closing: 5_000 };
    const expected = (from: string, to: string, movements: typeof NOTHING) => ({
      status: 200,
      body: {
        data: [{ ...JANE, ...movements }],
        meta: { currency: "USD", from, to, total: movements },
      },
    });
    expect(await books("from=2026-03-01&to=2026-03-31")).toEqual(expected("2026-03-01", "2026-03-31", march));
    expect(await books("to=2026-04-30")).toEqual(expected("2026-04-01", "2026-04-30", april));
    expect(await books("")).toEqual(expected("2026-05-01", "2026-05-06", may));
    expect(await books("from=2026-03-01")).toEqual(expected("2026-03-01", "2026-05-06", whole));
    expect(await books("from=2026-01-01&to=2026-02-28")).toEqual({
      status: 200,
      body: { data: [], meta: { currency: "USD", from: "2026-01-01", to: "2026-02-28", total: NOTHING } },
    });
  });

  it("stay as they were after a commission is deleted, and after the promoter is erased", async () => {
    setDay("2026-03-10");
    await earn(1, 5_000);
    await earn(2, 300);
    setDay("2026-04-05");
    await company(app, "DELETE /commissions/destroy", { ids: [1] });
    await company(app, "POST /promoters/2/erase");
    const march = { ...NOTHING, earned: 5_300, closing: 5_300 };
    expect(await books("to=2026-03-31")).toMatchObject({
      body: {
        data: [
          { ...JANE, closing: 5_000 },
          { promoter_id: 2, closing: 300 },
        ],
        meta: { total: march },
      },
    });
    const april = { ...NOTHING, opening: 5_300, reversed: 5_000, closing: 300 };
    expect(await books("to=2026-04-30")).toMatchObject({ body: { meta: { total: april } } });
  });

  it("show what moves to another promoter with a lead", async () => {
    await offer(app, await makeReward(app, [{ amount: 10 }]));
    await app.v1("/track/signup", { email: "sam@example.net", ref_id: "jane" });
    setDay("2026-03-10");
    await app.v1("/track/sale", { email: "sam@example.net", event_id: "inv_1", amount: "10000" });
    setDay("2026-04-05");
    await app.v1("/leads/update", { email: "sam@example.net", new_ref_id: "joe" });
    await app.v1("/track/refund", { email: "sam@example.net", event_id: "re_1", amount: "4000" });
    expect(await books("to=2026-03-31")).toMatchObject({
      body: { data: [{ ...JANE, ...NOTHING, earned: 1_000, closing: 1_000 }] },
    });
    const joe = { ...NOTHING, moved: 1_000, reversed: 400, closing: 600 };
    expect(await books("to=2026-04-30")).toMatchObject({
      body: {
        data: [
          { ...JANE, ...NOTHING, opening: 1_000, moved: -1_000 },
          { promoter_id: 2, ...joe },
        ],
        meta: { total: { ...NOTHING, opening: 1_000, reversed: 400, closing: 600 } },
      },
    });
  });

  it("show records from before the books on their own day, also after they change", async () => {
    setDay("2026-03-10");
    await earn(1, 5_000);
    await earn(1, 700);
    await company(app, "POST /commissions/generate_payouts", { ids: [1] });
    await company(app, "POST /payouts/mark_as_paid", { ids: [1] });
    await forgetBooks(app.context.store, app.account_id);
    const march = { ...NOTHING, earned: 5_700, paid: 5_000, closing: 700 };
    expect(await books("to=2026-03-31")).toMatchObject({ body: { data: [{ ...JANE, ...march }] } });
    setDay("2026-04-05");
    await company(app, "POST /payouts/mark_as_unpaid", { ids: [1] });
    await company(app, "DELETE /commissions/destroy", { ids: [2] });
    expect(await books("to=2026-03-31")).toMatchObject({ body: { data: [{ ...JANE, ...march }] } });
    const april = { ...NOTHING, opening: 700, reversed: 700, returned: 5_000, closing: 5_000 };
    expect(await books("to=2026-04-30")).toMatchObject({ body: { data: [{ ...JANE, ...april }] } });
  });

  it("begin and end their days in the account's time zone", async () => {
    await changeAccount(app.context, app.account_id, { time_zone: "Asia/Tokyo" });
    app.setNow("2026-03-31T15:00:00.000Z");
    await earn(1, 5_000);
    expect(await books("from=2026-03-01&to=2026-03-31")).toMatchObject({ body: { data: [] } });
    expect(await books("from=2026-04-01&to=2026-04-01")).toMatchObject({
      body: { meta: { total: { earned: 5_000 } } },
    });
  });

  it("are a file of a thousand years as fast as one of the days that had entries", async () => {
    await live();
    const days = (lines: Record<string, string>[]) => lines.map(({ day, kind }) => [day, kind]);
    const march = ["2026-03-10", "earned"];
    const whole = [
      march,
      march,
      ["2026-04-05", "reversed"],
      ["2026-04-05", "paid"],
      ["2026-05-06", "returned"],
    ];
    expect(days(await file("file=entries&from=1000-01-01&to=2999-12-31"))).toEqual(whole);
    expect(days(await file("file=entries&from=1000-01-01&to=2026-03-09"))).toEqual([]);
  }, 15_000);

  it("are a file with a line for each promoter, or for each entry", async () => {
    await live();
    const amounts = { opening: "57.00", earned: "0.00", reversed: "7.00", moved: "0.00", paid: "50.00" };
    const line = {
      from: "2026-04-01",
      to: "2026-04-30",
      currency: "USD",
      ...amounts,
      returned: "0.00",
      closing: "0.00",
      tax: "0.00",
      fees: "0.00",
    };
    expect(await file("to=2026-04-30")).toEqual([
      { ...line, promoter_id: "1", promoter: "Jane Doe", email: "jane@example.com" },
      { ...line, promoter_id: "total", promoter: "", email: "" },
    ]);
    const entry = (day: string, kind: string, record: string, id: number, amount: string) => ({
      at: `${day}T12:00:00.000Z`,
      day,
      kind,
      promoter_id: "1",
      record,
      record_id: String(id),
      currency: "USD",
      amount,
      tax: "0.00",
    });
    expect(await file("file=entries&from=2026-03-01")).toEqual([
      entry("2026-03-10", "earned", "commission", 1, "50.00"),
      entry("2026-03-10", "earned", "commission", 2, "7.00"),
      entry("2026-04-05", "reversed", "commission", 2, "-7.00"),
      entry("2026-04-05", "paid", "payout", 1, "-50.00"),
      entry("2026-05-06", "returned", "payout", 1, "50.00"),
    ]);
  });

  it.each([
    ["from=2026-02-30", { from: ["is not a day such as 2026-01-31"] }],
    ["to=yesterday", { to: ["is not a day such as 2026-01-31"] }],
    ["from=2026-03-02&to=2026-03-01", { from: ["is after to"] }],
  ])("are refused for %s", async (query, errors) => {
    expect(await books(query)).toEqual(invalid(errors));
  });
});
