import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onCopy } from "../../../server/transfer/copy.ts";
import { COMMISSIONS } from "../../../server/transfer/csv/commissions.ts";
import type { Kind } from "../../../server/transfer/csv/import.ts";
import { importCsv } from "../../support/csv.ts";
import { CUSTOMERS, LEADS } from "../../../server/transfer/csv/leads.ts";
import { PROMOTERS } from "../../../server/transfer/csv/promoters.ts";
import { accounts } from "../../../server/domain/program/account/account.ts";
import { SYSTEM } from "../../../server/domain/context.ts";
import { commissions } from "../../../server/domain/ledger/commission/commission.ts";
import { leads } from "../../../server/domain/people/lead/lead.ts";
import { promoters } from "../../../server/domain/people/promoter/promoter.ts";
import { promoterCampaigns } from "../../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import { NOW, startApp, STORAGES, type TestApp } from "../../support/app.ts";
import { v1 } from "../../support/calls.ts";
import { statsOf } from "../../support/stats.ts";
import { balancesOf } from "../../support/money.ts";
import { newCommission } from "../../support/commissions.ts";

const NONE = { added: 0, changed: 0, known: 0, bad: 0 };

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "tidemark-"))));
afterEach(() => rmSync(folder, { recursive: true }));

async function run(
  app: Pick<TestApp, "context" | "account_id">,
  kind: Kind,
  lines: string[],
  delimiter = ",",
) {
  const file = join(folder, "file.csv");
  writeFileSync(file, lines.join("\n"));
  const account = (await app.context.store.get(accounts, SYSTEM, app.account_id))!;
  const bad: string[] = [];
  const onBad = (line: number, reason: string) => bad.push(`${line}: ${reason}`);
  const left: { unknown?: string[] } = {};
  const onUnknown = (titles: string[]) => void (left.unknown = titles);
  return {
    ...(await importCsv(app.context, account, { kind, file, delimiter, onUnknown, onBad })),
    bad,
    ...left,
  };
}

const clean = (counts: Partial<typeof NONE>) => ({ ...NONE, ...counts, bad: [] });

