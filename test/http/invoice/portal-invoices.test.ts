import { afterEach, beforeEach, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { storedTaxForm, turnInvoicesOn } from "../../support/invoices.ts";
import { addPayout } from "../../support/payouts.ts";
import { visitingPromoter, type PortalBrowser } from "../../support/portal.ts";
import { company } from "../../support/v2.ts";

let app: TestApp;
let jane: PortalBrowser & { id: number };
beforeEach(async () => {
  app = await startApp();
  jane = await visitingPromoter(app, "jane@example.com", { first_name: "Jane", last_name: "Doe" });
});
afterEach(() => app.close());

const DETAILS = { address: "Hauptstr. 1, Berlin", country: "DE", vat_id: "DE 123.456.789" };

const invoice = async () => {
  const promoter = await app.records.get("promoter", jane.id);
  const { id } = await addPayout(app.context, promoter!, { status: "completed" });
  await company(app, "POST /invoices", { ids: [id] });
};

it("a promoter agrees to a version once, and then gets invoices", async () => {
  expect(await jane.outcome("GET /invoice_agreement")).toEqual({
    status: 200,
    body: { is_on: false, agreement: null },
  });
  expect((await jane.outcome("POST /invoice_agreement", { version: 1 })).status).toBe(404);
  await turnInvoicesOn(app);
  await jane.call("PUT /invoice_details", DETAILS);
  const agreement = { version: 1, text: "We write your invoices.", published_at: NOW };
  expect((await jane.outcome("GET /invoice_agreement")).body).toEqual({
    is_on: true,
    agreement: { ...agreement, agreed_at: null },
  });
  await invoice();
  expect((await jane.outcome("GET /invoices")).body).toEqual({ data: [] });
  expect(await jane.outcome("POST /invoice_agreement", { version: 2 })).toEqual({
    status: 422,
    body: { message: "The agreement has changed. Read the new version first.", code: "operation_failed" },
  });
  app.setNow("2026-03-05T00:00:00.000Z");
  const agreed = { is_on: true, agreement: { ...agreement, agreed_at: "2026-03-05T00:00:00.000Z" } };
  expect((await jane.outcome("POST /invoice_agreement", { version: 1 })).body).toEqual(agreed);
  app.setNow("2026-03-06T00:00:00.000Z");
  expect((await jane.outcome("POST /invoice_agreement", { version: 1 })).body).toEqual(agreed);
  await company(app, "POST /invoices/finalize", { ids: [1] });
  expect((await jane.outcome("GET /invoices")).body).toEqual({
    data: [
      {
        id: 1,
        number: "AFF-2026-000001",
        date: "2026-03-06",
        total: 10_000,
        total_incl_tax: 12_000,
        tax_rate: 20,
        pdf_url: "https://track.acme.example/api/v2/affiliate/invoices/1/pdf",
        status: "paid",
        kind: "invoice",
        currency: "USD",
        payout_ids: [1],
        credit_note_id: null,
        credited_invoice_id: null,
        created_at: NOW,
      },
    ],
  });
});

it("a promoter downloads their own invoices only", async () => {
  await turnInvoicesOn(app);
  await jane.call("PUT /invoice_details", DETAILS);
  await jane.call("POST /invoice_agreement", { version: 1 });
  await invoice();
  const joe = await visitingPromoter(app, "joe@example.com");
  expect((await joe.outcome("GET /invoices")).body).toEqual({ data: [] });
  expect(await joe.outcome("GET /invoices/1/pdf")).toEqual({
    status: 404,
    body: { message: "Invoice not found.", code: "not_found" },
  });
  expect((await jane.call("GET /invoices/1/pdf")).headers.get("content-disposition")).toBe(
    'attachment; filename="AFF-2026-000001.pdf"',
  );
});

it("checks the form of a VAT number by its country", async () => {
  expect(await jane.outcome("PUT /invoice_details", { ...DETAILS, vat_id: "DE12345678" })).toEqual({
    status: 422,
    body: {
      message: "Validation failed: vat_id is not a VAT number of Germany, which begins with DE",
      code: "invalid_params",
      errors: { vat_id: ["is not a VAT number of Germany, which begins with DE"] },
    },
  });
  expect((await jane.outcome("PUT /invoice_details", { country: "Germany" })).body).toMatchObject({
    errors: { country: ["must be the two-letter code of a country, such as DE"] },
  });
  expect((await jane.outcome("PUT /invoice_details", DETAILS)).status).toBe(200);
  expect((await jane.outcome("PUT /invoice_details", { country: "US", vat_id: "any" })).status).toBe(200);
  // A company's own change is kept, and the fault is shown.
  await company(app, `PUT /promoters/${jane.id}`, { profile: { country: "NL", vat_id: "NL1" } });
  expect((await company(app, `GET /promoters/${jane.id}`)).body).toMatchObject({
    profile: {
      invoice_details_validation_errors: {
        vat_id: ["is not a VAT number of Netherlands, which begins with NL"],
      },
    },
  });
});

it("keeps a tax form with its number sealed, and never shows the number", async () => {
  expect(await jane.outcome("GET /tax_details")).toEqual({ status: 200, body: { details: null } });
  const form = { form: "w9", name: "Jane Doe", classification: "individual", signature: "Jane Doe" };
  expect((await jane.outcome("PUT /tax_details", form)).body).toMatchObject({
    errors: { tax_number: ["can't be blank"] },
  });
  expect((await jane.outcome("PUT /tax_details", { ...form, tax_number: "12-34" })).body).toMatchObject({
    errors: { tax_number: ["must have nine digits"] },
  });
  const details = { ...form, tax_number_end: "6789", signed_at: NOW };
  const saved = await jane.outcome("PUT /tax_details", { ...form, tax_number: "123-45-6789" });
  expect(saved).toEqual({ status: 200, body: { details } });
  app.setNow("2026-03-05T00:00:00.000Z");
  const renamed = { ...form, classification: "llc" };
  expect((await jane.outcome("PUT /tax_details", renamed)).body).toEqual({
    details: { ...details, ...renamed, signed_at: "2026-03-05T00:00:00.000Z" },
  });
  // A number of another form is not the number of this one.
  expect((await jane.outcome("PUT /tax_details", { ...form, form: "w8ben" })).status).toBe(422);
  const { form: kept, document } = (await storedTaxForm(app, jane.id))!;
  expect(kept.tax_number).toBe("123456789");
  expect(document).not.toContain("12345678");
  const log = await company(app, "GET /audit_log?filters[entity]=tax_details");
  expect(JSON.stringify(log.body)).not.toContain("12345678");
  await company(app, `POST /promoters/${jane.id}/erase`);
  expect(await storedTaxForm(app, jane.id)).toBeNull();
});
