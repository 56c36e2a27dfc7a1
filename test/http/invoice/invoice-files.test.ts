import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Language } from "../../../server/languages/languages.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { addSupplier, agreeTo, nameCompany, turnInvoicesOn } from "../../support/invoices.ts";
import { addPayout, changeAccount } from "../../support/payouts.ts";
import { pdfLines } from "../../support/pdf-text.ts";
import type { RecordOf } from "../../support/records.ts";
import { company, outcome } from "../../support/v2.ts";

let app: TestApp;
let jane: RecordOf<"promoter">;
beforeEach(async () => {
  app = await startApp();
  jane = await addSupplier(app);
  await turnInvoicesOn(app);
  await agreeTo(app, jane);
});
afterEach(() => app.close());

const invoice = async () => {
  const { id } = await addPayout(app.context, jane, { status: "completed" });
  await company(app, "POST /invoices", { ids: [id] });
};

/** A file of the API, with its headers. */
const download = async (path: string) => {
  const answer = await app.request(`/api/v2/company${path}`, {
    headers: { authorization: "Bearer key-of-acme", "account-id": "acme" },
  });
  const { status, headers } = answer;
  return { status, headers, bytes: Buffer.from(await answer.arrayBuffer()) };
};

it("downloads an invoice as a PDF file, always the same bytes", async () => {
  await invoice();
  const first = await download("/invoices/1/pdf");
  expect(first.status).toBe(200);
  expect(first.headers.get("content-type")).toBe("application/pdf");
  expect(first.headers.get("content-disposition")).toBe('attachment; filename="AFF-2026-000001.pdf"');
  expect(first.bytes.subarray(0, 5).toString()).toBe("%PDF-");
  await company(app, "PUT /promoters/1", { profile: { first_name: "Joan" } });
  app.setNow("2027-01-01T00:00:00.000Z");
  expect((await download("/invoices/1/pdf")).bytes.equals(first.bytes)).toBe(true);
});

describe("the name on a PDF file", () => {
  it.each([
    ["in Arabic", "محمد علي Trading", "Trading علي محمد"],
    ["in Arabic with numbers and brackets", "شركة النور (ذ.م.م) ٤٢", "٤٢ (م.م.ذ) النور شركة"],
    ["in simplified Chinese", "张伟 Trading 有限公司", "张伟 Trading 有限公司"],
    ["in traditional Chinese, with a rare letter", "陳堃喆 & Co", "陳堃喆 & Co"],
    ["in Japanese", "株式会社アクメ 山﨑 Ltd", "株式会社アクメ 山﨑 Ltd"],
    ["in Korean", "김철수 & Söhne", "김철수 & Söhne"],
    ["in Thai", "สมชาย ใจดี Co.", "สมชาย ใจดี Co."],
    // The vowel i stands on the left of its letter, and the first r above the last one.
    ["in Devanagari", "राम प्रिया शर्मा Ltd", "राम िप्रया शमार् Ltd"],
    ["in Hebrew, letter by letter from the right", "שלום Acme", "Acme םולש"],
    ["in several", "Jane Сергей Παπάς 王 김", "Jane Сергей Παπάς 王 김"],
    ["without its picture", "Jane 🎉Doe", "Jane Doe"],
  ])("stays whole %s", async (_, name, printed) => {
    await nameCompany(app, jane, name);
    await invoice();
    const { bytes } = await download("/invoices/1/pdf");
    expect(pdfLines(bytes)).toContain(`${printed}Acme Ltd`);
  });

  it("is Latin as a whole if a letter of it is in none of the fonts", async () => {
    await nameCompany(app, jane, "Zoë தமிழ் Сергей");
    await invoice();
    expect(pdfLines((await download("/invoices/1/pdf")).bytes)).toContain("Zoë tmil SergeyAcme Ltd");
  });
});

describe("the language of an invoice", () => {
  const speak = (promoterLanguage: Language) =>
    changeAccount(app.context, app.account_id, { promoter_language: promoterLanguage });
  const htmlOf = async (id: number) =>
    ((await company(app, `GET /invoices/${id}`)).body as { html: string }).html;

  it.each([
    ["en", "Self-billing invoice", "Self-billing credit note"],
    ["de", "Gutschrift", "Stornierung einer Gutschrift"],
    ["fr", "Facture (autofacturation)", "Avoir (autofacturation)"],
    [
      "es",
      "Factura (facturación por el destinatario)",
      "Factura rectificativa (facturación por el destinatario)",
    ],
    ["pt", "Fatura (autofaturação)", "Nota de crédito (autofaturação)"],
    ["ja", "仕入明細書（セルフビリング）", "取消明細書（セルフビリング）"],
    ["he", "חשבונית עצמית", "זיכוי לחשבונית עצמית"],
  ] as const)("is %s for an account that writes to promoters in it: %s", async (language, ...titles) => {
    await speak(language);
    await invoice();
    // A credit note is in the language of its invoice.
    await speak(language === "en" ? "de" : "en");
    await company(app, "POST /invoices/void", { ids: [1] });
    for (const [at, title] of titles.entries()) {
      const html = await htmlOf(at + 1);
      expect(html).toContain(`<h1>${title}</h1>`);
      expect(html).not.toMatch(language === "en" ? /Nummer/ : /Number|Supplier|Germany|Tax|agreed/);
      // The longest one has two lines.
      const heading = pdfLines((await download(`/invoices/${at + 1}/pdf`)).bytes)
        .slice(0, 2)
        .join(" ");
      expect(heading).toContain(language === "he" ? [...title].toReversed().join("") : title);
    }
  });

  it("is that of the usual template, too", async () => {
    await speak("de");
    await invoice();
    expect(await htmlOf(1)).toBe(GERMAN);
    expect(await outcome(company(app, "GET /invoices/template"))).toMatchObject({
      body: { data: { html: expect.stringContaining("<td>Nummer</td><td>{{number}}</td>") } },
    });
  });
});

