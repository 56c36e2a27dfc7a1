import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import {
  addSupplier,
  agreeTo,
  INVOICING,
  runDrafts,
  runInvoices,
  turnInvoicesOn,
} from "../../support/invoices.ts";
import { addPayout, movePayout } from "../../support/payouts.ts";
import type { RecordOf } from "../../support/records.ts";
import { company, outcome } from "../../support/v2.ts";

const LATER = "2026-03-04T05:20:00.000Z";

/** The invoice of one payout of 100.00 with 20 % tax. */
const INVOICE = {
  id: 1,
  number: "AFF-2026-000001",
  date: "2026-03-04",
  total: 10_000,
  total_incl_tax: 12_000,
  tax_rate: 20,
  pdf_url: "https://track.acme.example/api/v2/company/invoices/1/pdf",
  status: "paid",
  kind: "invoice",
  currency: "USD",
  payout_ids: [1],
  credit_note_id: null,
  credited_invoice_id: null,
  promoter: { id: 1, email: "jane@example.com", name: "Jane Doe" },
  created_at: LATER,
};

const HTML = `<h1>Self-billing invoice</h1>
<table class="plain">
  <tr><td>Number</td><td>AFF-2026-000001</td></tr>
  <tr><td>Date</td><td>2026-03-04</td></tr>
</table>
<table class="plain">
  <tr><td><strong>Supplier</strong></td><td><strong>Customer</strong></td></tr>
  <tr><td>Jane Doe<br>Hauptstr. 1, Berlin<br>Germany</td><td>Acme Ltd<br>1 Main Street<br>Dublin<br>Ireland</td></tr>
  <tr><td>VAT ID DE123456789</td><td>VAT ID IE1234567A</td></tr>
</table>
<h2>Commissions for referrals</h2>
<table>
  <tr><th>Payout</th><th>Campaign</th><th>Period</th><th class="right">Amount</th></tr>
  <tr><td>1</td><td>Default campaign</td><td>2026-01-01 to 2026-01-31</td><td class="right">$100.00</td></tr>
</table>
<table class="plain">
  <tr><td class="right">Net amount</td><td class="right">$100.00</td></tr>
  <tr><td class="right">Tax, 20 %</td><td class="right">$20.00</td></tr>
  <tr><td class="right"><strong>Total</strong></td><td class="right"><strong>$120.00</strong></td></tr>
</table>
<p class="small">Written by Acme Ltd in the name of Jane Doe, who agreed to it on 2026-03-04 (version 1 of the agreement).</p>
`;

