import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callCli } from "../support/cli.ts";
import { addCommission, addPayout, addPromoter, selectMethod } from "../support/payouts.ts";
import { temporaryFolder } from "../support/server.ts";
import { withStore } from "../support/operations.ts";

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const SETTINGS = {
  account_id: "acme",
  cycle: "monthly",
  net_days: 30,
  min_payment: 0,
  min_customers: 0,
  max_run: 0,
  max_day: 0,
  rest_days: 0,
  requires_second_person: false,
  requires_method: false,
  requires_invoice_details: false,
};

let folder: string;
let remove: () => void;
beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  await run("account", "create", "Acme", "--id", "acme", "--landing-url", "https://www.acme.example/");
});
afterEach(() => remove());

/** The printed value of a command that must succeed. */
async function run<T = unknown>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await callCli(folder, words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as T;
}

async function refusal(...words: string[]) {
  const { code, stdout, stderr } = await callCli(folder, words);
  return { code, stdout, stderr: stderr.split("\n")[0] };
}

/** Works on the store while no command does. */
describe("tidemark payouts settings", () => {
  it("shows the settings, changes those that are given and keeps the others", async () => {
    expect(await run("payouts", "settings", "acme")).toEqual(SETTINGS);
    const changed = {
      ...SETTINGS,
      cycle: "biweekly",
      net_days: 15,
      min_payment: 5_000,
      min_customers: 2,
      requires_method: true,
      requires_invoice_details: true,
    };
    const options = [
      "--cycle",
      "biweekly",
      "--net-days",
      "15",
      "--min-payment",
      "5000",
      "--min-customers",
      "2",
    ];
    const requiring = ["--require-method", "--require-invoice-details"];
    expect(await run("payouts", "settings", "acme", ...options, ...requiring)).toEqual(changed);
    expect(await run("payouts", "settings", "acme", "--no-require-method", "--net-days", "0")).toEqual({
      ...changed,
      net_days: 0,
      requires_method: false,
    });
  });

  it.each([
    ["--cycle", "daily", /^error: option '--cycle <cycle>' argument 'daily' is invalid/],
    ["--net-days", "-1", /^--net-days must be a whole number/],
    ["--net-days", "366", /^--net-days must be a whole number from 0 to 365$/],
    ["--min-payment", "1.50", /^--min-payment must be a whole number from 0 to 1000000000000$/],
    ["--min-customers", "1000001", /^--min-customers must be a whole number from 0 to 1000000$/],
  ])("refuses %s %s", async (option, value, message) => {
    expect(await refusal("payouts", "settings", "acme", option, value)).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
    expect(await run("payouts", "settings", "acme")).toEqual(SETTINGS);
  });
});

describe("tidemark payouts generate", () => {
  it("makes the payouts of a period, lists the run, and changes nothing when repeated", async () => {
    await withStore(`sqlite:${folder}`, async ({ context, records, account_id }) => {
      const account = (await records.get("account", account_id))!;
      const jane = await addPromoter(context, account, { email: "jane@example.com" });
      await addCommission(context, jane);
      await addCommission(context, jane, { created_at: "2026-02-03T00:00:00.000Z" });
    });
    const january = {
      group_ref: "2026-01",
      period_start: "2026-01-01T00:00:00.000Z",
      period_end: "2026-01-31T23:59:59.999Z",
      started_at: INSTANT,
      finished_at: INSTANT,
      payouts: 1,
    };
    const made = await run("payouts", "generate", "acme", "--day", "2026-01-17");
    expect(made).toEqual(january);
    expect(await run("payouts", "generate", "acme", "--day", "2026-01-01")).toEqual(made);
    const latest = await run("payouts", "generate", "acme");
    expect(latest).toMatchObject({ payouts: 1, finished_at: INSTANT });
    expect(await run("payouts", "list-runs", "acme")).toEqual([latest, made]);
  });

  it.each([
    [["--day", "2026-02-30"], "--day 2026-02-30 is not a day such as 2026-01-31"],
    [["--day", "2999-01-01"], "The period 2999-01 is not over yet"],
  ])("refuses %j", async (words, stderr) => {
    expect(await refusal("payouts", "generate", "acme", ...words)).toEqual({ code: 1, stdout: "", stderr });
  });
});

