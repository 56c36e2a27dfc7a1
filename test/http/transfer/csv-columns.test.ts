import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChosenColumns, MatchedColumn } from "../../../server/transfer/csv/columns.ts";
import type { Kind } from "../../../server/transfer/csv/import.ts";
import { drawPlan } from "../../../server/transfer/csv/plan.ts";
import { KINDS } from "../../../server/transfer/csv/kinds.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { accountOf } from "../../support/billing.ts";
import { importCsv } from "../../support/csv.ts";
import { balancesOf } from "../../support/money.ts";
import { statsOf } from "../../support/stats.ts";
import { join } from "../../support/v2.ts";

let folder: string;
let app: TestApp;
beforeEach(async () => {
  folder = mkdtempSync(joinPath(tmpdir(), "tidemark-"));
  app = await startApp();
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  expect(app.bugs).toEqual([]);
  await app.close();
});

async function run(kind: Kind, bytes: string | Buffer, chosen?: ChosenColumns) {
  const file = joinPath(folder, "file.csv");
  writeFileSync(file, bytes);
  const bad: string[] = [];
  const found: MatchedColumn[] = [];
  const outcome = await importCsv(app.context, await accountOf(app), {
    kind,
    file,
    ...(chosen && { chosen }),
    onColumns: (columns) => void found.push(...columns),
    onBad: (line, reason) => void bad.push(`${line}: ${reason}`),
  });
  const columns = found.map(({ title, field, certainty }) => `${title}: ${field ?? "-"} ${certainty ?? ""}`);
  return { outcome, bad, columns };
}

async function drawn(kind: Kind, text: string) {
  const saying = { delimiter: null, dateOrder: null, chosen: new Map(), words: new Map() };
  const file = () => [Buffer.from(text)];
  return drawPlan(app.context.store, await accountOf(app), { file, kind, saying });
}