const GERMAN = `<h1>Gutschrift</h1>
<table class="plain">
  <tr><td>Nummer</td><td>AFF-2026-000001</td></tr>
  <tr><td>Datum</td><td>2026-03-04</td></tr>
</table>
<table class="plain">
  <tr><td><strong>Leistender</strong></td><td><strong>Leistungsempfänger</strong></td></tr>
  <tr><td>Jane Doe<br>Hauptstr. 1, Berlin<br>Deutschland</td><td>Acme Ltd<br>1 Main Street<br>Dublin<br>Irland</td></tr>
  <tr><td>USt-IdNr. DE123456789</td><td>USt-IdNr. IE1234567A</td></tr>
</table>
<h2>Provisionen für Vermittlungen</h2>
<table>
  <tr><th>Auszahlung</th><th>Kampagne</th><th>Zeitraum</th><th class="right">Betrag</th></tr>
  <tr><td>1</td><td>Default campaign</td><td>2026-01-01 bis 2026-01-31</td><td class="right">$100.00</td></tr>
</table>
<table class="plain">
  <tr><td class="right">Nettobetrag</td><td class="right">$100.00</td></tr>
  <tr><td class="right">Steuer, 20 %</td><td class="right">$20.00</td></tr>
  <tr><td class="right"><strong>Gesamtbetrag</strong></td><td class="right"><strong>$120.00</strong></td></tr>
</table>
<p class="small">Ausgestellt von Acme Ltd im Namen von Jane Doe mit Zustimmung vom 2026-03-04 (Fassung 1 der Vereinbarung).</p>
`;

it("has no file for a draft", async () => {
  await company(app, "PUT /promoters/1", { profile: { address: "" } });
  await invoice();
  expect(await outcome(company(app, "GET /invoices/1/pdf"))).toEqual({
    status: 422,
    body: { message: "Draft invoice 1 has no PDF file before it is finalized", code: "operation_failed" },
  });
  expect((await company(app, "GET /invoices/2/pdf")).status).toBe(404);
});

it("exports all invoices as a CSV file, and logs it", async () => {
  await invoice();
  await company(app, "POST /invoices/void", { ids: [1] });
  const { status, body, headers } = await company(app, "GET /invoices/export?filters[promoter_id]=1");
  expect(status).toBe(200);
  expect(headers.get("content-disposition")).toBe('attachment; filename="invoices-2026-03-04.csv"');
  expect(body).toBe(
    [
      "id,number,kind,status,date,promoter_id,promoter_email,promoter_name,total,tax_rate_percent,tax,total_incl_tax,currency,payout_ids,credit_note_id,credited_invoice_id,created_at",
      "1,AFF-2026-000001,invoice,voided,2026-03-04,1,jane@example.com,Jane Doe,100.00,20,20.00,120.00,USD,1,2,,2026-03-04T05:06:07.890Z",
      "2,AFF-2026-000002,credit_note,paid,2026-03-04,1,jane@example.com,Jane Doe,-100.00,20,-20.00,-120.00,USD,1,,1,2026-03-04T05:06:07.890Z",
      "",
    ].join("\r\n"),
  );
  const log = await company(app, "GET /audit_log?filters[action]=exported");
  expect(log.body).toMatchObject([{ entity: "invoice", action: "exported" }]);
});

it("names the address of a ZIP file, which other programs can read", async () => {
  await invoice();
  await invoice();
  await company(app, "PUT /promoters/1", { profile: { address: "" } });
  await invoice();
  expect(await outcome(company(app, "GET /invoices/export_zip"))).toEqual({
    status: 202,
    body: {
      message:
        "The ZIP file with 2 invoices is at https://track.acme.example/api/v2/company/invoices/zip. It is made while you download it.",
    },
  });
  const { headers, bytes } = await download("/invoices/zip");
  expect(headers.get("content-type")).toBe("application/zip");
  const folder = mkdtempSync(join(tmpdir(), "invoices-"));
  writeFileSync(join(folder, "all.zip"), bytes);
  const script =
    "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); z.testzip() and sys.exit(1); print(z.namelist())";
  const names = execFileSync("python3", ["-c", script, join(folder, "all.zip")], { encoding: "utf8" });
  expect(names.trim()).toBe("['AFF-2026-000001.pdf', 'AFF-2026-000002.pdf']");
  expect(bytes.includes((await download("/invoices/2/pdf")).bytes)).toBe(true);
});

