import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasMoney } from "../../../server/domain/ledger/use.ts";
import { setCurrency } from "../../../server/domain/program/account/settings.ts";
import { exponentOf } from "../../../server/domain/money.ts";
import {
  isMissing,
  missingRate,
  toAccountCurrency,
  type Converted,
} from "../../../server/domain/ledger/rate.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { company, invalid, outcome } from "../../support/v2.ts";
import { storeServerRates } from "../../support/operations.ts";
import { storeRates } from "../../support/money.ts";
import { newCommission } from "../../support/commissions.ts";

const DAY = "2026-03-04";
const EUROS = { day: DAY, base: "EUR", rates: { USD: "1.0842", GBP: "0.8391", JPY: "163.27", KWD: "0.334" } };
const SHOWN = { date: DAY, base: "EUR", rates: { USD: "1.0842" }, source: "account", updated_at: NOW };

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const call = (request: string, body?: unknown) => outcome(company(app, request, body));

async function convert(amount: number, currency: string | null, day = DAY) {
  const { store } = app.context;
  const account = (await app.records.get("account", app.account_id))!;
  return toAccountCurrency(store, account, { amount, currency, at: new Date(`${day}T23:59:59Z`) });
}

async function centsOf(amount: number, currency: string, day = DAY) {
  const money = await convert(amount, currency, day);
  return isMissing(money) ? missingRate(money) : (money as Converted).cents;
}

async function useCurrency(code: string) {
  return setCurrency(app.context, (await app.records.get("account", app.account_id))!, { code, hasMoney });
}

describe("an amount in another currency", () => {
  it.each([
    ["its own currency", "USD", 12_345, 12_345],
    ["no currency", null, 12_345, 12_345],
    ["the base", "EUR", 10_000, 10_842],
    ["a cross rate", "GBP", 10_000, 12_921],
    ["no decimals", "JPY", 10_000, 6_641],
    ["three decimals", "KWD", 10_000, 3_246],
    ["small letters", "eur", 5, 5],
    ["half a cent, away from zero", "EUR", 2_500, 2_711],
    ["an amount past floats", "EUR", 6_004_799_503_160_661, 6_510_403_621_326_789],
  ])("is converted exactly: %s", async (_, currency, amount, cents) => {
    await storeRates(app, EUROS);
    const originalCurrency = currency === null || currency === "USD" ? null : currency.toUpperCase();
    expect(await convert(amount, currency)).toEqual({
      cents,
      original_amount: amount,
      original_currency: originalCurrency,
    });
  });

  it("is converted to a currency of other decimals", async () => {
    await useCurrency("JPY");
    await storeRates(app, EUROS);
    expect(await convert(10_000, "USD")).toEqual({
      cents: 15_059,
      original_amount: 10_000,
      original_currency: "USD",
    });
  });

  it("takes the nearest earlier day that has both currencies, the account's own before the server's", async () => {
    const on = (day: string, rates: Record<string, string>) => ({ day, base: "EUR", rates });
    await storeServerRates(app, on("2026-03-01", { USD: "2" }), on("2026-03-03", { GBP: "1" }));
    expect(await centsOf(100, "EUR")).toBe(200);
    expect(await centsOf(100, "EUR", "2026-03-08")).toBe(200);
    await storeRates(app, on("2026-03-01", { USD: "3" }));
    expect(await centsOf(100, "EUR")).toBe(300);
    await storeServerRates(app, on("2026-03-02", { USD: "4" }));
    expect(await centsOf(100, "EUR")).toBe(400);
  });

  it("names the missing rate if there is none within seven days, and refuses an unknown currency", async () => {
    await storeRates(app, EUROS);
    const refused = (message: string) => ({ kind: "rule_broken", message });
    const missing = (currency: string, day: string) =>
      `There is no exchange rate from ${currency} to USD for ${day}`;
    expect(await centsOf(1, "EUR", "2026-03-03")).toBe(missing("EUR", "2026-03-03"));
    expect(await centsOf(1, "EUR", "2026-03-12")).toBe(missing("EUR", "2026-03-12"));
    expect(await centsOf(1, "SEK")).toBe(missing("SEK", DAY));
    await expect(convert(1, "EURO")).rejects.toMatchObject(refused("EURO is not an ISO 4217 currency"));
    await expect(convert(9e15, "EUR")).rejects.toMatchObject(refused("9000000000000000 EUR is too large"));
  });
});