describe("columns", () => {
  it("are known by their names, by names with a slip, and by their values", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    await join(app, "joe@example.com", { ref_id: "joe" });
    const file = [
      "Kunde;Vermittler;E-Mail Adress;Creatd At;Bewertung",
      "1;jane;mia@example.com;13.05.2024;5",
      "2;joe;zoe@example.com;14.05.2024;4",
    ];
    expect(await run(KINDS.leads, file.join("\n"))).toEqual({
      outcome: { added: 2, changed: 0, known: 0, bad: 0 },
      bad: [],
      columns: [
        "Kunde: - ",
        "Vermittler: ref_id likely",
        "E-Mail Adress: email likely",
        "Creatd At: created_at likely",
        "Bewertung: - ",
      ],
    });
    expect((await app.records.all("lead")).map(({ email, created_at }) => [email, created_at])).toEqual([
      ["mia@example.com", "2024-05-13T00:00:00.000Z"],
      ["zoe@example.com", "2024-05-14T00:00:00.000Z"],
    ]);
  });

  it("are what someone says, whatever their titles are", async () => {
    const file = "mail,email,code\nold@example.com,jane@example.com,jane\n";
    const chosen = new Map([
      ["mail", "note"],
      ["code", "ref_id"],
    ]);
    expect(await run(KINDS.promoters, file, chosen)).toMatchObject({
      outcome: { added: 1 },
      columns: ["mail: note chosen", "email: email certain", "code: ref_id chosen"],
    });
    await expect(run(KINDS.promoters, file, new Map([["none", "note"]]))).rejects.toThrow(
      'The file has no column "none"',
    );
    await expect(run(KINDS.promoters, file, new Map([["mail", "beard"]]))).rejects.toThrow(
      /^"beard" is not one of email, first_name, /,
    );
  });

  it("of whole numbers are no amounts, whatever is missing", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    const file = (value: string) => run(KINDS.commissions, `ref_id,what\njane,${value}\n`);
    await expect(file("5")).rejects.toThrow("No column is called amount");
    expect((await file("$5.00")).columns).toEqual(["ref_id: ref_id certain", "what: amount guess"]);
  });

  it("with our own name leave no room for those with another name for the same", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    const file = "email,affiliate_id,ref_id\nmia@example.com,0b1c2d,jane\n";
    expect((await run(KINDS.leads, file)).columns).toEqual([
      "email: email certain",
      "affiliate_id: - ",
      "ref_id: ref_id certain",
    ]);
  });

  it.each<[string, string[], string[]]>([
    [
      "numbers are no ref ids, even if promoters have such ids",
      ["email,Affiliate ID,Row", "mia@example.com,7,7", "zoe@example.com,8,8"],
      ["email: email certain", "Affiliate ID: - ", "Row: - "],
    ],
    [
      "order ids are no uids of customers, even if customers have such ids",
      ["Order ID,Amount,Buyer,Customer", "cus_mia,1.00,cus_mia,kim@example.com"],
      ["Order ID: event_id certain", "Amount: amount certain", "Buyer: - ", "Customer: email certain"],
    ],
    [
      "names are names, even if promoters have such ref ids",
      ["E-Mail,Name,ref_code", "mia@example.com,jane,seven"],
      ["E-Mail: email certain", "Name: name certain", "ref_code: ref_id certain"],
    ],
    [
      "a partner may be an e-mail address",
      ["email,Partner", "mia@example.com,jane@example.com"],
      ["email: email certain", "Partner: promoter_email certain"],
    ],
    [
      "a partner may be a ref id",
      ["email,Partner", "mia@example.com,jane"],
      ["email: email certain", "Partner: ref_id likely"],
    ],
  ])("have titles that decide before values: %s", async (_, file, columns) => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    for (const ref_id of ["7", "8"]) await join(app, `${ref_id}@example.com`, { ref_id });
    await app.v1("/track/signup", { email: "kim@example.com", uid: "cus_mia", ref_id: "jane" });
    const kind = file[0]!.includes("Amount") ? KINDS.sales : KINDS.leads;
    const found = (await drawn(kind, file.join("\n"))).columns;
    expect(
      found.map(({ title, field, certainty }) => `${title}: ${field ?? "-"} ${certainty ?? ""}`),
    ).toEqual(columns);
  });

  it("of one title are a question, and so are two names of one field", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    const file = "ref_id,Amount,Amount\njane,5.00,100.00\n";
    const question = 'Say which column is amount: "Amount" or "Amount (2)"';
    await expect(run(KINDS.commissions, file)).rejects.toThrow(question);
    expect(await run(KINDS.commissions, file, new Map([["Amount (2)", "sale_amount"]]))).toMatchObject({
      outcome: { added: 1 },
    });
    expect(await app.records.all("commission")).toMatchObject([{ amount: 500, sale_amount: 10_000 }]);
    await expect(run(KINDS.leads, "email,Ref Code,Token\nmia@example.com,jane,x\n")).rejects.toThrow(
      'Say which column is ref_id: "Ref Code" or "Token"',
    );
    const chosen = new Map([["Ref Code", "ref_id"]]);
    expect(await run(KINDS.leads, "email,Ref Code,Token\nmia@example.com,jane,x\n", chosen)).toMatchObject({
      outcome: { added: 1 },
      columns: ["email: email certain", "Ref Code: ref_id chosen", "Token: - "],
    });
  });

  it("with whole names give first and last names", async () => {
    const file =
      'email,Full Name\na@example.com,Ana Maria Silva\nb@example.com,"Huber, Hans"\nc@example.com,Cher\n';
    expect((await run(KINDS.promoters, file)).outcome).toMatchObject({ added: 3, bad: 0 });
    const names = (await app.records.all("promoter")).map(({ profile }) => [
      profile.first_name,
      profile.last_name,
    ]);
    expect(names).toEqual([
      ["Ana Maria", "Silva"],
      ["Hans", "Huber"],
      ["Cher", null],
    ]);
  });

  it("that are missing are named, and so are dates that could be read in two ways", async () => {
    await expect(run(KINDS.commissions, "ref_id,status\njane,paid\n")).rejects.toThrow(
      "No column is called amount",
    );
    const dates = "email,ref_id,created_at\nmia@example.com,jane,05/06/2024\n";
    await expect(run(KINDS.leads, dates)).rejects.toThrow(
      'The dates of "created_at" may begin with the day or with the month: say which of dmy and mdy',
    );
  });
});

it("amounts and dates are read as another program writes them", async () => {
  await join(app, "jane@example.com", { ref_id: "jane" });
  const file = [
    "id;ref_id;amount;created_at",
    'a;jane;"1.234,50";25/12/2024',
    "b;jane;$ 12,30;1/2/2025 3:04 PM",
    "c;jane;-3,00;5 Jan 2025",
    "d;jane;€ 3,00;Feb 30, 2025",
  ];
  expect(await run(KINDS.commissions, file.join("\n"))).toMatchObject({
    outcome: { added: 3, bad: 1 },
    bad: ["5: amount must be a number of at most two decimals, created_at is invalid"],
  });
  expect((await app.records.all("commission")).map(({ amount, created_at }) => [amount, created_at])).toEqual(
    [
      [123_450, "2024-12-25T00:00:00.000Z"],
      [1_230, "2025-02-01T15:04:00.000Z"],
      [-300, "2025-01-05T00:00:00.000Z"],
    ],
  );
});

it("a commission in another currency is refused", async () => {
  await join(app, "jane@example.com", { ref_id: "jane" });
  const file = "ref_id,amount,currency\njane,1,EUR\njane,2,usd\n";
  expect(await run(KINDS.commissions, file)).toMatchObject({
    outcome: { added: 1, bad: 1 },
    bad: ["2: currency is EUR, and the account counts in USD"],
  });
});

