import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { opening, writeOpenFiles } from "../../../server/transfer/open/export.ts";
import type { Kind } from "../../../server/transfer/csv/import.ts";
import { KINDS } from "../../../server/transfer/csv/kinds.ts";
import { drawPlan } from "../../../server/transfer/csv/plan.ts";
import { OPEN_NOUNS } from "../../../server/transfer/open/nouns.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { accountOf } from "../../support/billing.ts";
import { fillWithExamples } from "../../support/operations.ts";
import { company, join } from "../../support/v2.ts";

let app: TestApp;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(joinPath(tmpdir(), "tidemark-"));
  app = await startApp();
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  expect(app.bugs).toEqual([]);
  await app.close();
});

const out = () => joinPath(folder, "out");
const write = async (hasPayoutDetails = false) =>
  writeOpenFiles(opening(app.services.store, await accountOf(app), hasPayoutDetails), {
    folder: out(),
    onRecords: () => {},
  });

/** Another program's parser (RFC 4180), character by character. */
function read(name: string): Record<string, string>[] {
  const text = readFileSync(joinPath(out(), `${name}.csv`), "utf8");
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (isQuoted && character === '"' && text[at + 1] === '"') cell += text[++at];
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) cell += character;
    else if (character === ",") row = (row.push(cell), (cell = ""), row);
    else if (character === "\r" && text[at + 1] === "\n") {
      rows.push([...row, cell]);
      [row, cell] = [[], ""];
      at += 1;
    } else cell += character;
  }
  const [header = [], ...lines] = rows;
  return lines.map((line) => Object.fromEntries(header.map((title, at) => [title, line[at]!])));
}

const lines = (name: string) =>
  readFileSync(joinPath(out(), `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Cents of decimal texts, without numbers in between. */
const cents = (texts: unknown[]) =>
  texts.map((text) => BigInt(String(text).replace(".", ""))).reduce((sum, each) => sum + each, 0n);

it("another program reads every record back, and every sum to the cent", async () => {
  await fillWithExamples(app, { promoters: 20, leads: 120, sales: 200 });
  const counts = await write();
  const sales = await app.records.all("sale");
  const refunds = await app.records.all("refund");
  const commissions = await app.records.all("commission");
  const payouts = await app.records.all("payout");
  expect(counts).toMatchObject({
    promoters: (await app.records.all("promoter")).length,
    leads: (await app.records.all("lead")).length,
    sales: sales.length,
    commissions: commissions.length,
    payouts: payouts.length,
  });
  const sumOf = (records: { amount: number }[]) =>
    records.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const cash = <R extends { unit: string }>(records: R[]) => records.filter(({ unit }) => unit === "cash");
  for (const [name, sum] of [
    ["sales", sumOf(sales.map(({ amount_cents: amount }) => ({ amount })))],
    ["refunds", sumOf(refunds.map(({ amount_cents: amount }) => ({ amount })))],
    ["commissions", sumOf(cash(commissions))],
    ["payouts", sumOf(cash(payouts))],
  ] as const) {
    if (counts[name] === 0) continue;
    const rows = read(name).filter(({ unit }) => unit === undefined || unit === "cash");
    const records = lines(name).filter(({ unit }) => unit === undefined || unit === "cash");
    expect([
      name,
      cents(rows.map(({ amount }) => amount)),
      cents(records.map(({ amount }) => amount)),
    ]).toEqual([name, sum, sum]);
  }
  // The two files of a pair say the same.
  for (const { name } of OPEN_NOUNS) {
    if (counts[name] === 0) continue;
    expect(read(name).map(({ id }) => id)).toEqual(lines(name).map(({ id }) => String(id)));
  }
});

it("import-csv refuses every file of it, and names the commands that copy everything", async () => {
  await fillWithExamples(app, { promoters: 20, leads: 120, sales: 200 });
  const counts = await write(true);
  const account = await accountOf(app);
  const saying = { delimiter: null, dateOrder: null, chosen: new Map(), words: new Map() };
  const refusalOf = async (file: () => Buffer[], kind: Kind) =>
    drawPlan(app.services.store, account, { file, kind, saying }).then(
      () => "none",
      (error: Error) => error.message,
    );
  const command =
    "`tidemark export FILE` and `tidemark import FILE` copy all of it, and so does `tidemark move`";
  for (const { name } of OPEN_NOUNS.filter((each) => counts[each.name] !== 0)) {
    const [csv, json] = ["csv", "jsonl"].map((ending) => readFileSync(joinPath(out(), `${name}.${ending}`)));
    for (const kind of Object.values(KINDS)) {
      expect([name, await refusalOf(() => [csv!], kind)]).toEqual([
        name,
        `The file is one of Tidemark's own exports, and has only a part of the program. ${command}`,
      ]);
      expect(await refusalOf(() => [json!], kind)).toBe(
        `The file is JSON, not CSV. If it is an export of Tidemark: ${command}`,
      );
    }
  }
});

