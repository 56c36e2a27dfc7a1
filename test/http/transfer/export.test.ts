import { rmSync, statSync } from "node:fs";
import { join as joinPath } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Kind } from "../../../server/transfer/csv/import.ts";
import { KINDS } from "../../../server/transfer/csv/kinds.ts";
import { drawPlan } from "../../../server/transfer/csv/plan.ts";
import { MANIFEST } from "../../../server/transfer/export.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { accountOf } from "../../support/billing.ts";
import { exported, TABLE_NAMES, textsOf } from "../../support/exports.ts";
import { fillWithExamples } from "../../support/operations.ts";
import { company, join } from "../../support/v2.ts";

let app: TestApp;
const folders: string[] = [];
beforeEach(async () => void (app = await startApp()));
afterEach(async () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  expect(app.bugs).toEqual([]);
  await app.close();
});

/** The files of an export, by name, and their folder. */
async function files(options: Parameters<typeof exported>[1] = {}) {
  const folder = await exported(app.stored.engine, options);
  folders.push(folder);
  return { folder, texts: textsOf(folder) };
}

type Row = Record<string, unknown>;
const rows = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

it("import-csv refuses every file of an export, and names the commands that copy everything", async () => {
  await fillWithExamples(app, { promoters: 20, leads: 120, sales: 200 });
  const account = await accountOf(app);
  const saying = { delimiter: null, dateOrder: null, chosen: new Map(), words: new Map() };
  const refusalOf = async (text: string, kind: Kind) =>
    drawPlan(app.services.store, account, { file: () => [Buffer.from(text)], kind, saying }).then(
      () => "none",
      (error: Error) => error.message,
    );
  const command = "`tidemark export FOLDER` and `tidemark import FOLDER` copy all of it";
  const [json, csv] = [(await files()).texts, (await files({ isCsv: true })).texts];
  for (const kind of Object.values(KINDS)) {
    for (const [name, text] of Object.entries(csv)) {
      expect([name, await refusalOf(text, kind)]).toEqual([
        name,
        `The file is one of Tidemark's own exports, and has only a part of the program. ${command}`,
      ]);
    }
    for (const text of Object.values(json)) {
      expect(await refusalOf(text, kind)).toBe(
        `The file is JSON, not CSV. If it is an export of Tidemark: ${command}`,
      );
    }
  }
});

it("texts, documents and formulas come through, and sealed secrets only if asked", async () => {
  await join(app, "jane@example.com", { ref_id: "jane", first_name: '=1+1,"x"\ny' });
  await company(app, "POST /payout_methods", {
    promoter_id: 1,
    method: "paypal",
    details: { paypal_email: "jane@pay.example" },
  });
  const { folder, texts } = await files({ secrets: "left out" });
  expect(rows(texts["promoters.jsonl"]!)[0]).toMatchObject({
    email: "jane@example.com",
    profile: { first_name: '=1+1,"x"\ny' },
  });
  expect(rows(texts["promoter_campaigns.jsonl"]!)[0]).toMatchObject({ ref_token: "jane", state: "accepted" });
  const csv = (await files({ secrets: "left out", isCsv: true })).texts;
  expect(csv["promoters.csv"]).toContain('""first_name"":""=1+1,\\""x\\""\\ny""');
  for (const text of [...Object.values(texts), ...Object.values(csv)])
    expect(text).not.toContain("jane@pay.example");
  expect(statSync(joinPath(folder, "promoters.jsonl")).mode & 0o777).toBe(0o600);
  const asked = (await files({ secrets: "plain" })).texts;
  expect(rows(asked["payout_methods.jsonl"]!)[0]).toMatchObject({
    details: { wallet_email: "jane@pay.example" },
  });
  expect(Object.keys(asked).at(-1)).toBe(MANIFEST);
});

it("each line of the one file has its table, and its own kind beside it", async () => {
  await fillWithExamples(app, { promoters: 10, leads: 30, sales: 30 });
  const records = rows((await app.v2("GET", "/exports/everything")).body as string);
  const given = new Set(records.map(({ table }) => table as string));
  expect([...given].filter((table) => !TABLE_NAMES.has(table))).toEqual([]);
  const { address_key: _, ...account } = await accountOf(app);
  expect(records[0]).toEqual({ table: "accounts", ...account });
  const origins = records.filter(({ table }) => table === "origins");
  expect(new Set(origins.map(({ kind }) => kind))).toEqual(new Set(["page", "source"]));
});

it("owners download their account as one file, without secrets", async () => {
  await join(app, "jane@example.com", { ref_id: "jane" });
  const { body, headers } = await app.v2("GET", "/exports/everything");
  expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  expect(headers.get("content-disposition")).toBe('attachment; filename="everything-2026-03-04.jsonl"');
  const records = rows(body as string);
  const of = (table: string) => records.filter((record) => record["table"] === table);
  const [promoter] = await app.records.all("promoter");
  const { auth_token, temp_password_hash: _, ...shown } = promoter!;
  expect(of("promoters")).toEqual([{ table: "promoters", ...shown }]);
  expect(of("promoter_campaigns")).toMatchObject([{ ref_token: "jane" }]);
  expect(of("campaigns")).toMatchObject([{ id: 1 }]);
  expect(body).not.toContain(auth_token);
  expect(((await app.v2("GET", "/audit_log")).body as object[])[0]).toMatchObject({
    action: "exported",
    entity: "account",
  });
});