describe("sales", () => {
  const SALES = "event_id,email,ref_id,amount,created_at";
  const day = "2024-05-06";
  const stats = async () => statsOf(app.context.store, app.account_id, 1);
  const counted = { sales: 1, sales_cents: 10_000, commissions: 1, earnings_cents: 1_000 };
  beforeEach(async () => void (await join(app, "jane@example.com", { ref_id: "jane" })));

  it.each(["before", "after"])("count once with commissions that come %s them", async (order) => {
    const sales = `${SALES}\ns1,mia@example.com,jane,100,${day}\n`;
    const earned = `event_id,email,ref_id,amount,sale_amount,created_at\ns1,mia@example.com,jane,10,100,${day}\n`;
    await run(KINDS.leads, "email,ref_id\nmia@example.com,jane\n");
    if (order === "before") await run(KINDS.commissions, earned);
    expect(await run(KINDS.sales, sales)).toMatchObject({ outcome: { added: 1, bad: 0 } });
    if (order === "after") await run(KINDS.commissions, earned);
    expect(await run(KINDS.sales, sales)).toMatchObject({ outcome: { added: 0, known: 1 } });
    expect(await stats()).toMatchObject(counted);
    const refunded = await app.v1("/track/refund", {
      email: "mia@example.com",
      sale_event_id: "s1",
      event_id: "r1",
      amount: "5000",
    });
    expect(refunded.status).toBe(200);
    expect(await balancesOf(app, 1)).toEqual({ cash: { earnings: 500, current: 500, paid: 0 } });
  });

  it("make customers, and earn nothing by themselves", async () => {
    const file = `${SALES}\n,mia@example.com,jane,100,${day}\n,mia@example.com,,100,${day}\n,zoe@example.com,,1,\n`;
    expect(await run(KINDS.sales, file)).toMatchObject({
      outcome: { added: 2, bad: 1 },
      bad: ["4: the customer was not found, and no promoter is named"],
    });
    expect(await run(KINDS.sales, file)).toMatchObject({ outcome: { known: 2, bad: 1 } });
    expect(await app.records.all("lead")).toMatchObject([
      { email: "mia@example.com", state: "active", sales_count: 2, customer_since: `${day}T00:00:00.000Z` },
    ]);
    expect(await stats()).toMatchObject({ sales: 2, sales_cents: 20_000, commissions: 0, customers: 1 });
    expect(await app.records.all("commission")).toEqual([]);
  });

  it("in another currency need its rate, and sales with another amount are no repetition", async () => {
    const file = `${SALES},currency\ns1,mia@example.com,jane,100,${day},EUR\n`;
    const missing = `There is no exchange rate from EUR to USD for ${day}`;
    expect((await run(KINDS.sales, file)).bad).toEqual([`2: ${missing}`]);
    await app.v2("POST", "/rates", { date: day, base: "EUR", rates: { USD: "1.5" } });
    expect((await run(KINDS.sales, file)).outcome.added).toBe(1);
    expect(await stats()).toMatchObject({ sales_cents: 15_000 });
    expect((await run(KINDS.sales, file.replace(",100,", ",90,"))).bad).toEqual([
      "2: the sale s1 is known with another amount",
    ]);
  });
});

describe("files", () => {
  it.each<[string, Buffer | string]>([
    ["UTF-8 with its mark", "\uFEFFemail,first_name\njané@example.com,Zoë\n"],
    ["UTF-16, little end first", Buffer.from("\uFEFFemail\tfirst_name\njané@example.com\tZoë\n", "utf16le")],
    [
      "UTF-16, big end first",
      Buffer.from("\uFEFFemail|first_name\njané@example.com|Zoë\n", "utf16le").swap16(),
    ],
    ["quotes around separators", '"email";"a,b,c,d";"first_name"\n"jané@example.com";"";"Zoë"\n'],
  ])("are read as %s", async (_, bytes) => {
    expect(await run(KINDS.promoters, bytes)).toMatchObject({ outcome: { added: 1, bad: 0 } });
    expect(await app.records.all("promoter")).toMatchObject([
      { email: "jané@example.com", profile: { first_name: "Zoë" } },
    ]);
  });

  it.each<[string, Buffer | string, string]>([
    ["nothing", "", "The file is empty"],
    ["blank lines", "\n\n", "The file is empty"],
    [
      "Latin-1",
      Buffer.from("email\njan\xe9@example.com\n", "latin1"),
      "The file is neither UTF-8 nor UTF-16; save it as CSV (UTF-8)",
    ],
    [
      "a workbook",
      Buffer.from("PK\u0003\u0004…"),
      "The file is a workbook or an archive; save the sheet as CSV (UTF-8)",
    ],
    ["zero bytes", "email\n\0\n", "The file is not text; save it as CSV (UTF-8)"],
    ["1,000 columns", `email${",x".repeat(999)}\n`, "The file has 1,000 columns; at most 200 are read"],
    ["a web page", "<html><body>Sign in</body></html>", "No column is known; these are possible: email, "],
  ])("with %s are refused in a sentence", async (_, bytes, sentence) => {
    await expect(run(KINDS.promoters, bytes)).rejects.toThrow(sentence);
    expect(await app.records.all("promoter")).toEqual([]);
  });
});
