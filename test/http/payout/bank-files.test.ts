import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, startApp, type TestApp } from "../../support/app.ts";
import { readAch } from "../../support/nacha.ts";
import { faultsOfPain001 } from "../../support/pain001.ts";
import { addPayout, addPromoter, changeAccount, selectMethod } from "../../support/payouts.ts";
import type { RecordOf } from "../../support/records.ts";
import { company, invalid, outcome } from "../../support/v2.ts";

const IBAN = "DE89370400440532013000";
const OWN = { name: "Acme Ltd", iban: "NL91 ABNA 0417 1643 00", bic: "abnanl2a" };
const ACH = { routing_number: "091000019", bank_name: "Wells Fargo", company_id: "1123456789" };
const UNSET = {
  name: null,
  iban: null,
  bic: null,
  street: null,
  postal_code: null,
  city: null,
  country: null,
  routing_number: null,
  bank_name: null,
  company_id: null,
  character_set: null,
};

let app: TestApp;
let account: RecordOf<"account">;
beforeEach(async () => {
  app = await startApp();
  account = await changeAccount(app.context, app.account_id, { currency: "EUR" });
});
afterEach(() => app.close());

async function payee(email: string, details: Record<string, unknown>, amount = 12_000): Promise<void> {
  const promoter = await addPromoter(app.context, account, { email });
  await selectMethod(app.context, promoter, { method: "bank", details });
  await addPayout(app.context, promoter, { amount, total_incl_tax: amount });
}

const german = (holder: string) => ({ bank_country: "DE", account_holder_name: holder, iban: IBAN });
const gather = () => company(app, "POST /payouts/create_payments_batch", { method: "bank" });
const refusal = (query: string) => outcome(company(app, `GET /payments_batches/1/file?${query}`));

async function text(query: string): Promise<string> {
  const headers = { authorization: `Bearer ${KEY}`, "account-id": "acme" };
  const answer = await app.request(`/api/v2/company/payments_batches/1/file?${query}`, { headers });
  expect(answer.status).toBe(200);
  return answer.text();
}

