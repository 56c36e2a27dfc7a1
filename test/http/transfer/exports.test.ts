import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { parse } from "csv-parse/sync";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadAccount } from "../../../server/domain/program/account/account.ts";
import { importCsv } from "../../support/csv.ts";
import { LEADS } from "../../../server/transfer/csv/leads.ts";
import { PROMOTERS } from "../../../server/transfer/csv/promoters.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { addUser, callAs } from "../../support/users.ts";
import { company, join, reward } from "../../support/v2.ts";
import { fillWithExamples } from "../../support/operations.ts";

let app: TestApp;
beforeEach(async () => void (app = await startApp()));
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const file = async (name: string): Promise<Record<string, string>[]> => {
  const { status, body } = await app.v2("GET", `/exports/${name}`);
  expect(status).toBe(200);
  return parse(body as string, { columns: true, record_delimiter: "\r\n" });
};

describe("GET /api/v2/company/exports/promoters", () => {
  it("is a file with all promoters, and formulas in it do nothing", async () => {
    await join(app, "jane@example.com", { first_name: `=HYPERLINK("https://evil.example")`, ref_id: "jane" });
    await join(app, "kim@example.com", { last_name: `O"Neill, "Kim"`, parent_promoter_id: "1" });
    const { body, headers } = await app.v2("GET", "/exports/promoters");
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe('attachment; filename="promoters-2026-03-04.csv"');
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toBe(
      [
        "id,email,first_name,last_name,ref_id,cust_id,promo_code,campaign_id,state,parent_email,website,company_name,country,wallet_email,landing_url,note,created_at,archived_at",
        `1,jane@example.com,"'=HYPERLINK(""https://evil.example"")",,jane,,,1,accepted,,,,,,,,2026-03-04T05:06:07.890Z,`,
        `2,kim@example.com,,"O""Neill, ""Kim""",kim,,,1,accepted,jane@example.com,,,,,,,2026-03-04T05:06:07.890Z,`,
        "",
      ].join("\r\n"),
    );
  });

  it("is a header line if there is nobody", async () => {
    expect(((await app.v2("GET", "/exports/promoters")).body as string).split("\r\n")).toEqual([
      expect.stringMatching(/^id,email,/),
      "",
    ]);
  });
});

it("texts that could be formulas come back unchanged when the files are imported", async () => {
  const names = { first_name: "=SUM(A1);=2", last_name: "'-Neill", note: "call\n+1 555,@home" };
  await join(app, "jane@example.com", { ...names, ref_id: "jane" });
  await app.v1("/track/signup", {
    email: "sam@example.net",
    uid: "-1;=1+1",
    username: "@sam",
    ref_id: "jane",
  });
  const folder = mkdtempSync(joinPath(tmpdir(), "tidemark-"));
  const copy = await startApp();
  const account = await loadAccount(copy.services.store, "acme");
  const first = { promoters: await file("promoters"), leads: await file("referrals") };
  for (const [name, kind] of [["promoters", PROMOTERS] as const, ["referrals", LEADS] as const]) {
    const path = joinPath(folder, `${name}.csv`);
    writeFileSync(path, (await app.v2("GET", `/exports/${name}`)).body as string);
    const faults: string[] = [];
    const onBad = (_line: number, fault: string) => void faults.push(fault);
    await importCsv(copy.context, account, { kind, file: path, delimiter: ",", onUnknown: () => {}, onBad });
    expect(faults).toEqual([]);
  }
  app = copy;
  const second = { promoters: await file("promoters"), leads: await file("referrals") };
  for (const column of ["first_name", "last_name"])
    expect(second.promoters[0]?.[column]).toBe(first.promoters[0]?.[column]);
  expect(await app.v1("/leads/show", { email: "sam@example.net" })).toMatchObject({
    body: { uid: "-1;=1+1", username: "@sam" },
  });
  expect(first.promoters[0]).toMatchObject({
    first_name: "'=SUM(A1);'=2",
    last_name: "''-Neill",
    note: "call\n'+1 555,'@home",
  });
  expect(second.leads[0]).toMatchObject({ uid: "'-1;'=1+1", username: "'@sam" });
  rmSync(folder, { recursive: true });
});