describe("the template", () => {
  const saved = (html: string) => outcome(company(app, "PUT /invoices/custom_template", { html }));

  it("is the company's, with the values of the invoice", async () => {
    const html = '<h2>{{ number }}</h2>\n<p class="small">To {{promoter.name}} &amp; {{total}}</p>\n';
    expect(await saved(html)).toEqual({ status: 200, body: { data: { html: html.trim() } } });
    await invoice();
    const { body } = await company(app, "GET /invoices/1");
    expect(body).toMatchObject({
      html: '<h2>AFF-2026-000001</h2>\n<p class="small">To Jane Doe &amp; $100.00</p>\n',
    });
    expect((await company(app, "GET /invoices/template")).body).toEqual({ data: { html: html.trim() } });
    expect((await download("/invoices/1/pdf")).status).toBe(200);
  });

  it("is filled in whole, however long the invoice becomes", async () => {
    const html = `<p>${"&".repeat(40_000)}</p>`;
    expect((await saved(html)).status).toBe(200);
    await invoice();
    expect((await company(app, "GET /invoices/1")).body).toMatchObject({
      html: `<p>${"&amp;".repeat(40_000)}</p>\n`,
    });
    expect((await download("/invoices/1/pdf")).status).toBe(200);
    expect((await download("/invoices/zip")).status).toBe(200);
  });

  it("shows a sample, with and without tax", async () => {
    const html = "<p>{{tax_rate}} {{reverse_charge}}</p>";
    const shown = async (vat_invoice: boolean) =>
      (await company(app, "POST /invoices/preview_template", { html, vat_invoice })).body;
    expect(await shown(true)).toEqual({ data: { html: "<p>19 </p>\n" } });
    expect(await shown(false)).toEqual({
      data: {
        html: "<p>0 Reverse charge: the customer owes the value added tax (articles 44 and 196 of Directive 2006/112/EC).</p>\n",
      },
    });
  });

  it.each([
    ["<script>alert(1)</script>", "has <script>, which is not allowed"],
    ["<p>a<img src=x onerror=alert(1)></p>", "has HTML that is not allowed"],
    ['<p onclick="alert(1)">a</p>', 'has onclick="alert(1)" on <p>, which is not allowed'],
    ['<p style="color:red">a</p>', 'has style="color:red" on <p>, which is not allowed'],
    ['<p class="huge">a</p>', 'has class="huge" on <p>, which is not allowed'],
    ["<iframe></iframe>", "has <iframe>, which is not allowed"],
    ['<a href="javascript:alert(1)">a</a>', "has <a>, which is not allowed"],
    ["<!doctype html><p>a</p>", "has HTML that is not allowed"],
    ["<svg/onload=alert(1)>", "has HTML that is not allowed"],
    ["<p>a", "has no </p>"],
    ["<p><p>a</p></p>", "has <p> where it is not allowed"],
    ["a", "has text outside of <p>, <h1>, <h2>, <th> and <td>: a"],
    ["<table><tr><p>a</p></tr></table>", "has <p> where it is not allowed"],
    ["<p>{{secret}}</p>", "has the unknown placeholder {{secret}}"],
    ["<p>{{constructor}}</p>", "has the unknown placeholder {{constructor}}"],
    ["<p>{{payout.id}}</p>", "has the unknown placeholder {{payout.id}}"],
    ['<p data-if="__proto__">a</p>', 'has the unknown condition "__proto__"'],
    ['<table><tr data-each="toString"><td>a</td></tr></table>', 'has the unknown list "toString"'],
    [
      `<table>${'<tr data-each="payouts"><td>a</td></tr>'.repeat(11)}</table>`,
      "may have data-each at most 10 times",
    ],
  ])("refuses %s", async (html, fault) => {
    for (const request of ["PUT /invoices/custom_template", "POST /invoices/preview_template"]) {
      const { status, body } = await outcome(company(app, request, { html }));
      expect(status).toBe(422);
      const [words] = (body as { errors: { html: string[] } }).errors.html;
      expect(words).toContain(fault);
    }
    expect(app.bugs).toEqual([]);
  });

  it("shows hostile values as text", async () => {
    await nameCompany(app, jane, "<script>alert(1)</script>{{total}} &copy; $& \u202e");
    await company(app, "PUT /invoices/custom_template", { html: "<p>{{promoter.name}}</p>" });
    await invoice();
    const { body } = await company(app, "GET /invoices/1");
    expect(body).toMatchObject({
      html: "<p>&lt;script&gt;alert(1)&lt;/script&gt;{{total}} &amp;copy; $&amp; \u202e</p>\n",
    });
    expect((await download("/invoices/1/pdf")).status).toBe(200);
  });
});