const valuesOf = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<${name}[^>]*>([^<]*)</${name}>`, "g"))].map(([, value]) => value);

describe("the company's bank account", () => {
  it("is not set at first, and is changed field by field", async () => {
    expect(await outcome(company(app, "GET /bank_account"))).toEqual({ status: 200, body: UNSET });
    const set = { ...UNSET, name: "Acme Ltd", iban: "NL91ABNA0417164300", bic: "ABNANL2A" };
    expect(await outcome(company(app, "PUT /bank_account", OWN))).toEqual({ status: 200, body: set });
    expect(await outcome(company(app, "PUT /bank_account", { ...ACH, bic: "" }))).toEqual({
      status: 200,
      body: { ...set, ...ACH, bic: null },
    });
  });

  it("has right check digits", async () => {
    const wrong = {
      iban: "NL91ABNA0417164301",
      bic: "NO",
      country: "1",
      routing_number: "091000018",
      company_id: "1",
    };
    expect(await outcome(company(app, "PUT /bank_account", wrong))).toEqual(
      invalid({
        iban: ["is not a valid IBAN"],
        bic: ["is not a valid BIC"],
        country: ["must be the two letters of a country"],
        routing_number: ["is not a valid routing number"],
        company_id: ["must have 9 or 10 letters and digits"],
      }),
    );
    expect(await outcome(company(app, "GET /bank_account"))).toEqual({ status: 200, body: UNSET });
  });
});

describe("a file of credit transfers", () => {
  beforeEach(() => company(app, "PUT /bank_account", OWN));

  it("is the same with each download, also after the account that pays was changed", async () => {
    await payee("jane@example.com", german("Jane"));
    await gather();
    const first = await text("format=sepa");
    app.setNow("2026-03-20T00:00:00.000Z");
    await company(app, "PUT /bank_account", { iban: IBAN, bic: null });
    expect(await text("format=sepa")).toBe(first);
    expect(await refusal("format=bank")).toMatchObject({
      status: 422,
      body: {
        message:
          "The payouts are in a sepa file, so no bank file may pay them as well. If that one was not used, mark them as failed or delete the batch",
      },
    });
    expect((await company(app, "GET /payments_batches/1/files")).body).toEqual([
      {
        id: 1,
        format: "sepa",
        message_id: valuesOf(first, "MsgId")[0],
        payments_count: 1,
        open_count: 1,
        total: 12_000,
        created_at: "2026-03-04T05:06:07.890Z",
      },
    ]);
  });

  it("pays a payout that came back in another file, with another message id, and never in both", async () => {
    await payee("jane@example.com", german("Jane"));
    await payee("joe@example.com", german("Joe"));
    await gather();
    await company(app, "POST /payments_batches/1/pay", {});
    const first = await text("format=sepa");
    await company(app, "POST /payouts/mark_as_failed", { ids: [2] });
    await company(app, "POST /payments_batches/1/pay", {});
    expect((await company(app, "GET /payments_batches/1/files")).body).toMatchObject([
      { id: 1, payments_count: 2, open_count: 1 },
    ]);
    // The failed payout is retried.
    await company(app, "POST /payouts/mark_as_paid", { ids: [1] });
    await company(app, "POST /payments_batches/1/pay", {});
    const second = await text("format=sepa");
    expect(valuesOf(first, "EndToEndId")).toEqual(["BATCH-1-1", "BATCH-1-2"]);
    expect(valuesOf(second, "EndToEndId")).toEqual(["BATCH-1-2-2"]);
    expect([first, second].map((file) => valuesOf(file, "PmtInfId"))).toEqual([
      ["BATCH-1-F1-1"],
      ["BATCH-1-F2-1"],
    ]);
    expect(valuesOf(second, "MsgId")).not.toEqual(valuesOf(first, "MsgId"));
    expect(await text("format=sepa")).toBe(second);
    expect(await refusal("format=sepa&file_id=1")).toMatchObject({
      status: 422,
      body: { message: "The payments batch has nothing left to pay" },
    });
    expect(await refusal("format=sepa&file_id=9")).toMatchObject({
      status: 404,
      body: { message: "Payment file not found." },
    });
  });

  it("needs the company's account", async () => {
    await payee("jane@example.com", german("Jane"));
    await gather();
    await company(app, "PUT /bank_account", { iban: null });
    expect(await refusal("format=sepa")).toEqual(invalid({ debtor_iban: ["is missing or wrong"] }));
    // Nothing was recorded, so that the payouts are still free.
    expect((await company(app, "GET /payments_batches/1/files")).body).toEqual([]);
  });

  it("keeps to the structure, lengths and characters of ISO 20022, whatever people type", async () => {
    const address = { address: "Straße 1 <b>", postal_code: "10115", city: "Köln", country: "de" };
    await company(app, "PUT /bank_account", { street: "Keizersgracht 1", city: "Amsterdam", country: "NL" });
    await payee("jane@example.com", { ...german("Ü".repeat(100)), ...address }, 1);
    await payee("joe@example.com", { ...german("//Wang & Søn//"), address: "only a street" }, 99_999_999_999);
    await payee("jim@example.com", { ...german("Jim \u0000🎉\n"), swift_bic_code: "cobadeff" }, 7);
    await gather();
    const xml = await text("format=sepa");
    expect(faultsOfPain001(xml)).toEqual([]);
    expect(valuesOf(xml, "InstdAmt")).toEqual(["0.01", "999999999.99", "0.07"]);
    expect(valuesOf(xml, "CtrlSum")).toEqual(["1000000000.07", "1000000000.07"]);
    expect(valuesOf(xml, "Nm").slice(2)).toEqual(["Ue".repeat(35), "//Wang Son//", "Jim"]);
    expect(valuesOf(xml, "StrtNm")).toEqual(["Keizersgracht 1", "Strasse 1 b"]);
    expect(valuesOf(xml, "Ctry")).toEqual(["NL", "DE"]);
  });

  it("asks for a name in Latin letters that only its owner can write, and never guesses one", async () => {
    await payee("taro@example.com", german("山田太郎"));
    await gather();
    expect(await refusal("format=sepa")).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining(
          "promoter 1: account_holder_name_latin is missing, and only the holder can write the name in Latin letters",
        ),
      },
    });
  });

  it("writes a name as its owner does, also from kana", async () => {
    await payee("taro@example.com", { ...german("山田太郎"), account_holder_name_latin: "ヤマダ タロウ" });
    await payee("wang@example.com", { ...german("王小明"), account_holder_name_latin: "Xiaoming Wang" });
    await gather();
    const xml = await text("format=sepa");
    expect(faultsOfPain001(xml)).toEqual([]);
    expect(valuesOf(xml, "Nm").slice(2)).toEqual(["Yamada Tarou", "Xiaoming Wang"]);
  });

  it("leaves out an address that can't be written, instead of a part of it", async () => {
    const address = { address: "千代田1", postal_code: "100-0001", city: "東京", country: "JP" };
    await payee("jane@example.com", { ...german("Jane"), ...address });
    await gather();
    expect(await text("format=sepa")).not.toContain("<PstlAdr><StrtNm>1");
  });

  it("keeps each alphabet for a bank that takes UTF-8, without emoji", async () => {
    await company(app, "PUT /bank_account", { character_set: "utf-8", name: "株式会社アクメ" });
    for (const [at, name] of ["山田太郎", "محمد علي", "Müller & Søn <1>", "Сергей 🎉", "राम"].entries())
      await payee(`p${at}@example.com`, german(name));
    await gather();
    const xml = await text("format=sepa");
    expect(faultsOfPain001(xml).filter((fault) => !fault.includes("letters that banks refuse"))).toEqual([]);
    expect(valuesOf(xml, "Nm")).toEqual([
      "株式会社アクメ",
      "株式会社アクメ",
      "山田太郎",
      "محمد علي",
      "Müller &amp; Søn &lt;1&gt;",
      "Сергей",
      "राम",
    ]);
  });

  it("refuses another character set, and a company's name that can't be written", async () => {
    expect(await outcome(company(app, "PUT /bank_account", { character_set: "utf-16" }))).toEqual(
      invalid({ character_set: ["is not one of utf-8"] }),
    );
    await company(app, "PUT /bank_account", { name: "株式会社アクメ" });
    await payee("jane@example.com", german("Jane"));
    await gather();
    expect(await refusal("format=sepa")).toEqual(
      invalid({ debtor_name: ["must be in Latin letters for this bank"] }),
    );
  });

  it("is to be executed on the day of the account's time zone", async () => {
    await changeAccount(app.context, app.account_id, { time_zone: "Asia/Tokyo" });
    app.setNow("2026-03-04T20:00:00.000Z");
    await payee("jane@example.com", german("Jane"));
    await gather();
    expect(valuesOf(await text("format=sepa"), "Dt")).toEqual(["2026-03-05"]);
  });

  it("pays any currency, by the bank's number in its country where there are no IBANs", async () => {
    await changeAccount(app.context, app.account_id, { currency: "JPY" });
    await payee("jane@example.com", {
      bank_country: "US",
      account_holder_name: "Jane",
      routing_aba_number: "021000021",
      account_number: "000-123",
    });
    await payee("joe@example.com", german("Joe"));
    await gather();
    const xml = await text("format=pain001");
    expect(faultsOfPain001(xml)).toEqual([]);
    expect(valuesOf(xml, "InstdAmt")).toEqual(["12000", "12000"]);
    expect(valuesOf(xml, "CtrlSum")).toEqual(["24000", "24000"]);
    expect(xml).toContain(
      "<CdtrAgt><FinInstnId><ClrSysMmbId><ClrSysId><Cd>USABA</Cd></ClrSysId><MmbId>021000021</MmbId></ClrSysMmbId></FinInstnId></CdtrAgt>",
    );
    expect(xml).toContain("<Othr><Id>000123</Id></Othr>");
    expect(valuesOf(xml, "ChrgBr")).toEqual(["SHAR"]);
    expect(xml).not.toContain("SvcLvl");
  });

  it("keeps to the schema with the numbers of each country that has its own", async () => {
    await changeAccount(app.context, app.account_id, { currency: "USD" });
    const swift = { swift_bic_code: "COBADEFF" };
    const forms: Record<string, Record<string, string>> = {
      US: { routing_aba_number: "021000021", account_number: "000123456", account_type: "savings" },
      GB: { sort_code: "12-34-56", account_number: "12345678" },
      CA: { institution_number: "001", transit_number: "00011", account_number: "1234567" },
      AU: { bsb_code: "062-000", account_number: "12345678" },
      NZ: { account_number: "02-0108-0123456-000" },
      IN: { ifsc_code: "HDFC0001234", account_number: "50100123456789" },
      JP: { bank_code: "0005", branch_code: "123", account_number: "1234567" },
      MX: { clabe: "002010077777777771", ...swift },
      HK: { bank_code: "004", account_number: "123456789" },
      SG: { bank_code: "7171", branch_code: "001", account_number: "1234567890" },
      ZA: { branch_code: "250655", account_number: "62001234567" },
      BR: { account_number: "0001234567", ...swift },
    };
    for (const [bank_country, numbers] of Object.entries(forms)) {
      const holder = { bank_country, account_holder_name: "Jane Doe" };
      await payee(`${bank_country}@example.com`, { ...holder, ...numbers });
    }
    await gather();
    const xml = await text("format=pain001");
    expect(faultsOfPain001(xml)).toEqual([]);
    expect(valuesOf(xml, "NbOfTxs")).toEqual(["12", "12"]);
    expect(valuesOf(xml, "MmbId")).toEqual([
      "021000021",
      "123456",
      "000100011",
      "062000",
      "020108",
      "HDFC0001234",
      "0005123",
      "004",
      "7171001",
      "250655",
    ]);
  });

  it("has a group of payments within SEPA, and one of the others", async () => {
    await payee("jane@example.com", german("Jane"));
    await payee("joe@example.com", {
      bank_country: "TR",
      account_holder_name: "Joe",
      iban: "TR330006100519786457841326",
    });
    await gather();
    const xml = await text("format=pain001");
    expect(faultsOfPain001(xml)).toEqual([]);
    expect(valuesOf(xml, "PmtInfId")).toEqual(["BATCH-1-F1-1", "BATCH-1-F1-2"]);
    expect(valuesOf(xml, "ChrgBr")).toEqual(["SLEV", "SHAR"]);
    expect(valuesOf(xml, "NbOfTxs")).toEqual(["2", "1", "1"]);
  });
});

describe("an ACH file", () => {
  const american = (details: Record<string, string> = {}) => ({
    bank_country: "US",
    account_holder_name: "Jane Doe",
    routing_aba_number: "021000021",
    account_number: "000-123456",
    ...details,
  });
  beforeEach(async () => {
    await changeAccount(app.context, app.account_id, { currency: "USD" });
    await company(app, "PUT /bank_account", { ...ACH, name: "Acmé, Ltd" });
  });

  it("has records of 94 characters in blocks of ten, with hash and sums", async () => {
    await payee("jane@example.com", american());
    await payee(
      "joe@example.com",
      american({ account_holder_name: "Søn & Co", account_holder_type: "company" }),
      5,
    );
    await payee("jim@example.com", american({ routing_aba_number: "091000019", account_type: "savings" }), 1);
    await gather();
    const file = await text("format=nacha");
    const records = file.split("\r\n").slice(0, -1);
    expect(records).toEqual([
      "101 091000019112345678926030405061094101WELLS FARGO            ACME, LTD              BATCH-1 ",
      "5220ACME, LTD                           1123456789PPDPAYOUT    260304260305   1091000010000001",
      "622021000021000123456        0000012000P1             JANE DOE                0091000010000001",
      "632091000019000123456        0000000001P3             JANE DOE                0091000010000002",
      "822000000200112000030000000000000000000120011123456789                         091000010000001",
      "5220ACME, LTD                           1123456789CCDPAYOUT    260304260305   1091000010000002",
      "622021000021000123456        0000000005P2             SON & CO                0091000010000001",
      "822000000100021000020000000000000000000000051123456789                         091000010000002",
      "9000002000001000000030013300005000000000000000000012006" + " ".repeat(39),
      "9".repeat(94),
    ]);
    expect(new Set(records.map(({ length }) => length))).toEqual(new Set([94]));
    expect(await text("format=nacha")).toBe(file);
  });

  it("is read by a strict reader, for as many payments as it has", async () => {
    const amounts = Array.from({ length: 23 }, (_, at) => 1_000 + at);
    for (const amount of amounts) {
      const isCompany = amount % 3 === 0;
      const kind: Record<string, string> = isCompany ? { account_holder_type: "company" } : {};
      await payee(`p${amount}@example.com`, american({ account_number: `${amount}`, ...kind }), amount);
    }
    await gather();
    const file = await text("format=nacha");
    const entries = readAch(file).map(({ entryClass, account, cents }) => [entryClass, account, cents]);
    const expected = (entryClass: string) =>
      amounts
        .filter((amount) => (amount % 3 === 0) === (entryClass === "CCD"))
        .map((amount) => [entryClass, String(amount), amount]);
    expect(entries).toEqual([...expected("PPD"), ...expected("CCD")]);
    for (const wrong of [
      file.replace("0000001005", "0000001006"),
      file.replace("\r\n", "\n"),
      file.slice(96),
    ])
      expect(() => readAch(wrong)).toThrow();
  });

  it("takes effect on no holiday of the Federal Reserve", async () => {
    // Friday, before the weekend of Independence Day, which is a Sunday in 2027.
    app.setNow("2027-07-02T12:00:00.000Z");
    await payee("jane@example.com", american());
    await gather();
    const file = await text("format=nacha");
    expect(file.split("\r\n")[1]?.slice(63, 75)).toBe("270702270706");
    expect(readAch(file).length).toBe(1);
  });

  it("moves the effective day over a weekend, in the time zone of the account", async () => {
    await changeAccount(app.context, app.account_id, { time_zone: "America/Los_Angeles" });
    app.setNow("2026-03-07T01:30:00.000Z");
    await payee("jane@example.com", american());
    await gather();
    const [header = "", batch = ""] = (await text("format=nacha")).split("\r\n");
    expect(header.slice(23, 33)).toBe("2603061730");
    expect(batch.slice(63, 75)).toBe("260306260309");
  });

  it.each([
    [{ routing_aba_number: "021000022" }, "routing_aba_number is missing or wrong"],
    [{ account_number: "1".repeat(18) }, "account_number is missing or wrong"],
    [{ account_type: "gold" }, "account_type is wrong"],
  ])("refuses wrong details %o", async (details, fault) => {
    await payee("jane@example.com", american(details));
    await gather();
    expect(await refusal("format=nacha")).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(`promoter 1: ${fault}`) },
    });
  });

  it("needs dollars, and what the bank gave the company", async () => {
    await payee("jane@example.com", american());
    await gather();
    await company(app, "PUT /bank_account", { company_id: null });
    expect(await refusal("format=nacha")).toEqual(invalid({ company_id: ["is missing"] }));
    await changeAccount(app.context, app.account_id, { currency: "EUR" });
    expect(await refusal("format=nacha")).toMatchObject({
      status: 422,
      body: { message: "ACH pays US dollars, and the account's currency is EUR" },
    });
  });
});
