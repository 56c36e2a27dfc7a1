import { parse } from "csv-parse/sync";
import { faultsOfPain001 } from "../../support/pain001.ts";
import { XMLParser } from "fast-xml-parser";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, startApp, type TestApp } from "../../support/app.ts";
import { addPayout, addPromoter, changeAccount, selectMethod } from "../../support/payouts.ts";
import { invalid, outcome, addCampaign } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";
import { IS_LONG } from "../../support/rounds.ts";

const IBAN = "DE89370400440532013000";
const DEBTOR = "debtor_iban=NL91ABNA0417164300";
const FORMULA = '=HYPERLINK("https://evil.example","Jane")';

let app: TestApp;
let account: RecordOf<"account">;
beforeEach(async () => {
  app = await startApp();
  account = await changeAccount(app.context, app.account_id, { currency: "EUR" });
});
afterEach(() => app.close());

/** A promoter with a payout of 120.00 with tax and a selected method. */
async function payee(
  names: { email: string; first_name?: string; last_name?: string },
  method: RecordOf<"payoutMethod">["method"],
  details: Record<string, unknown>,
): Promise<RecordOf<"promoter">> {
  const promoter = await addPromoter(app.context, account, names);
  await selectMethod(app.context, promoter, { method, details });
  await addPayout(app.context, promoter);
  return promoter;
}

const gather = async (method: string) =>
  expect((await app.v2("POST", "/payouts/create_payments_batch", { method })).status).toBe(201);

/** The file of a batch, by default the first one. */
async function file(format: string, query = "", batch = 1) {
  const path = `/api/v2/company/payments_batches/${batch}/file?format=${format}&${query}`;
  const response = await app.request(path, {
    headers: { authorization: `Bearer ${KEY}`, "account-id": "acme" },
  });
  return { response, text: await response.text() };
}

const refusal = (format: string, query = "", batch = 1) =>
  outcome(app.v2("GET", `/payments_batches/${batch}/file?format=${format}&${query}`));

describe("a file for PayPal", () => {
  it("has a line for each promoter: recipient, amount, currency, reference, note, wallet", async () => {
    const other = await addCampaign(app, { name: "Other" });
    const jane = await payee({ email: "jane@example.com" }, "paypal", {
      wallet_email: "jane@wallet.example",
    });
    await addPayout(app.context, jane, { campaign_id: other.id, amount: 5, total_incl_tax: 5 });
    await payee({ email: "joe@example.com" }, "paypal", { wallet_email: "+joe@wallet.example" });
    await gather("paypal");
    const { response, text } = await file("paypal");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="batch-1-paypal.csv"');
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(parse(text)).toEqual([
      ["jane@wallet.example", "120.05", "EUR", "BATCH-1-1", "Payout BATCH-1-1", "PAYPAL"],
      // A machine pays it, so the address stays as it is.
      ["+joe@wallet.example", "120.00", "EUR", "BATCH-1-2", "Payout BATCH-1-2", "PAYPAL"],
    ]);
  });
});

describe("a file for Wise", () => {
  it("pays by e-mail the exact amount", async () => {
    await payee({ email: "jane@example.com", first_name: "Jane" }, "wise", { wise_email: "-jane@w.example" });
    await changeAccount(app.context, app.account_id, { currency: "JPY" });
    await gather("wise");
    const { text } = await file("wise");
    expect(parse(text, { columns: true })).toEqual([
      {
        name: "Jane",
        recipientEmail: "-jane@w.example",
        paymentReference: "BATCH-1-1",
        receiverType: "PERSON",
        amountCurrency: "target",
        amount: "12000",
        sourceCurrency: "JPY",
        targetCurrency: "JPY",
      },
    ]);
  });
});

describe("a file that a machine reads", () => {
  const bank = { bank_country: "US", account_holder_name: "Jane", account_number: "1" };
  it.each<[RecordOf<"payoutMethod">["method"], string, Record<string, unknown>, string]>([
    ["paypal", "", { wallet_email: "=joe@w.example" }, "wallet_email is invalid"],
    ["paypal", "", { wallet_email: "joe@w.example;=1" }, "wallet_email is invalid"],
    ["paypal", "", {}, "wallet_email is missing"],
    ["wise", "", { wise_email: "@joe" }, "wise_email is invalid"],
    ["wise", FORMULA, { wise_email: "joe@w.example" }, "name would run as a formula in a spreadsheet"],
    ["bank", "", { ...bank, iban: "DE89370400440532013001" }, "iban is wrong"],
    ["bank", "", { ...bank, account_number: "=1" }, "account_number is invalid"],
    ["bank", "", { ...bank, city: "a;=1" }, "city would run as a formula in a spreadsheet"],
    ["bank", "", { ...bank, account_holder_name: "\t=1" }, "name would run as a formula in a spreadsheet"],
  ])(
    "for %s is refused if a text could be run or paid wrongly: %s %o",
    async (method, firstName, details, fault) => {
      await payee({ email: "joe@example.com", ...(firstName && { first_name: firstName }) }, method, details);
      await gather(method);
      expect(await refusal(method)).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining(`Payout methods are incomplete: promoter 1: ${fault}.`) },
      });
    },
  );
});

