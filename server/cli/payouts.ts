import { Option, type Command } from "commander";
import { newProgressView } from "./progress.ts";
import { print, withStore } from "./store.ts";
import { loadAccount, PAYOUT_CYCLES, type Account } from "../domain/account/account.ts";
import { MOST_PAYOUT_SETTINGS, setPayoutSettings, type PayoutSettings } from "../domain/account/settings.ts";
import { commissions } from "../domain/commission/commission.ts";
import type { Context } from "../domain/context.ts";
import { latestPeriod, periodOfDay, type Period } from "../domain/payout/payout.ts";
import { generatePayouts } from "../domain/payout-run/generate.ts";
import { countOfRun, listRuns, type PayoutRun } from "../domain/payout-run/run.ts";
import { paymentCommands } from "./payments.ts";
import { wholeNumber } from "./whole-number.ts";

/** Adds the commands that pay promoters. */
export function payoutCommands(program: Command): void {
  const payouts = program.command("payouts").description("paying promoters");
  payouts
    .command("settings <account-id>")
    .description("show or change when and whom an account pays; options left out stay unchanged")
    .addOption(new Option("--cycle <cycle>", "period of a payout").choices(PAYOUT_CYCLES))
    .option(
      "--net-days <days>",
      "days from the period's end to the due date",
      upTo("--net-days", "netPayoutDays"),
    )
    .option("--min-payment <amount>", "smallest payment, in cents", upTo("--min-payment", "minPaymentCents"))
    .option(
      "--min-customers <count>",
      "fewest paying customers of a paid promoter",
      upTo("--min-customers", "minPayingCustomers"),
    )
    .option("--require-method", "pay only promoters who have chosen a payout method")
    .option("--no-require-method", "also make payouts for promoters without one (usual)")
    .option("--require-invoice-details", "pay only promoters whose invoice details are approved")
    .option("--no-require-invoice-details", "don't look at invoice details (usual)")
    .action(settings);
  payouts
    .command("generate <account-id>")
    .description("make the payouts of the latest period now; the server does it by itself")
    .option("--day <date>", "any day of an earlier period, such as 2026-01-31", calendarDay)
    .action(generate);
  payouts
    .command("list-runs <account-id>")
    .description("list the periods that were paid, newest first")
    .action((accountId: string) =>
      withStore(async ({ store }) => {
        const { id } = await loadAccount(store, accountId);
        const rows = [];
        for (const run of await listRuns(store, id)) rows.push(await runRow(store, run));
        print(rows);
      }),
    );
  paymentCommands(payouts);
}

function upTo(option: string, setting: keyof typeof MOST_PAYOUT_SETTINGS) {
  return wholeNumber(option, [0, MOST_PAYOUT_SETTINGS[setting]]);
}

interface SettingOptions {
  cycle?: Account["payoutCycle"];
  netDays?: number;
  minPayment?: number;
  minCustomers?: number;
  requireMethod?: boolean;
  requireInvoiceDetails?: boolean;
}

function settings(accountId: string, options: SettingOptions): Promise<void> {
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, accountId);
    const account = await setPayoutSettings(context, id, {
      payoutCycle: options.cycle,
      netPayoutDays: options.netDays,
      minPaymentCents: options.minPayment,
      minPayingCustomers: options.minCustomers,
      requiresPayoutMethod: options.requireMethod,
      requiresInvoiceDetails: options.requireInvoiceDetails,
    });
    print({ account_id: account.publicId, ...settingsRow(account) });
  });
}

function settingsRow(account: PayoutSettings) {
  return {
    cycle: account.payoutCycle,
    net_days: account.netPayoutDays,
    min_payment: account.minPaymentCents,
    min_customers: account.minPayingCustomers,
    requires_method: account.requiresPayoutMethod,
    requires_invoice_details: account.requiresInvoiceDetails,
  };
}

/** A run that is interrupted goes on when it is started again. */
function generate(accountId: string, { day }: { day?: string }): Promise<void> {
  return withStore(async (context) => {
    const account = await loadAccount(context.store, accountId);
    const period = day === undefined ? latestPeriod(account, context.now) : periodOfDay(account, day);
    const run = await showingRun(context, account, period);
    print(await runRow(context.store, run));
  });
}

async function showingRun(context: Context, account: Account, period: Period): Promise<PayoutRun> {
  const screen = process.stderr;
  const total = screen.isTTY ? await context.store.count(commissions, "unpaid", account.id, []) : null;
  const view = newProgressView(screen);
  const run = generatePayouts(context, account, period);
  try {
    for (;;) {
      const { done, value } = await run.next();
      if (done) return value;
      view.show({ what: "gathered", entries: value.commissions, total });
    }
  } finally {
    view.end();
  }
}

/** A run with the number of its payouts. */
async function runRow(store: Context["store"], run: PayoutRun) {
  return {
    group_ref: run.groupRef,
    period_start: run.periodStart,
    period_end: run.periodEnd,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    payouts: await countOfRun(store, run),
  };
}

function calendarDay(value: string): string {
  const day = new Date(`${value}T00:00:00.000Z`);
  if (/^\d{4}-\d\d-\d\d$/.test(value) && day.toJSON()?.startsWith(value)) return value;
  throw new Error(`--day ${value} is not a day such as 2026-01-31`);
}