describe.each(STORAGES)("invoices on %s", (storage) => {
  let app: TestApp;
  let jane: RecordOf<"promoter">;
  beforeEach(async () => {
    app = await startApp(storage);
    jane = await addSupplier(app);
    await turnInvoicesOn(app);
    await agreeTo(app, jane);
  });
  afterEach(() => app.close());

  const invoices = async (query = "") => {
    const { body } = await company(app, `GET /invoices${query}`);
    return (body as { data: { invoices: Record<string, unknown>[] } }).data.invoices;
  };
  const errorsOf = async (request: string, ids: number[]) => {
    const { status, body } = await company(app, request, { ids });
    expect(status).toBe(200);
    return (body as { processing_errors: string[] }).processing_errors;
  };
  const pay = async (count = 1, changes: Parameters<typeof addPayout>[2] = {}) => {
    app.setNow(NOW);
    for (let at = 0; at < count; at++) {
      const { id } = await addPayout(app.context, jane, changes);
      await movePayout(app, { id, to: "completed" });
    }
    app.setNow(LATER);
    await runInvoices(app);
  };

  it("writes an invoice ten minutes after a payment, and keeps it as it was sent", async () => {
    const { id } = await addPayout(app.context, jane);
    await movePayout(app, { id, to: "completed" });
    await runInvoices(app);
    expect(await invoices()).toEqual([]);
    app.setNow(LATER);
    await runInvoices(app);
    await runInvoices(app);
    expect(await invoices()).toEqual([INVOICE]);
    const before = await company(app, "GET /invoices/1");
    expect(before.body).toEqual({
      ...INVOICE,
      payouts: [expect.objectContaining({ id: 1, status: "completed", amount: 10_000 })],
      html: HTML,
      missing: [],
      warnings: [],
    });
    await turnInvoicesOn(app, { legal_name: "Acme Holding", prefix: "INV" });
    await company(app, "PUT /invoices/custom_template", { html: "<p>{{number}}</p>" });
    expect((await company(app, "GET /invoices/1")).body).toEqual(before.body);
  });

  it("puts what is paid together on one invoice for each tax rate", async () => {
    await pay(2);
    await pay(1, { tax_rate_hundredths: 0, total_incl_tax: 10_000 });
    await pay(1, { unit: "credits" });
    expect(await invoices()).toMatchObject([
      {
        id: 2,
        number: "AFF-2026-000002",
        payout_ids: [3],
        total: 10_000,
        total_incl_tax: 10_000,
        tax_rate: 0,
      },
      { id: 1, number: "AFF-2026-000001", payout_ids: [1, 2], total: 20_000, total_incl_tax: 24_000 },
    ]);
  });

  it("leaves a draft that lacks something, and says what", async () => {
    await company(app, "PUT /invoicing", { agreement: "A new text" });
    await company(app, "PUT /promoters/1", { profile: { address: "", country: "France" } });
    await pay();
    expect(await invoices()).toEqual([
      { ...INVOICE, number: null, date: null, pdf_url: null, status: "draft" },
    ]);
    const missing = [
      "The promoter has not agreed to version 2 of the agreement",
      "The promoter's address is not known",
      "The promoter's country must be the two-letter code of a country, such as DE",
    ];
    expect((await company(app, "GET /invoices/1")).body).toMatchObject({ number: null, missing });
    expect(await errorsOf("POST /invoices/finalize", [1, 9])).toEqual([
      `1: ${missing.join(". ")}.`,
      "9: Invoice not found.",
    ]);
    await company(app, "PUT /promoters/1", { profile: { address: "Rue 1", country: "FR", vat_id: "" } });
    await agreeTo(app, jane, 2);
    expect(await errorsOf("POST /invoices/finalize", [1])).toEqual([
      "1: The promoter has no VAT number and no registration number.",
    ]);
    await company(app, "PUT /promoters/1", { profile: { vat_id: "FR12123456789" } });
    expect(await errorsOf("POST /invoices/finalize", [1])).toEqual([]);
    expect(await invoices()).toEqual([INVOICE]);
    expect(await errorsOf("POST /invoices/finalize", [1])).toEqual([
      "1: Invoice AFF-2026-000001 is paid, and only drafts can be finalized",
    ]);
  });

  it("finalizes drafts by itself once nothing is missing, if the company wants that", async () => {
    await company(app, "PUT /promoters/1", { profile: { address: "" } });
    await pay();
    const statuses = async () => ((await invoices()) as { status: string }[]).map(({ status }) => status);
    await company(app, "PUT /promoters/1", { profile: { address: "Hauptstr. 1, Berlin" } });
    await runDrafts(app);
    expect(await statuses()).toEqual(["draft"]);
    await company(app, "PUT /invoicing", { finalizes_drafts: true });
    await company(app, "PUT /promoters/1", { profile: { address: "" } });
    await runDrafts(app);
    expect(await statuses()).toEqual(["draft"]);
    await company(app, "PUT /promoters/1", { profile: { address: "Hauptstr. 1, Berlin" } });
    // What came back is not paid.
    await movePayout(app, { id: 1, to: "pending" });
    await runDrafts(app);
    expect(await statuses()).toEqual(["draft"]);
    await movePayout(app, { id: 1, to: "completed" });
    await runDrafts(app);
    await runDrafts(app);
    expect(await invoices()).toEqual([INVOICE]);
  });

  it("voids an invoice by a credit note of the same series, after which its payouts may be invoiced again", async () => {
    await pay();
    await company(app, "PUT /promoters/1", { profile: { first_name: "Joan" } });
    expect(await errorsOf("POST /invoices/void", [1])).toEqual([]);
    expect(await invoices()).toMatchObject([
      {
        id: 2,
        kind: "credit_note",
        number: "AFF-2026-000002",
        status: "paid",
        total: -10_000,
        total_incl_tax: -12_000,
        credited_invoice_id: 1,
      },
      { id: 1, status: "voided", credit_note_id: 2, total: 10_000 },
    ]);
    const { html } = (await company(app, "GET /invoices/2")).body as { html: string };
    expect(html).toContain("<td>Cancels invoice</td><td>AFF-2026-000001</td>");
    expect(html).toContain('<td class="right">-$100.00</td>');
    expect(html).toContain("Jane Doe");
    expect(await errorsOf("POST /invoices/void", [1, 2])).toEqual([
      "1: Invoice AFF-2026-000001 is voided already",
      "2: A credit note can't be voided",
    ]);
    expect(await errorsOf("POST /invoices", [1, 7])).toEqual(["7: Payout not found."]);
    expect(await errorsOf("POST /invoices", [1])).toEqual([
      "1: Invoice AFF-2026-000003 is about this payout. Void it first",
    ]);
    expect((await invoices())[0]).toMatchObject({
      number: "AFF-2026-000003",
      promoter: { name: "Joan Doe" },
    });
  });

  it("deletes drafts only", async () => {
    await pay();
    await company(app, "PUT /promoters/1", { profile: { address: "" } });
    await pay();
    expect(await errorsOf("DELETE /invoices/destroy", [1, 2])).toEqual([
      "1: Invoice AFF-2026-000001 has a number, so it stays. Void it instead",
    ]);
    expect((await invoices()).map(({ id }) => id)).toEqual([1]);
    expect(await errorsOf("POST /invoices/void", [2])).toEqual(["2: Invoice not found."]);
  });

  it("an invoice is open while a payout has come back, and the payout stays as it is", async () => {
    await pay();
    await movePayout(app, { id: 1, to: "pending" });
    expect((await invoices("?filters[status]=open")).map(({ id }) => id)).toEqual([1]);
    await expect(movePayout(app, { id: 1, to: "cancelled" })).rejects.toThrow(
      "Invoice AFF-2026-000001 is about this payout. Void it first",
    );
    await movePayout(app, { id: 1, to: "completed" });
    expect(await invoices()).toEqual([INVOICE]);
    // A payout that comes back before its invoice gets none.
    const { id } = await addPayout(app.context, jane);
    await movePayout(app, { id, to: "completed" });
    await movePayout(app, { id, to: "pending" });
    app.setNow("2026-03-05T00:00:00.000Z");
    await runInvoices(app);
    expect(await invoices()).toHaveLength(1);
  });

  it("begins a new series with each year, in the account's time zone", async () => {
    await company(app, "PUT /account", { time_zone: "Asia/Tokyo" });
    await pay();
    app.setNow("2026-12-31T14:59:00.000Z");
    await addPayout(app.context, jane, { status: "completed" });
    await company(app, "POST /invoices", { ids: [2] });
    app.setNow("2026-12-31T15:00:00.000Z");
    await addPayout(app.context, jane, { status: "completed" });
    await company(app, "POST /invoices", { ids: [3] });
    expect((await invoices()).map(({ number, date }) => [number, date])).toEqual([
      ["AFF-2027-000001", "2027-01-01"],
      ["AFF-2026-000002", "2026-12-31"],
      ["AFF-2026-000001", "2026-03-04"],
    ]);
  });

  it("draws each number once, however many finalize and void at the same moment", async () => {
    for (let at = 0; at < 12; at++) await addPayout(app.context, jane, { status: "completed" });
    const ids = Array.from({ length: 12 }, (_, at) => at + 1);
    await Promise.all(ids.map((id) => company(app, "POST /invoices", { ids: [id] })));
    await Promise.all([
      ...ids.slice(0, 6).map((id) => company(app, "POST /invoices/void", { ids: [id] })),
      ...ids.slice(0, 6).map((id) => company(app, "POST /invoices/void", { ids: [id] })),
    ]);
    const numbers = (await invoices("?per_page=100")).map(({ number }) => number).toSorted();
    expect(numbers).toEqual(
      Array.from({ length: 18 }, (_, at) => `AFF-2026-${String(at + 1).padStart(6, "0")}`),
    );
  });

  it("lists by promoter and status, and shows the list as a table", async () => {
    await pay();
    const { body } = await company(app, "GET /invoices?filters[promoter_id]=1&filters[status]=paid");
    expect(body).toEqual({
      data: {
        html: `<table>
  <tr><th>Number</th><th>Date</th><th>Promoter</th><th>Status</th><th>Total</th></tr>
  <tr><td>AFF-2026-000001</td><td>2026-03-04</td><td>Jane Doe</td><td>paid</td><td>$120.00</td></tr>
</table>
`,
        invoices: [INVOICE],
      },
    });
    expect(await invoices("?filters[promoter_id]=2")).toEqual([]);
    expect(await invoices("?filters[status]=voided")).toEqual([]);
    expect((await company(app, "GET /invoices?filters[status]=lost")).status).toBe(422);
  });

  it("shows the settings, and refuses what no invoice can say", async () => {
    expect((await company(app, "GET /invoicing")).body).toEqual(INVOICING);
    expect(await outcome(company(app, "PUT /invoicing", { country: "QQ" }))).toEqual({
      status: 422,
      body: {
        message: "Validation failed: country must be the two-letter code of a country, such as DE",
        code: "invalid_params",
        errors: { country: ["must be the two-letter code of a country, such as DE"] },
      },
    });
    // A form sends all its fields. An empty one that an invoice needs stays as it was.
    expect((await company(app, "PUT /invoicing", { legal_name: "", tax_number: "" })).body).toEqual(
      INVOICING,
    );
    expect(await outcome(company(app, "PUT /invoicing", { vat_id: "IE12", prefix: "A B" }))).toMatchObject({
      status: 422,
      body: {
        errors: {
          vat_id: ["is not a VAT number of Ireland, which begins with IE"],
          prefix: ["may have 1 to 12 letters, digits, - and /"],
        },
      },
    });
    expect((await company(app, "GET /invoicing")).body).toEqual(INVOICING);
  });

  it("previews an invoice without making one", async () => {
    await addPayout(app.context, jane, { status: "completed" });
    await addPayout(app.context, jane, { status: "completed" });
    const html = async (query: string) =>
      ((await company(app, `GET /invoices/preview?promoter_id=1${query}`)).body as { data: { html: string } })
        .data.html;
    expect(await html("")).toContain("<strong>$240.00</strong>");
    expect(await html("&payout_ids[]=2")).toContain("<strong>$120.00</strong>");
    expect((await company(app, "GET /invoices/preview?promoter_id=1&payout_ids[]=9")).status).toBe(404);
    expect((await company(app, "GET /invoices/preview?promoter_id=9")).status).toBe(404);
    expect(await invoices()).toEqual([]);
  });

  it("keeps invoices when their promoter is erased", async () => {
    await pay();
    await company(app, "POST /promoters/1/erase");
    const { html } = (await company(app, "GET /invoices/1")).body as { html: string };
    expect(html).toBe(HTML);
  });
});