describe("POST and GET /rates", () => {
  it("stores rates of a day, adds further ones, and lists them", async () => {
    expect(await call("POST /rates", { date: DAY, base: "eur", rates: { usd: 1.0842 } })).toEqual({
      status: 200,
      body: SHOWN,
    });
    const both = { ...SHOWN, rates: { USD: "1.0842", GBP: "0.84" } };
    const more = { date: DAY, base: "EUR", rates: { GBP: "0.84" } };
    expect(await call("POST /rates", more)).toEqual({ status: 200, body: both });
    await storeServerRates(app, { day: DAY, base: "USD", rates: { EUR: "0.9" } });
    const servers = { ...SHOWN, base: "USD", rates: { EUR: "0.9" }, source: "server" };
    expect(await call("GET /rates")).toEqual({ status: 200, body: [both, servers] });
    expect(await call("GET /rates?date=2026-03-11")).toEqual({ status: 200, body: [both, servers] });
    expect(await call("GET /rates?date=2026-03-12")).toEqual({ status: 200, body: [] });
  });

  it("replaces rates with another base", async () => {
    await call("POST /rates", { date: DAY, base: "EUR", rates: { USD: "1.0842" } });
    const other = { date: DAY, base: "USD", rates: { EUR: "0.9" } };
    expect(await call("POST /rates", other)).toEqual({ status: 200, body: { ...SHOWN, ...other } });
  });

  it("names every fault", async () => {
    expect(await call("POST /rates", {})).toEqual(
      invalid({ date: ["can't be blank"], base: ["can't be blank"], rates: ["can't be blank"] }),
    );
    const rates = { USD: "0", GBP: "-1", JPY: 1e300, SEK: "1,5", EURO: "1" };
    expect(await call("POST /rates", { date: "2026-02-30", base: "XYZ", rates })).toEqual(
      invalid({
        date: ["is not a date"],
        base: ["is not an ISO 4217 currency"],
        rates: [
          "has a rate of USD that is not a positive decimal number",
          "has a rate of GBP that is not a positive decimal number",
          "has a rate of JPY that is not a positive decimal number",
          "has a rate of SEK that is not a positive decimal number",
          "has EURO, which is not an ISO 4217 currency",
        ],
      }),
    );
    expect(await call("GET /rates?date=yesterday")).toEqual(invalid({ date: ["is not a date"] }));
    expect(await call("GET /rates")).toEqual({ status: 200, body: [] });
  });
});

it("knows the decimals of ISO 4217", () => {
  const codes = ["USD", "JPY", "KWD", "CLF", "ISK", "MGA", "XCG", "HUF", "XXX", "usd"];
  expect(codes.map(exponentOf)).toEqual([2, 0, 3, 4, 0, 2, 2, 2, null, null]);
});

describe("the currency of an account", () => {
  it("changes before there is money", async () => {
    expect(await useCurrency("eur")).toMatchObject({ currency: "EUR" });
    await expect(useCurrency("EURO")).rejects.toMatchObject({
      kind: "invalid",
      message: "EURO is not an ISO 4217 currency",
    });
  });

  it("stays once there is a sale, even one that earned nothing", async () => {
    await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
    await app.v1("/track/signup", { uid: "cus_1", ref_id: "jane" });
    const sale = await app.v1("/track/sale", { uid: "cus_1", event_id: "in_1", amount: "100" });
    expect(sale.status).toBe(200);
    await expect(useCurrency("EUR")).rejects.toMatchObject({ kind: "refused" });
    expect(await useCurrency("USD")).toMatchObject({ currency: "USD" });
  });

  it("stays once there is a commission", async () => {
    const owner = { account_id: app.account_id, promoter_campaign_id: 1, promoter_id: 1, campaign_id: 1 };
    const commission = newCommission({ ...owner, id: 1, amount: 100, created_at: NOW });
    await app.records.put("commission", commission);
    await expect(useCurrency("EUR")).rejects.toMatchObject({
      kind: "refused",
      message: "The currency stays USD, because there are amounts in it already",
    });
  });
});
