import { parse } from "csv-parse/sync";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { addPayout, changeAccount, selectMethod } from "../../support/payouts.ts";
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
  const sums = { amount: totalInclTax, total_incl_tax: totalInclTax, tax_rate_hundredths: 0 };
  await addPayout(app.context, promoter, { status: "completed", paid_at: paidAt, ...sums, ...changes });
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
  await paid(jane.id, 50_000, { paid_at: "2027-01-01T04:59:59.999Z" });
  await paid(jane.id, 1, { paid_at: "2027-01-01T05:00:00.000Z" });
  await paid(jane.id, 7, { paid_at: "2026-01-01T04:59:59.999Z" });
  await paid(jane.id, 9, { unit: "credits" });
  await paid(jane.id, 9, { status: "pending", paid_at: null });
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
  await paid(jane.id, 30_000, { payout_method_id: paypal.id });
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

const iris = async (query: string) => {
  const { status, body } = await company(app, `GET /tax_forms/iris?year=2026${query}`);
  expect(status).toBe(200);
  const [header = [], ...rows] = parse(String(body), { relax_column_count: false }) as string[][];
  return rows.map((row) => Object.fromEntries(header.map((name, at) => [name, row[at]])));
};

it("writes the forms 1099-NEC in the columns of IRIS, without what processors paid", async () => {
  await company(app, "PUT /invoicing", {
    legal_name: "Acme, Inc",
    address: "1 Main Street, Suite 5\nNew York, NY 10001-1234",
    country: "US",
    tax_number: "12-3456789",
  });
  await company(app, `PUT /promoters/${jane.id}`, {
    profile: { address: "=7 Elm St, Austin, TX 73301", country: "US" },
  });
  await jane.call("PUT /tax_details", { ...FORM, name: "Jane Q. Doe", tax_number: "123-45-6789" });
  const promoter = (await app.records.get("promoter", jane.id))!;
  const paypal = await selectMethod(app.context, promoter, { method: "paypal" });
  await paid(jane.id, 200_005);
  await paid(jane.id, 30_000, { payout_method_id: paypal.id });
  const joe = await visitingPromoter(app, "joe@example.com");
  await joe.call("PUT /tax_details", {
    ...FORM,
    name: "Joe Ltd",
    classification: "llc",
    tax_number: "987654321",
  });
  await paid(joe.id, 199_999);
  const [form, ...others] = await iris("&tax_numbers=true");
  expect(others).toEqual([]);
  expect(Object.fromEntries(Object.entries(form!).filter(([, value]) => value !== ""))).toEqual({
    "Form Type": "1099-NEC",
    "Tax Year": "2026",
    "Payer TIN Type": "EIN",
    "Payer Taxpayer ID Number": "123456789",
    "Payer Name Type": "B",
    "Payer Business or Entity Name Line 1": "Acme Inc",
    "Payer Country": "US",
    "Payer Address Line 1": "1 Main Street",
    "Payer Address Line 2": "Suite 5",
    "Payer City/Town": "New York",
    "Payer State/Province/Territory": "NY",
    "Payer ZIP/Postal Code": "100011234",
    "Payer Phone Type": "D",
    "Recipient TIN Type": "SSN",
    "Recipient Taxpayer ID Number": "123456789",
    "Recipient Name Type": "I",
    "Recipient First Name": "Jane",
    "Recipient Middle Name": "Q.",
    "Recipient Last Name (Surname)": "Doe",
    "Recipient Country": "US",
    "Recipient Address Line 1": "7 Elm St",
    "Recipient City/Town": "Austin",
    "Recipient State/Province/Territory": "TX",
    "Recipient ZIP/Postal Code": "73301",
    "Form Account Number": "P1",
    "2nd TIN Notice": "N",
    "Box 1 - Nonemployee Compensation": "2000.05",
    "Box 2 - Payer made direct sales totaling $5,000 or more of consumer products to a recipient for resale":
      "N",
  });
  expect((await iris(""))[0]!["Recipient Taxpayer ID Number"]).toBe("");
  expect(await iris("&part=2")).toEqual([]);
  await paid(joe.id, 1);
  expect((await iris("&tax_numbers=true"))[1]).toMatchObject({
    "Recipient TIN Type": "EIN",
    "Recipient Name Type": "B",
    "Recipient Business or Entity Name Line 1": "Joe Ltd",
    "Recipient Address Line 1": "",
  });
});

it.each([
  ["José Nuñez 🎉", "José Street, Austin, TX 73301", ["Jose", "Nunez", "Jose Street", "Austin"]],
  ["Jane 王", "7 千代田, Austin, TX 73301", ["", "", "", ""]],
])("writes %s for IRIS as a whole, or leaves it to a person", async (name, address, written) => {
  await company(app, `PUT /promoters/${jane.id}`, { profile: { address, country: "US" } });
  await jane.call("PUT /tax_details", { ...FORM, name, tax_number: "123-45-6789" });
  await paid(jane.id, 200_000);
  const [form] = await iris("");
  const parts = ["First Name", "Last Name (Surname)", "Address Line 1", "City/Town"];
  expect(parts.map((part) => form![`Recipient ${part}`])).toEqual(written);
});

it("names the columns as the template of each tax year does", async () => {
  const columns = async (year: number) =>
    (parse(String((await company(app, `GET /tax_forms/iris?year=${year}`)).body)) as string[][])[0]!.slice(
      35,
    );
  const states = (withheld: string) =>
    ["State 1", "State 2"].flatMap((state) => [
      state,
      `${state} - ${withheld}`,
      `${state} - State/Payer state number`,
      `${state} - State income`,
      `${state} - Local income tax withheld`,
      `${state} - Special Data Entries`,
    ]);
  const resale = "or more of consumer products to a recipient for resale";
  expect(await columns(2024)).toEqual([
    "Office Code",
    "Form Account Number",
    "2nd TIN Notice",
    "Box 1 - Nonemployee Compensation",
    `Box 2 - Payer made direct sales totaling $5000 ${resale}`,
    "Box 4 - Federal income tax withheld",
    "Combined Federal/State Filing",
    ...states("State Tax Withheld"),
  ]);
  expect(await columns(2025)).toEqual([
    "Office Code",
    "Form Account Number",
    "2nd TIN Notice",
    "Box 1 - Nonemployee Compensation",
    `Box 2 - Payer made direct sales totaling $5,000 ${resale}`,
    "Box 3 - Excess golden parachute payments",
    "Box 4 - Federal income tax withheld",
    "Combined Federal/State Filing",
    ...states("State tax withheld"),
  ]);
});

it("has the former threshold for payments before 2026", async () => {
  await jane.call("PUT /tax_details", { ...FORM, tax_number: "123-45-6789" });
  await paid(jane.id, 60_000, { paid_at: "2025-03-04T05:06:07.890Z" });
  expect((await lines(2025))[0]!.split(",").at(-1)).toBe("yes");
  await paid(jane.id, 60_000);
  expect((await lines(2026))[0]!.split(",").at(-1)).toBe("no");
});

it("writes no form 1099-NEC for an account in another currency", async () => {
  await changeAccount(app.context, app.account_id, { currency: "EUR" });
  const { status, body } = await company(app, "GET /tax_forms/iris?year=2026");
  expect([status, body]).toEqual([
    422,
    { code: "operation_failed", message: "Form 1099-NEC is in US dollars, and the account is not" },
  ]);
});