describe("tidemark payouts batch", () => {
  it("gathers payouts, writes their file, and marks them as paid", async () => {
    await withStore(`sqlite:${folder}`, async ({ context, records, account_id }) => {
      const account = (await records.get("account", account_id))!;
      const jane = await addPromoter(context, account, { email: "jane@example.com" });
      await selectMethod(context, jane, {
        method: "paypal",
        details: { wallet_email: "jane@wallet.example" },
      });
      await addPayout(context, jane);
    });
    const batch = {
      id: 1,
      reference: "BATCH-1",
      method: "paypal",
      status: "awaiting_confirmation",
      total: 12_000,
      promoters: 1,
      created_at: INSTANT,
      error: null,
    };
    expect(await run("payouts", "batch", "acme", "paypal")).toEqual({ ...batch, left_out: [] });
    const file = await callCli(folder, ["payouts", "file", "acme", "1"]);
    const line = "jane@wallet.example,120.00,USD,BATCH-1-1,Payout BATCH-1-1,PAYPAL\r\n";
    expect(file).toEqual({ code: 0, stdout: line, stderr: "" });
    expect(await run("payouts", "pay", "acme", "1")).toEqual({ ...batch, status: "processing" });
    const completed = { ...batch, status: "completed" };
    expect(await run("payouts", "paid", "acme", "1")).toEqual({ ...completed, paid: 1, errors: [] });
    expect(await run("payouts", "list-batches", "acme")).toEqual([completed]);
  });

  it("need not be confirmed before it is paid", async () => {
    await withStore(`sqlite:${folder}`, async ({ context, records, account_id }) => {
      const account = (await records.get("account", account_id))!;
      const jane = await addPromoter(context, account, { email: "jane@example.com" });
      await selectMethod(context, jane, { method: "crypto" });
      await addPayout(context, jane);
    });
    await run("payouts", "batch", "acme", "crypto");
    expect(await refusal("payouts", "file", "acme", "1")).toMatchObject({
      stderr: "A batch of crypto payments has no bank file",
    });
    expect(await run("payouts", "paid", "acme", "1")).toMatchObject({ status: "completed", paid: 1 });
  });

  it("records failed payouts and cancels them", async () => {
    await withStore(`sqlite:${folder}`, async ({ context, records, account_id }) => {
      const account = (await records.get("account", account_id))!;
      const jane = await addPromoter(context, account, { email: "jane@example.com" });
      await addPayout(context, jane, { status: "processing" });
      await addPayout(context, jane);
    });
    expect(await run("payouts", "fail", "acme", "1", "2", "--error", "account closed")).toEqual({
      failed: 1,
      errors: ["2: A pending payout can't become failed"],
    });
    expect(await run("payouts", "cancel", "acme", "1", "2")).toEqual({ cancelled: 2, errors: [] });
  });

  it.each([
    [["fail", "acme", "x"], "<payout-ids...> must be a whole number"],
    [["batch", "acme", "paypal"], "No pending payout can be paid by PayPal"],
    [["file", "acme", "1", "--format", "bank"], "Payments batch not found."],
    [["pay", "acme", "x"], "<batch-id> must be a whole number"],
    [["paid", "acme", "9"], "Payments batch not found."],
  ])("refuses %j", async (words, stderr) => {
    expect(await refusal("payouts", ...words)).toEqual({ code: 1, stdout: "", stderr });
  });
});

describe("tidemark books", () => {
  it("writes what was owed at the end of a day, and every entry", async () => {
    await withStore(`sqlite:${folder}`, async ({ context, records, account_id }) => {
      const account = (await records.get("account", account_id))!;
      const jane = await addPromoter(context, account, { email: "jane@example.com" });
      await addCommission(context, jane, { amount: 1_234, created_at: "2026-01-31T00:00:00.000Z" });
    });
    const title =
      "from,to,promoter_id,promoter,email,currency,opening,earned,reversed,moved,paid,returned,closing,tax,fees";
    const amounts = "USD,0.00,12.34,0.00,0.00,0.00,0.00,12.34,0.00,0.00";
    expect(await callCli(folder, ["books", "acme", "--at", "2026-01-31"])).toEqual({
      code: 0,
      stdout: [
        title,
        `2026-01-01,2026-01-31,1,jane@example.com,jane@example.com,${amounts}`,
        `2026-01-01,2026-01-31,total,,,${amounts}`,
        "",
      ].join("\r\n"),
      stderr: "",
    });
    const entries = ["--from", "2026-01-01", "--at", "2026-02-28", "--file", "entries"];
    expect((await callCli(folder, ["books", "acme", ...entries])).stdout).toBe(
      "at,day,kind,promoter_id,record,record_id,currency,amount,tax\r\n2026-01-31T00:00:00.000Z,2026-01-31,earned,1,commission,1,USD,12.34,0.00\r\n",
    );
  });

  it.each([
    [["--at", "2026-02-30"], "--at 2026-02-30 is not a day such as 2026-01-31"],
    [["--from", "2026-02-02", "--at", "2026-02-01"], "--from 2026-02-02 is after 2026-02-01"],
  ])("refuses %j", async (words, stderr) => {
    expect(await refusal("books", "acme", ...words)).toEqual({ code: 1, stdout: "", stderr });
  });
});