describe.runIf(IS_LONG)("a batch of more payments than a file may hold", () => {
  beforeEach(async () => {
    for (let number = 1; number <= 1_001; number++) {
      await payee({ email: `p${number}@example.com` }, "wise", { wise_email: `p${number}@w.example` });
    }
    await gather("wise");
  });

  const references = async (part: number) =>
    (parse((await file("wise", `part=${part}`)).text, { columns: true }) as Record<string, string>[]).map(
      (row) => row["paymentReference"],
    );
  const names = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => `BATCH-1-${from + at}`);

  it("has several files, and keeps everybody in the same one, whatever happens to others between two downloads", async () => {
    const message = "A wise file holds 1000 payments, so this batch needs 2 files: choose a part from 1 to 2";
    expect(await refusal("wise")).toEqual({
      status: 422,
      body: { message, code: "operation_failed" },
    });
    expect([await references(1), await references(2)]).toEqual([names(1, 1_000), names(1_001, 1_001)]);
    expect((await file("wise", "part=2")).response.headers.get("content-disposition")).toBe(
      'attachment; filename="batch-1-wise-2-of-2.csv"',
    );
    expect(await refusal("wise", "part=3")).toEqual(invalid({ part: ["is not from 1 to 2"] }));

    await app.v2("POST", "/payments_batches/1/pay", {});
    await app.v2("POST", "/payouts/mark_as_failed", { ids: [7] });
    const parts = [names(1, 1_000).filter((_, at) => at !== 6), names(1_001, 1_001)];
    expect([await references(1), await references(2)]).toEqual(parts);
    // A batch of an earlier release does not know where its parts begin.
    const batch = (await app.records.get("paymentsBatch", 1))!;
    const { part_starts: _, ...older } = batch;
    await app.records.put("paymentsBatch", older);
    expect([await references(1), await references(2)]).toEqual(parts);
    await app.records.put("paymentsBatch", batch);
    // A cancelled payout leaves the batch.
    await app.v2("POST", "/payouts/cancel", { ids: [7] });
    expect([await references(1), await references(2)]).toEqual(parts);
    await app.v2("POST", "/payouts/mark_as_paid", { ids: [1_001] });
    expect(await refusal("wise", "part=2")).toEqual({
      status: 422,
      body: { message: "Part 2 of the payments batch has nothing left to pay", code: "operation_failed" },
    });
  });
});

describe("a file for a bank", () => {
  it("has every detail of each account", async () => {
    const details = {
      bank_country: "US",
      account_holder_name: 'Jane "J", Doe\nLtd',
      account_number: "000123456789",
      routing_aba_number: "021000021",
    };
    await payee({ email: "jane@example.com" }, "bank", details);
    await changeAccount(app.context, app.account_id, { currency: "KWD" });
    await gather("bank");
    const [row, ...others] = parse((await file("bank")).text, { columns: true }) as Record<string, string>[];
    expect(others).toEqual([]);
    expect(row).toEqual({
      ...Object.fromEntries(Object.keys(row!).map((column) => [column, ""])),
      reference: "BATCH-1-1",
      name: 'Jane "J", Doe\nLtd',
      amount: "12.000",
      currency: "KWD",
      bank_country: "US",
      account_number: "000123456789",
      routing_aba_number: "021000021",
    });
  });
});