it("texts, lists and formulas come through, and secrets do not", async () => {
  await join(app, "jane@example.com", { ref_id: "jane", first_name: '=1+1,"x"\ny' });
  await company(app, "POST /payout_methods", {
    promoter_id: 1,
    method: "paypal",
    details: { paypal_email: "jane@pay.example" },
  });
  await write();
  expect(read("promoters")[0]).toMatchObject({ email: "jane@example.com", first_name: '\'=1+1,"x"\ny' });
  expect(lines("promoters")[0]).toMatchObject({ first_name: '=1+1,"x"\ny', parent_id: null });
  expect(lines("promoter-campaigns")[0]).toMatchObject({ ref_id: "jane", state: "accepted" });
  expect(JSON.parse(read("campaigns")[0]!["ref_parameters"]!)).toEqual(
    lines("campaigns")[0]!["ref_parameters"],
  );
  const whole = readdirSync(out())
    .map((name) => readFileSync(joinPath(out(), name), "utf8"))
    .join("");
  const { auth_token } = (await app.records.all("promoter"))[0]!;
  for (const secret of ["jane@pay.example", auth_token, (await accountOf(app)).address_key])
    expect(whole).not.toContain(secret);
  expect(statSync(joinPath(out(), "promoters.csv")).mode & 0o777).toBe(0o600);
  await expect(write()).rejects.toThrow(`${out()} is not empty`);
  rmSync(out(), { recursive: true });
  await write(true);
  expect(lines("payout-methods")[0]).toMatchObject({ details: { wallet_email: "jane@pay.example" } });
});

it("the guide names every file and every column", async () => {
  await fillWithExamples(app, { promoters: 10, leads: 60, sales: 100 });
  const guide = readFileSync("docs/leaving.md", "utf8");
  const people = opening(app.services.store, await accountOf(app), false);
  const seen: Record<string, string[]> = {};
  for (const { name, lines: linesOf } of OPEN_NOUNS) {
    for await (const [line] of linesOf(people)) if (line) seen[name] ??= Object.keys(line);
  }
  for (const { name } of OPEN_NOUNS) {
    const [, section = ""] = guide.split(`\n## ${name}\n`);
    const told = [...section.split("\n## ")[0]!.matchAll(/^\| `(\w+)` \|/gm)].map(([, column]) => column);
    expect(told.length, name).toBeGreaterThan(0);
    if (seen[name]) expect([name, ...told]).toEqual([name, ...seen[name]]);
  }
});

it("owners download everything as one file", async () => {
  await join(app, "jane@example.com", { ref_id: "jane" });
  const { body, headers } = await app.v2("GET", "/exports/everything");
  expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  expect(headers.get("content-disposition")).toBe('attachment; filename="everything-2026-03-04.jsonl"');
  const records = (body as string)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(records).toMatchObject([
    { kind: "campaigns", id: 1 },
    { kind: "promoters", id: 1, email: "jane@example.com" },
    { kind: "promoter-campaigns", ref_id: "jane" },
  ]);
  expect(((await app.v2("GET", "/audit_log")).body as object[])[0]).toMatchObject({
    action: "exported",
    entity: "account",
  });
});
