import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { addPayout, selectMethod } from "../../support/payouts.ts";
import { visitingPromoter, type PortalBrowser } from "../../support/portal.ts";
import { company } from "../../support/v2.ts";

let app: TestApp;
let jane: PortalBrowser & { id: number };
beforeEach(async () => {
  app = await startApp();
  jane = await visitingPromoter(app, "jane@example.com", { first_name: "Jane", last_name: "Doe" });
});
afterEach(() => app.close());

const FORM = { form: "w9", name: "Jane Doe", classification: "individual", signature: "Jane Doe" };

const paid = async (id: number, totalInclTax: number, changes: object = {}) => {
  const promoter = (await app.records.get("promoter", id))!;
  const paidAt = "2026-03-04T05:06:07.890Z";
  const sums = { amount: totalInclTax, totalInclTax, taxRateHundredths: 0 };
  await addPayout(app.context, promoter, { status: "completed", paidAt, ...sums, ...changes });
};

const lines = async (year: number) => {
  const { status, body } = await company(app, `GET /tax_forms/export?year=${year}`);
  expect(status).toBe(200);
  return String(body).trim().split("\r\n").slice(1);
};

it("has the sums of a year in the account's time zone, with whole tax numbers, and logs the download", async () => {
  await company(app, "PUT /account", { time_zone: "America/New_York" });
  await jane.call("PUT /tax_details", { ...FORM, tax_number: "123-45-6789" });
  await paid(jane.id, 150_000);
  await paid(jane.id, 50_000, { paidAt: "2027-01-01T04:59:59.999Z" });
  await paid(jane.id, 1, { paidAt: "2027-01-01T05:00:00.000Z" });
  await paid(jane.id, 7, { paidAt: "2026-01-01T04:59:59.999Z" });
  await paid(jane.id, 9, { unit: "credits" });
  await paid(jane.id, 9, { status: "pending", paidAt: null });
  expect(await lines(2026)).toEqual([
    "1,jane@example.com,Jane Doe,,,w9,Jane Doe,individual,123456789,Jane Doe,2026-03-04T05:06:07.890Z,2000.00,0.00,USD,yes",
  ]);
  expect((await lines(2027))[0]).toContain(",0.01,0.00,USD,no");
  expect((await lines(2025))[0]).toContain(",0.07,0.00,USD,no");
  expect(await lines(2024)).toEqual([]);
  const { body } = await company(app, "GET /audit_log?filters[entity]=tax_details&filters[action]=exported");
  expect(body).toHaveLength(4);
});

it("leaves out what PayPal has paid, because PayPal reports it", async () => {
  await jane.call("PUT /tax_details", { ...FORM, tax_number: "123-45-6789" });
  const promoter = (await app.records.get("promoter", jane.id))!;
  const paypal = await selectMethod(app.context, promoter, { method: "paypal" });
  await paid(jane.id, 199_999);
  await paid(jane.id, 30_000, { payoutMethodId: paypal.id });
  expect((await lines(2026))[0]).toContain(",1999.99,300.00,USD,no");
});

it("says who needs a 1099-NEC by form, kind and threshold", async () => {
  await paid(jane.id, 200_000);
  const need = async () => (await lines(2026))[0]!.split(",").at(-1);
  expect(await need()).toBe("unknown");
  await jane.call("PUT /tax_details", { ...FORM, classification: "c_corporation", tax_number: "123456789" });
  expect(await need()).toBe("no");
  await jane.call("PUT /tax_details", FORM);
  expect(await need()).toBe("yes");
  await company(app, "PUT /invoicing", { form_1099_threshold: 200_001 });
  expect(await need()).toBe("no");
  await company(app, "PUT /invoicing", { form_1099_threshold: 200_000 });
  await jane.call("PUT /tax_details", { ...FORM, form: "w8ben", tax_number: "AB 123" });
  expect(await need()).toBe("no");
});