it("leads, commissions and payouts have their people and exact amounts", async () => {
  await join(app, "jane@example.com", { ref_id: "jane" });
  const rewardId = await reward(app, { schemas: [{ unit: "cash", amount: 25, flat_amount: false }] });
  await company(app, "PUT /campaigns/1", { rewards_for_promoters: [{ reward_id: rewardId }] });
  await app.v1("/track/signup", { email: "sam@example.net", uid: "=1+1", ref_id: "jane" });
  await app.v1("/track/sale", { email: "sam@example.net", event_id: "order-1", amount: "10050" });
  const refund = { event_id: "order-1-r", sale_event_id: "order-1", amount: "10050" };
  expect((await app.v1("/track/refund", { email: "sam@example.net", ...refund })).status).toBe(200);

  expect(await file("referrals")).toMatchObject([
    { id: "1", email: "sam@example.net", uid: "'=1+1", ref_id: "jane", promoter_email: "jane@example.com" },
  ]);
  expect(
    (await file("commissions")).map(({ amount, status, email, sale_amount }) => ({
      amount,
      status,
      email,
      sale_amount,
    })),
  ).toEqual([
    { amount: "25.13", status: "approved", email: "sam@example.net", sale_amount: "100.50" },
    { amount: "-25.13", status: "approved", email: "sam@example.net", sale_amount: "-100.50" },
  ]);
  expect(await file("payouts")).toEqual([]);
});

it("leads have the monthly revenue that their latest sale brings", async () => {
  await join(app, "jane@example.com", { ref_id: "jane" });
  const sales = [
    { event_id: "order-1", mrr: "2900", created_at: "2026-02-01" },
    { event_id: "order-2", mrr: "4950", created_at: "2026-03-01" },
    { event_id: "order-0", mrr: "100", created_at: "2026-01-01" },
  ];
  for (const email of ["sam@example.net", "kim@example.net"]) {
    await app.v1("/track/signup", { email, ref_id: "jane" });
  }
  for (const sale of sales) {
    await app.v1("/track/sale", { email: "sam@example.net", amount: "10000", ...sale });
  }
  expect(
    (await file("referrals")).map(({ email, sales_count, mrr }) => ({ email, sales_count, mrr })),
  ).toEqual([
    { email: "sam@example.net", sales_count: "3", mrr: "49.50" },
    { email: "kim@example.net", sales_count: "0", mrr: "" },
  ]);
});

it("a file of many records is read page by page, and leaves none out", async () => {
  await fillWithExamples(app, {
    promoters: 20,
    leads: 1_100,
    sales: 300,
  });
  const ids = (await file("referrals")).map(({ id }) => Number(id));
  const stored = (await app.records.all("lead")).map(({ id }) => id);
  expect(ids).toEqual(stored);
  const paid = (await file("commissions")).filter(({ status }) => status === "paid");
  const completed = (await file("payouts")).filter(({ status }) => status === "completed");
  const sum = (rows: Record<string, string>[]) =>
    rows.reduce(
      (total, { amount, unit }) => (unit === "cash" ? total + Math.round(Number(amount) * 100) : total),
      0,
    );
  expect(completed.length).toBeGreaterThan(0);
  expect(sum(paid)).toBe(sum(completed));
});

it("who takes a file is in the audit log, and a viewer takes none", async () => {
  const manager = await callAs(app, await addUser(app, "manager"));
  const viewer = await callAs(app, await addUser(app, "viewer"));
  expect((await manager("GET /exports/payouts")).status).toBe(200);
  const refused = await viewer("GET /exports/payouts");
  expect({ status: refused.status, body: refused.body }).toEqual({
    status: 403,
    body: { message: "This needs the role manager, and you are a viewer", code: "forbidden" },
  });
  await app.v2("HEAD", "/exports/payouts");
  expect((await app.v2("GET", "/audit_log?filters[action]=exported")).body).toMatchObject([
    {
      actor: { kind: "user", name: "manager@acme.example" },
      action: "exported",
      entity: "payout",
      entity_id: "all",
      before: null,
      after: null,
    },
  ]);
});
