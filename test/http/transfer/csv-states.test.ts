import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as pathOf } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KINDS, type KindName } from "../../../server/transfer/csv/kinds.ts";
import { KEY, startApp, type TestApp } from "../../support/app.ts";
import { accountOf } from "../../support/billing.ts";
import { importCsv } from "../../support/csv.ts";
import { balancesOf } from "../../support/money.ts";
import { join } from "../../support/v2.ts";

let folder: string;
let app: TestApp;
beforeEach(async () => {
  folder = mkdtempSync(pathOf(tmpdir(), "tidemark-"));
  app = await startApp();
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  expect(app.bugs).toEqual([]);
  await app.close();
});

const SAID = { columns: {}, words: {} };

async function run(kind: KindName, lines: string[], said: Partial<typeof SAID> = SAID) {
  const file = pathOf(folder, "file.csv");
  writeFileSync(file, lines.join("\n"));
  const bad: string[] = [];
  const outcome = await importCsv(app.context, await accountOf(app), {
    kind: KINDS[kind],
    file,
    chosen: new Map(Object.entries(said.columns ?? {})),
    words: new Map(Object.entries(said.words ?? {})),
    onBad: (line, reason) => void bad.push(`${line}: ${reason}`),
  });
  return { ...outcome, bad };
}

const added = (count: number) => ({ added: count, changed: 0, known: 0, bad: [] });

/** Amount, sale, status, and whether it was paid, of all commissions. */
const earned = async () =>
  (await app.records.all("commission")).map((each) => [
    each.amount,
    each.sale_amount,
    each.is_paid_elsewhere ? "paid" : each.status,
  ]);

async function ask(kind: KindName, file: string, query: Record<string, string> = {}) {
  const search = new URLSearchParams({ kind, dry_run: "true", ...query });
  const response = await app.request(`/api/v2/company/imports?${search}`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "account-id": "acme", "content-type": "text/csv" },
    body: file,
  });
  return (await response.json()) as Record<string, unknown>;
}