describe.each(STORAGES)("on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => void (app = await startApp(storage)));
  afterEach(() => app.close());

  const get = <T extends typeof promoters | typeof leads | typeof commissions>(from: T, id: number) =>
    app.context.store.get(from as never, app.account_id, id) as Promise<Record<string, unknown> | null>;

  const JANE = ["email,ref_id", "jane@example.com,jane"];

  it.each([
    ["JPY", ["1000", "3", "12.5"], [1_000, 3], "4: amount must be a number of no decimals"],
    ["KWD", ["1.234", "3.000", "1.2345"], [1_234, 3], "4: amount must be a number of at most three decimals"],
  ])("reads amounts of commissions in %s", async (currency, amounts, imported, fault) => {
    await app.context.store.transact(async (tx) => {
      await tx.put(accounts, { ...(await tx.get(accounts, SYSTEM, app.account_id))!, currency });
    });
    await run(app, PROMOTERS, JANE);
    const rows = amounts.map((amount, at) => `e${at},jane,${amount},${at === 1 ? "points" : "cash"}`);
    const result = await run(app, COMMISSIONS, ["event_id,ref_id,amount,unit", ...rows]);
    expect(result).toEqual({ ...NONE, added: 2, bad: [fault] });
    const made = await app.context.store.page(commissions, "id", app.account_id, [], { limit: 9 });
    expect(made.map(({ amount }) => amount)).toEqual(imported);
  });

  it("imports promoters once, with the column names of other programs", async () => {
    const file = [
      "\uFEFFE-Mail;First Name;Last Name;Ref ID;Parent Email;Coupon;Created At;Their Rating",
      'Jane@Example.com;Jane;"Doe; the first";JANE;;SAVE10;2024-05-06;5',
      "",
      "bob@example.com;Bob;;;jane@example.com;;2024-05-07T08:09:10Z;",
    ];
    const unknown = ["Their Rating"];
    expect(await run(app, PROMOTERS, file, ";")).toEqual({ ...clean({ added: 2 }), unknown });
    expect(await get(promoters, 1)).toMatchObject({
      email: "Jane@Example.com",
      profile: { first_name: "Jane", last_name: "Doe; the first" },
      created_at: "2024-05-06T00:00:00.000Z",
      skip_email_notification: true,
    });
    expect(await app.context.store.get(promoterCampaigns, app.account_id, 1)).toMatchObject({
      ref_token: "jane",
      coupon: "SAVE10",
      state: "accepted",
    });
    expect(await get(promoters, 2)).toMatchObject({
      parent_promoter_id: 1,
      created_at: "2024-05-07T08:09:10.000Z",
    });
    expect(await run(app, PROMOTERS, file, ";")).toEqual({ ...clean({ known: 2 }), unknown });
  });

  it("imports leads once, counts them on their own days, and lets them still sign up", async () => {
    await run(app, PROMOTERS, JANE);
    const file = [
      "email,uid,ref_id,promoter_email,state,plan,customer_since,cancelled_at,created_at",
      "mia@example.com,cus_1,jane,,,,,,2024-05-06",
      "zoe@example.com,,,JANE@example.com,Active,pro,2024-06-01,,2024-05-06",
      ",cus_3,jane,,cancelled,,2024-06-01,2024-07-01,2024-05-06",
    ];
    expect(await run(app, LEADS, file)).toEqual(clean({ added: 3 }));
    expect(await run(app, LEADS, file)).toEqual(clean({ known: 3 }));
    const all = await app.context.store.page(leads, "id", app.account_id, [], { limit: 9 });
    expect(all).toHaveLength(3);
    expect(all.find(({ uid }) => uid === "cus_1")).toMatchObject({
      state: "signup",
      fraud_check: "no_suspicion",
      signup_event_id: null,
      created_at: "2024-05-06T00:00:00.000Z",
    });
    expect(await statsOf(app.context.store, app.account_id, 1)).toMatchObject({
      referrals: 3,
      customers: 2,
      active_customers: 1,
      cancellations: 1,
    });
    expect(await app.v1("/track/signup", { email: "mia@example.com", ref_id: "jane" })).toMatchObject({
      status: 200,
    });
  });

  it("refuses a commission that names only a lead whose promoter is gone", async () => {
    await run(app, PROMOTERS, JANE);
    await run(app, LEADS, ["email,ref_id", "mia@example.com,jane"]);
    expect(await v1(app, "DELETE", "/promoters/delete", { id: "1" })).toMatchObject({ status: 200 });
    const file = ["email,amount", "mia@example.com,10"];
    expect(await run(app, COMMISSIONS, file)).toEqual({ ...NONE, bad: ["2: the promoter was not found"] });
    expect(await app.context.store.count(commissions, "id", app.account_id, [])).toBe(0);
  });

  it("keeps a denied lead denied, also as a customer", async () => {
    await run(app, PROMOTERS, JANE);
    await run(app, LEADS, ["email,ref_id", "mia@example.com,jane"]);
    await app.v2("POST", "/referrals/disable", { ids: [1] });
    const file = ["email,customer_id,created_at", "mia@example.com,cus_1,2024-06-01"];
    expect(await run(app, CUSTOMERS, file)).toEqual(clean({ changed: 1 }));
    expect(await get(leads, 1)).toMatchObject({
      state: "denied",
      uid: "cus_1",
      customer_since: "2024-06-01T00:00:00.000Z",
    });
  });

  it("imports customers, also those who are already leads", async () => {
    await run(app, PROMOTERS, JANE);
    await run(app, LEADS, ["email,ref_id,created_at", "mia@example.com,jane,2024-05-06"]);
    const file = [
      "email,customer_id,ref_id,plan,created_at",
      "mia@example.com,cus_1,jane,pro,2024-06-01",
      "zoe@example.com,cus_2,jane,,2024-06-02",
    ];
    expect(await run(app, CUSTOMERS, file)).toEqual(clean({ changed: 1, added: 1 }));
    expect(await run(app, CUSTOMERS, file)).toEqual(clean({ known: 2 }));
    expect(await app.context.store.find(leads, "uid", app.account_id, ["cus_1"])).toMatchObject({
      email: "mia@example.com",
      state: "active",
      plan_id: "pro",
      customer_since: "2024-06-01T00:00:00.000Z",
      created_at: "2024-05-06T00:00:00.000Z",
    });
    const counted = { referrals: 2, customers: 2, active_customers: 2 };
    expect(await statsOf(app.context.store, app.account_id, 1)).toMatchObject(counted);
  });

  it("lets a lead that moves take along what was imported for its own promoter only", async () => {
    await run(app, PROMOTERS, [
      "email,ref_id",
      "jane@example.com,jane",
      "zoe@example.com,zoe",
      "lee@example.com,lee",
    ]);
    await run(app, LEADS, ["email,ref_id", "mia@example.com,jane"]);
    await run(app, COMMISSIONS, ["lead_email,ref_id,amount", "mia@example.com,,1", "mia@example.com,zoe,2"]);
    const owners = async () => [
      (await get(commissions, 1))?.["promoter_id"],
      (await get(commissions, 2))?.["promoter_id"],
    ];
    await app.v1("/leads/update", { email: "mia@example.com", new_ref_id: "zoe" });
    expect(await owners()).toEqual([2, 2]);
    await app.v1("/leads/update", { email: "mia@example.com", new_ref_id: "lee" });
    expect(await owners()).toEqual([3, 2]);
  });

  it("imports commissions once, with balances; two equal lines are two commissions", async () => {
    await run(app, PROMOTERS, JANE);
    await run(app, LEADS, ["email,ref_id", "mia@example.com,jane"]);
    const file = [
      "id,ref_id,lead_email,amount,unit,status,sale_amount,sale_id,created_at",
      "r1,,mia@example.com,12.34,,approved,100.5,s1,2024-05-06",
      "r2,jane,,5,,paid,,,2024-05-06",
      "r3,jane,,7,points,pending,,,",
      ",jane,,1,,,,,2024-05-06",
      ",jane,,1,,,,,2024-05-06",
    ];
    expect(await run(app, COMMISSIONS, file)).toEqual(clean({ added: 5 }));
    expect(await run(app, COMMISSIONS, file)).toEqual(clean({ known: 5 }));
    const imported = newCommission({
      account_id: app.account_id,
      id: 1,
      promoter_campaign_id: 1,
      promoter_id: 1,
      campaign_id: 1,
      lead_id: 1,
      commission_type: "sale",
      amount: 1_234,
      event_id: "s1",
      sale_amount: 10_050,
      created_at: "2024-05-06T00:00:00.000Z",
    });
    expect(await get(commissions, 1)).toEqual(imported);
    expect(await get(commissions, 3)).toMatchObject({ unit: "points", amount: 7, created_at: NOW });
    expect(await balancesOf(app, 1)).toEqual({
      cash: { earnings: 1_934, current: 1_434, paid: 500 },
    });
    expect(await statsOf(app.context.store, app.account_id, 1)).toMatchObject({
      sales: 1,
      sales_cents: 10_050,
      earnings_cents: 1_934,
      paid_cents: 500,
    });
  });

  it("shows the imported balances, flat and nested", async () => {
    await run(app, PROMOTERS, JANE);
    const file = [
      "id,ref_id,amount,unit,status",
      "r1,jane,12.34,,approved",
      "r2,jane,5,,paid",
      "r3,jane,7,points,approved",
    ];
    expect(await run(app, COMMISSIONS, file)).toEqual(clean({ added: 3 }));
    const none = { cash: 0, credits: 0, points: 0, free_months: 0, discount: 0 };
    const current = { ...none, cash: 1_234, points: 7 };
    expect((await app.v2("GET", "/promoters/1")).body).toMatchObject({
      balances: {
        ...current,
        current_balance: current,
        earnings_balance: { ...none, cash: 1_734, points: 7 },
        paid_balance: { ...none, cash: 500 },
      },
    });
  });

  describe("commissions that are imported again", () => {
    const HEADER = "event_id,lead_email,amount,status,sale_amount,created_at";
    const line = (status: string) => [HEADER, `s1,mia@example.com,12.34,${status},100,2024-05-06`];
    const balance = async () => (await balancesOf(app, 1))["cash"] ?? null;
    const stats = () => statsOf(app.context.store, app.account_id, 1);
    beforeEach(async () => {
      await run(app, PROMOTERS, ["email,ref_id", "jane@example.com,jane", "joe@example.com,joe"]);
      await run(app, LEADS, ["email,uid,ref_id", "mia@example.com,u1,jane"]);
    });

    it.each<
      [from: string, to: string, outcome: Partial<typeof NONE>, stored: string, cents: number[] | null]
    >([
      ["pending", "approved", { changed: 1 }, "approved", [1_234, 1_234, 0]],
      ["pending", "paid", { changed: 1 }, "approved", [1_234, 0, 1_234]],
      ["pending", "denied", { changed: 1 }, "denied", null],
      ["approved", "paid", { changed: 1 }, "approved", [1_234, 0, 1_234]],
      ["approved", "denied", { changed: 1 }, "denied", null],
      ["denied", "approved", { changed: 1 }, "approved", [1_234, 1_234, 0]],
      ["approved", "pending", { known: 1 }, "approved", [1_234, 1_234, 0]],
      ["paid", "approved", { known: 1 }, "approved", [1_234, 0, 1_234]],
      ["paid", "denied", { known: 1 }, "approved", [1_234, 0, 1_234]],
    ])("are recognised by event and lead, from %s to %s", async (from, to, outcome, status, cents) => {
      expect(await run(app, COMMISSIONS, line(from))).toEqual(clean({ added: 1 }));
      expect(await run(app, COMMISSIONS, line(to))).toEqual(clean(outcome));
      expect(await run(app, COMMISSIONS, line(to))).toEqual(clean({ known: 1 }));
      expect(await get(commissions, 1)).toMatchObject({ status, amount: 1_234 });
      expect(await get(commissions, 2)).toBeNull();
      const [earnings = 0, current = 0, paid = 0] = cents ?? [];
      expect(await balance()).toEqual(cents && { earnings, current, paid });
      expect(await stats()).toMatchObject({
        sales: 1,
        sales_cents: 10_000,
        earnings_cents: earnings,
        paid_cents: paid,
      });
    });

    it("are recognised by the lead's uid as well, and by their ids", async () => {
      await run(app, COMMISSIONS, line("pending"));
      const byUid = ["event_id,uid,ref_id,amount,status", "s1,u1,jane,12.34,approved"];
      expect(await run(app, COMMISSIONS, byUid)).toEqual(clean({ changed: 1 }));
      const byId = (status: string) => ["id,ref_id,amount,status", `c1,jane,1,${status}`];
      expect(await run(app, COMMISSIONS, byId("pending"))).toEqual(clean({ added: 1 }));
      expect(await run(app, COMMISSIONS, byId("paid"))).toEqual(clean({ changed: 1 }));
      expect(await balance()).toEqual({ earnings: 1_334, current: 1_234, paid: 100 });
    });

    it("are recognised by everything except the status if no event or no lead is named", async () => {
      const file = (...statuses: string[]) => [
        "ref_id,amount,status",
        ...statuses.map((status) => `jane,1,${status}`),
      ];
      expect(await run(app, COMMISSIONS, file("pending", "approved"))).toEqual(clean({ added: 2 }));
      expect(await run(app, COMMISSIONS, file("paid", "paid"))).toEqual(clean({ changed: 2 }));
      expect(await balance()).toEqual({ earnings: 200, current: 0, paid: 200 });
    });

    it("are new if the same event pays another promoter or another unit", async () => {
      const header = "event_id,lead_email,ref_id,amount,unit";
      const file = [
        header,
        "s1,mia@example.com,jane,5,",
        "s1,mia@example.com,joe,1,",
        "s1,mia@example.com,,7,points",
      ];
      expect(await run(app, COMMISSIONS, file)).toEqual(clean({ added: 3 }));
      expect(await run(app, COMMISSIONS, file)).toEqual(clean({ known: 3 }));
    });

    it("are reported, and stay as they are, if their amount differs", async () => {
      await run(app, COMMISSIONS, line("pending"));
      const file = [HEADER, "s1,mia@example.com,12.35,approved,,"];
      const reason = "was imported with another amount; commissions of one event need ids of their own";
      expect(await run(app, COMMISSIONS, file)).toEqual({ ...NONE, bad: [`2: ${reason}`] });
      expect(await get(commissions, 1)).toMatchObject({ status: "pending", amount: 1_234 });
    });
  });

  it.each<[string, Kind, string[], string[]]>([
    [
      "promoters",
      PROMOTERS,
      [
        "email,ref_id,parent_email,created_at",
        "no address,,,",
        ",new,,",
        "a@example.com,not good,,yesterday",
        "b@example.com,jane,,",
        "c@example.com,,nobody@example.com,",
        "d@example.com,d",
        "e@example.com,,,",
      ],
      [
        "2: email is invalid",
        "3: email can't be blank",
        "4: ref_id is invalid, created_at is invalid",
        "5: ref_id has already been taken",
        "6: Parent promoter not found.",
        "7: has 2 columns, while the header has 4",
      ],
    ],
    [
      "leads",
      LEADS,
      [
        "email,uid,ref_id,state",
        ",,jane,",
        "a@example.com,,,",
        "a@example.com,,nobody,",
        "lead@example.com,cus_2,jane,",
        "e@example.com,,jane,",
      ],
      [
        "2: email or uid is missing",
        "3: ref_id or promoter_email is missing",
        "4: the promoter was not found",
        "5: there is already a signup event registered on this lead",
      ],
    ],
    [
      "commissions",
      COMMISSIONS,
      [
        "ref_id,lead_email,amount,unit,status",
        "jane,,1.234,,",
        "jane,,(1),,",
        "jane,,1.5,points,",
        "jane,,1,beans,",
        "jane,nobody@example.com,1,,",
        "jane,,1,,",
      ],
      [
        "2: amount must be a number of at most two decimals",
        "3: amount must be a number of at most two decimals",
        "4: amount is in whole points",
        "5: unit is not one of cash, credits, points, free_months, mon_discount, discount_per",
        "6: the lead was not found",
      ],
    ],
  ])(
    "reports each bad line of %s with its number and reason, and imports the others",
    async (_, kind, file, bad) => {
      await run(app, PROMOTERS, JANE);
      await run(app, LEADS, ["email,uid,ref_id", "lead@example.com,,jane", "other@example.com,cus_2,jane"]);
      expect(await run(app, kind, file)).toEqual({ ...NONE, added: 1, bad });
    },
  );

  const HEADER = "email,first_name,note";
  const fault =
    "has a quote that neither begins nor ends a value; write it twice, and put the whole value in quotes";

  it.each<[string, string[], number[]]>([
    ["opens and never ends", ['a@example.com,"Ann,', "b@example.com,,", "c@example.com,,"], [2]],
    ["stands within a value", ["a@example.com,,", 'b@example.com,Bo"b,', "c@example.com,,"], [3]],
    ["ends before its value", ['a@example.com,"A"nn,', 'b@example.com,"B"ob,', "c@example.com,,"], [2, 3]],
    [
      "opens, with proper ones below",
      ['a@example.com,"A,', 'b@example.com,"Bob",', 'c@example.com,,"x"'],
      [2],
    ],
    ["opens in the last line", ["a@example.com,,", "b@example.com,,", '"c@example.com,,'], [4]],
    ["is one of two that open", ['a@example.com,"A,', 'b@example.com,"B,', "c@example.com,,"], [2, 3]],
  ])("continues with the next line if a quote %s", async (_, lines, bad) => {
    expect(await run(app, PROMOTERS, [HEADER, ...lines])).toEqual({
      ...NONE,
      added: 3 - bad.length,
      bad: bad.map((line) => `${line}: ${fault}`),
    });
  });

  it("reads values of several lines with commas and doubled quotes, with any line end", async () => {
    const file = [
      HEADER,
      'jane@example.com,"Jane ""J"" Doe","one,\r\ntwo\r\n\r\nthree"',
      "",
      "d@example.com,,\r",
    ];
    expect(await run(app, PROMOTERS, [file.join("\r\n")])).toEqual(clean({ added: 2 }));
    expect(await get(promoters, 1)).toMatchObject({
      profile: { first_name: 'Jane "J" Doe' },
      note: "one,\ntwo\n\nthree",
    });
  });

  it("refuses a file whose header has a misplaced quote", async () => {
    await expect(run(app, PROMOTERS, ['em"ail', "a@example.com"])).rejects.toThrow(`The header ${fault}`);
  });

  it("refuses a file without a known column", async () => {
    await expect(run(app, PROMOTERS, ["a;b", "1;2"])).rejects.toThrow(
      /^No column is known; these are possible: email, /,
    );
  });
});

it("shows the result of an import without writing it", async () => {
  const app = await startApp();
  const { account_id, context, stored } = app;
  const before = await stored.entries();
  const account = (await context.store.get(accounts, SYSTEM, account_id))!;
  await onCopy(context.store, account, async (store) => {
    const dry = { account_id, context: { ...context, store } };
    const promoterFile = ["email,ref_id", "jane@example.com,jane", "jim@example.com,jane"];
    expect(await run(dry, PROMOTERS, promoterFile)).toEqual({
      ...NONE,
      added: 1,
      bad: ["3: ref_id has already been taken"],
    });
    expect(await run(dry, LEADS, ["email,ref_id", "mia@example.com,jane"])).toEqual(clean({ added: 1 }));
    expect(await run(dry, COMMISSIONS, ["email,amount", "mia@example.com,5"])).toEqual(clean({ added: 1 }));
    const [jane] = await store.page(promoters, "id", account_id, [], { limit: 9 });
    const own = { limit: 9, reverse: true };
    expect(await store.page(leads, "promoter", account_id, [jane!.id], own)).toHaveLength(1);
    expect(await store.count(leads, "id", account_id, [])).toBe(1);
  });
  expect(await stored.entries()).toEqual(before);
  await app.close();
});