describe("a file for SEPA", () => {
  it("is a pain.001.001.09 that names accounts, amounts and references, without markup", async () => {
    const holder = '</Nm><Amt>9</Amt> Jürgen & "Søn" 🎉';
    const bank = { bank_country: "DE", account_holder_name: holder, iban: "de89 3704 0044 0532 0130 00" };
    await payee({ email: "jane@example.com" }, "bank", { ...bank, swift_bic_code: "COBADEFF" });
    await payee({ email: "joe@example.com" }, "bank", { ...bank, account_holder_name: "Joe" });
    await gather("bank");
    const { response, text } = await file(
      "sepa",
      `${DEBTOR}&debtor_bic=ABNANL2A&debtor_name=Acme%20%26%20Co`,
    );
    expect(response.headers.get("content-type")).toBe("application/xml; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="batch-1-sepa.xml"');
    const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false });
    const transfer = (id: number, name: string, agent: object) => ({
      PmtId: { EndToEndId: `BATCH-1-${id}` },
      Amt: { InstdAmt: { "#text": "120.00", "@_Ccy": "EUR" } },
      ...agent,
      Cdtr: { Nm: name },
      CdtrAcct: { Id: { IBAN } },
      RmtInf: { Ustrd: `Payout BATCH-1-${id}` },
    });
    const sums = { NbOfTxs: "2", CtrlSum: "240.00" };
    expect(parser.parse(text)).toEqual({
      "?xml": { "@_version": "1.0", "@_encoding": "UTF-8" },
      Document: {
        "@_xmlns": "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09",
        CstmrCdtTrfInitn: {
          GrpHdr: {
            MsgId: expect.stringMatching(/^[0-9a-f]{32}$/),
            CreDtTm: "2026-03-04T05:06:07Z",
            ...sums,
            InitgPty: { Nm: "Acme Co" },
          },
          PmtInf: {
            PmtInfId: "BATCH-1-F1-1",
            PmtMtd: "TRF",
            BtchBookg: "true",
            ...sums,
            PmtTpInf: { SvcLvl: { Cd: "SEPA" } },
            ReqdExctnDt: { Dt: "2026-03-04" },
            Dbtr: { Nm: "Acme Co" },
            DbtrAcct: { Id: { IBAN: "NL91ABNA0417164300" } },
            DbtrAgt: { FinInstnId: { BICFI: "ABNANL2A" } },
            ChrgBr: "SLEV",
            CdtTrfTxInf: [
              transfer(1, "/Nm Amt 9 /Amt Juergen Son", {
                CdtrAgt: { FinInstnId: { BICFI: "COBADEFF" } },
              }),
              transfer(2, "Joe", {}),
            ],
          },
        },
      },
    });
    expect(faultsOfPain001(text)).toEqual([]);
    // The second download has the account of the first, even if it names another.
    expect((await file("sepa", DEBTOR)).text).toBe(text);
  });

  it("needs the company's own account, euros, and an IBAN of everybody", async () => {
    const jane = await payee({ email: "jane@example.com" }, "bank", {
      bank_country: "DE",
      account_holder_name: "Jane",
      iban: "DE89370400440532013001",
    });
    await gather("bank");
    expect(await refusal("sepa", DEBTOR)).toEqual({
      status: 422,
      body: {
        message: `Payout methods are incomplete: promoter ${jane.id}: iban is missing or wrong. A batch keeps its payout methods, so correct them and make a new batch`,
        code: "operation_failed",
      },
    });
    await app.v2("PUT", "/payout_methods/1", {
      details: { bank_country: "DE", account_holder_name: "Jane", iban: IBAN },
    });
    await app.v2("DELETE", "/payments_batches/1");
    await gather("bank");
    for (const query of ["", "debtor_iban=NL91ABNA0417164301"]) {
      expect(await refusal("sepa", query, 2)).toMatchObject({
        status: 422,
        body: { code: "invalid_params", errors: { debtor_iban: ["is missing or wrong"] } },
      });
    }
    expect(await refusal("sepa", `${DEBTOR}&debtor_bic=NO`, 2)).toMatchObject({
      body: { errors: { debtor_bic: ["is invalid"] } },
    });
    await changeAccount(app.context, app.account_id, { currency: "USD" });
    expect(await refusal("sepa", DEBTOR, 2)).toMatchObject({
      status: 422,
      body: { message: "SEPA pays euros, and the account's currency is USD" },
    });
  });
});

describe("a file", () => {
  beforeEach(async () => {
    await payee({ email: "jane@example.com" }, "wise", { wise_email: "jane@w.example" });
    await gather("wise");
  });

  it("leaves out what is paid already", async () => {
    await app.v2("POST", "/payments_batches/1/pay", {});
    expect((await file("wise")).response.status).toBe(200);
    await app.v2("POST", "/payouts/mark_as_paid", { ids: [1] });
    expect(await refusal("wise")).toEqual({
      status: 422,
      body: { message: "The payments batch has nothing left to pay", code: "operation_failed" },
    });
  });

  it.each([
    ["paypal", 422, { message: "A batch of wise payments has no paypal file", code: "operation_failed" }],
    [
      "xls",
      422,
      {
        message: "Validation failed: format is not one of paypal, wise, sepa, pain001, nacha, bank",
        code: "invalid_params",
        errors: { format: ["is not one of paypal, wise, sepa, pain001, nacha, bank"] },
      },
    ],
  ])("is refused in the format %s", async (format, status, body) => {
    expect(await refusal(format)).toEqual({ status, body });
  });

  it("is not found for an unknown batch", async () => {
    const answer = await outcome(app.v2("GET", "/payments_batches/7/file?format=wise"));
    expect(answer).toEqual({
      status: 404,
      body: { message: "Payments batch not found.", code: "not_found" },
    });
  });
});