describe("commissions of another program", () => {
  beforeEach(async () => {
    await join(app, "ann@aff.example", { ref_id: "ann" });
    await join(app, "bob@aff.example", { ref_id: "bob" });
  });

  it("that a column of payments calls paid are paid, and the others are owed", async () => {
    const file = [
      "Affiliate Email,Commission,Payment Status,Date",
      "ann@aff.example,20.00,Paid,2024-03-03",
      "ann@aff.example,30.00,Unpaid,2024-03-04",
    ];
    expect(await run("commissions", file)).toEqual(added(2));
    expect(await balancesOf(app, 1)).toEqual({ cash: { earnings: 5_000, current: 3_000, paid: 2_000 } });
    expect(await run("commissions", file)).toEqual({ ...added(0), known: 2 });
    // What was paid there since is paid here, too.
    expect(
      await run(
        "commissions",
        file.map((line) => line.replace("Unpaid", "PAID")),
      ),
    ).toEqual({
      ...added(0),
      known: 1,
      changed: 1,
    });
    expect(await balancesOf(app, 1)).toEqual({ cash: { earnings: 5_000, current: 0, paid: 5_000 } });
  });

  it("have the amount of the narrower of two columns, and the other is the sale's", async () => {
    const file = [
      "external_id,amount,created_at,affiliate_email,program,currency,commission_status,commission_type,commission_amount",
      "o-11,100.00,2024-03-03T10:11:12Z,bob@aff.example,prog,USD,approved,standard,20.00",
      "o-12,200.00,2024-03-04T10:11:12Z,bob@aff.example,prog,USD,disapproved,standard,40.00",
    ];
    expect(await run("commissions", file)).toEqual(added(2));
    expect(await earned()).toEqual([
      [2_000, 10_000, "approved"],
      [4_000, 20_000, "denied"],
    ]);
    expect((await app.records.all("commission")).map(({ event_id }) => event_id)).toEqual(["o-11", "o-12"]);
  });

  it("stay denied or paid if another column says otherwise", async () => {
    const file = [
      "Conversion ID,Affiliate Email,Order ID,Order Total,Commission,Currency,Conversion Status,Payment Status,Date",
      '901,bob@aff.example,#1001,$100.00,$10.00,USD,APPROVED,PAID,"Mar 3, 2024 10:11 AM"',
      '902,bob@aff.example,#1002,$70.00,$7.00,USD,PENDING,UNPAID,"Mar 4, 2024 10:11 AM"',
      '903,bob@aff.example,#1003,$50.00,$5.00,USD,DENIED,UNPAID,"Mar 5, 2024 1:02 PM"',
      '904,bob@aff.example,#1004,$30.00,$3.00,USD,APPROVED,UNPAID,"Mar 6, 2024 1:02 PM"',
    ];
    expect(await run("commissions", file)).toEqual(added(4));
    expect(await earned()).toEqual([
      [1_000, 10_000, "paid"],
      [700, 7_000, "pending"],
      [500, 5_000, "denied"],
      [300, 3_000, "approved"],
    ]);
  });

  it("have states in the words of the usual programs", async () => {
    const states = ["Paid", "PENDING", "unpaid", "rejected", "voided", "due"];
    const file = [
      "promoter_email,amount,status",
      ...states.map((state, at) => `ann@aff.example,${at + 1},${state}`),
    ];
    expect(await run("commissions", file)).toEqual(added(6));
    expect((await earned()).map(([, , state]) => state)).toEqual([
      "paid",
      "pending",
      "approved",
      "denied",
      "denied",
      "approved",
    ]);
  });

  it.each([
    ["paid_at", ["2024-03-03", ""]],
    ["Is paid", ["yes", "no"]],
    ["Paid?", ["TRUE", "FALSE"]],
    ["is_paid", ["1", "0"]],
    ["Paid on", ["3 Mar 2024", ""]],
  ])("are paid if %s says so", async (title, [paid, owed]) => {
    const file = [`ref_id,amount,${title}`, `ann,1,${paid}`, `ann,2,${owed}`];
    expect(await run("commissions", file)).toEqual(added(2));
    expect((await earned()).map(([, , state]) => state)).toEqual(["paid", "approved"]);
  });

  it.each([
    [
      "status",
      "ann,1,ausgezahlt",
      'Say what these words of status mean (pending, approved, denied, paid): "ausgezahlt"',
    ],
    [
      "Zahlungsstand",
      "ann,1,Paid",
      '"Zahlungsstand" may hold states: say whether it is status or payment_status, or ignore it',
    ],
    [
      "My state",
      "ann,1,x",
      '"My state" may hold states: say whether it is status or payment_status, or ignore it',
    ],
    [
      "Payout",
      "ann,1,7",
      '"Payout" may hold states: say whether it is status or payment_status, or ignore it',
    ],
  ])("are not imported while %s is not understood", async (title, line, question) => {
    const file = [`ref_id,amount,${title}`, line];
    await expect(run("commissions", file)).rejects.toThrow(question);
    expect(await ask("commissions", file.join("\n"))).toMatchObject({ problems: [question], batch: null });
    expect(await earned()).toEqual([]);
    expect(await run("commissions", file, { columns: { [title]: null as never } })).toEqual(added(1));
  });

  it("are imported when someone has said what the words mean", async () => {
    const file = ["ref_id,amount,status", "ann,1,Ausgezahlt", "ann,2,offen", "ann,3,paid"];
    const words = { Ausgezahlt: "paid", OFFEN: "approved" };
    expect(await ask("commissions", file.join("\n"))).toMatchObject({
      words: [
        {
          field: "status",
          word: "Ausgezahlt",
          meaning: null,
          meanings: ["pending", "approved", "denied", "paid"],
        },
        { field: "status", word: "offen", meaning: null },
        { field: "status", word: "paid", meaning: "paid" },
      ],
    });
    expect(await ask("commissions", file.join("\n"), { words: JSON.stringify(words) })).toMatchObject({
      problems: [],
      preview: [
        { values: { status: "paid" } },
        { values: { status: "approved" } },
        { values: { status: "paid" } },
      ],
      batch: { meta: { added: 3, bad: 0 } },
    });
    expect(await run("commissions", file, { words })).toEqual(added(3));
    expect(await balancesOf(app, 1)).toEqual({ cash: { earnings: 600, current: 200, paid: 400 } });
    await expect(run("commissions", file, { words: { offen: "open" } })).rejects.toThrow(
      '"offen" can\'t mean "open", only pending, approved, denied, paid',
    );
  });

  it("with an unknown word far below are bad lines, and owe nothing", async () => {
    const many = Array.from({ length: 600 }, (_, at) => `c${at},ann,1,paid`);
    const file = ["id,ref_id,amount,status", ...many, "last,ann,1,ausgezahlt"];
    const reason = "602: status is not one of pending, approved, denied, paid";
    expect(await run("commissions", file)).toEqual({ ...added(600), bad: [reason] });
    expect(await balancesOf(app, 1)).toEqual({ cash: { earnings: 60_000, current: 0, paid: 60_000 } });
  });
});

it("promoters keep their states, and unknown ones are a question", async () => {
  const states = ["Approved", "rejected", "BLOCKED", "Suspended", "inactive", "awaiting approval", ""];
  const file = ["Email,Affiliate Status", ...states.map((state, at) => `p${at}@example.com,${state}`)];
  expect(await run("promoters", file)).toEqual(added(7));
  expect((await app.records.all("promoterCampaign")).map(({ state }) => state)).toEqual([
    "accepted",
    "rejected",
    "blocked",
    "blocked",
    "inactive",
    "pending",
    "accepted",
  ]);
  await expect(run("promoters", ["email,state", "x@example.com,gesperrt"])).rejects.toThrow(
    'Say what these words of state mean (pending, accepted, rejected, blocked, inactive): "gesperrt"',
  );
});

it("leads have states in the words of the usual programs", async () => {
  await join(app, "ann@aff.example", { ref_id: "ann" });
  const states = ["Lead", "trialing", "Canceled", "conversion", "declined"];
  const file = ["email,ref_id,status", ...states.map((state, at) => `l${at}@example.com,ann,${state}`)];
  expect(await run("leads", file)).toEqual(added(5));
  expect((await app.records.all("lead")).map(({ state }) => state)).toEqual([
    "signup",
    "signup",
    "cancelled",
    "active",
    "denied",
  ]);
  await expect(run("leads", ["email,ref_id,state", "x@example.com,ann,odd"])).rejects.toThrow(
    "Say what these words of state mean",
  );
});
