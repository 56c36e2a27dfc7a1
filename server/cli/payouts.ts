import { Argument, Option, type Command } from "commander";
import { loadAccount, PAYOUT_CYCLES, type Account } from "../domain/program/account/account.ts";
import {
  MOST_PAYOUT_SETTINGS,
  setPayoutSettings,
  type PayoutSettings,
} from "../domain/program/account/settings.ts";
import { runBatch } from "../domain/batch.ts";
import { commissions } from "../domain/ledger/commission/commission.ts";
import type { Context } from "../domain/context.ts";
import {
  batchReference,
  listPaymentsBatches,
  batchTotals,
  loadPaymentsBatch,
  type PaymentsBatch,
} from "../domain/ledger/payments-batch/batch.ts";
import { createPaymentsBatch, PAYABLE, payBatch } from "../domain/ledger/payments-batch/changes.ts";
import { FILE_FORMATS, type FileFormat } from "../domain/ledger/payment/payment.ts";
import { paymentFile } from "../domain/ledger/payments-batch/payment-file.ts";
import { listHolds, releasePayouts } from "../domain/ledger/payout-method/changes.ts";
import { PAYOUT_METHODS, type PayoutMethodName } from "../domain/ledger/payout-method/payout-method.ts";
import {
  generatePayouts,
  payoutCounts,
  listRuns,
  type PayoutRun,
} from "../domain/ledger/payout-run/payout-run.ts";
import { latestPeriod, payouts, periodOfDay, type Period } from "../domain/ledger/payout/payout.ts";
import { movePayout } from "../domain/ledger/payout/status.ts";
import { asItIs } from "../domain/show.ts";
import { calendarDay, wholeNumber, wholeNumbers } from "./options.ts";
import { providerCommands } from "./payments.ts";
import { newProgressView } from "./progress.ts";
import { print, withStore } from "./store.ts";

/** Adds the commands that pay promoters. */
export function payoutCommands(program: Command): void {
  const payouts = program.command("payouts").description("paying promoters");
  payouts
    .command("settings <account-id>")
    .description("show or change the payout terms of an account; missing options stay unchanged")
    .addOption(new Option("--cycle <cycle>", "period of a payout").choices(PAYOUT_CYCLES))
    .option(
      "--net-days <days>",
      "days from the period's end to the due date",
      upTo("--net-days", "net_payout_days"),
    )
    .option(
      "--min-payment <amount>",
      "smallest payment, in cents",
      upTo("--min-payment", "min_payment_cents"),
    )
    .option(
      "--min-customers <count>",
      "fewest paying customers of a paid promoter",
      upTo("--min-customers", "min_paying_customers"),
    )
    .option(
      "--max-run <amount>",
      "most that a provider pays by one call, in cents; 0 for no limit",
      upTo("--max-run", "max_run_cents"),
    )
    .option(
      "--max-day <amount>",
      "most that providers pay in 24 hours, in cents; 0 for no limit",
      upTo("--max-day", "max_day_cents"),
    )
    .option(
      "--rest-days <days>",
      "days that providers wait after a changed payout method",
      upTo("--rest-days", "method_rest_days"),
    )
    .option("--require-second-person", "providers pay only what another owner has approved")
    .option("--no-require-second-person", "one owner is enough (default)")
    .option("--require-method", "pay only promoters who have chosen a payout method")
    .option("--no-require-method", "also make payouts for promoters without one (default)")
    .option("--require-invoice-details", "pay only promoters whose invoice details are approved")
    .option("--no-require-invoice-details", "don't look at invoice details (default)")
    .action(settings);
  payouts
    .command("generate <account-id>")
    .description("make the payouts of the latest period now; the server does this automatically")
    .option("--day <date>", "any day of an earlier period, such as 2026-01-31", calendarDay("--day"))
    .action(generate);
  payouts
    .command("list-runs <account-id>")
    .description("list the periods that were paid, newest first")
    .action((accountId: string) =>
      withStore(async ({ store }) => {
        const { id } = await loadAccount(store, accountId);
        print(await runRows(store, await listRuns(store, id)));
      }),
    );
  paymentCommands(payouts);
  providerCommands(payouts);
}

function upTo(option: string, setting: keyof typeof MOST_PAYOUT_SETTINGS) {
  return wholeNumber(option, [0, MOST_PAYOUT_SETTINGS[setting]]);
}

interface SettingOptions {
  cycle?: Account["payout_cycle"];
  netDays?: number;
  minPayment?: number;
  minCustomers?: number;
  maxRun?: number;
  maxDay?: number;
  restDays?: number;
  requireSecondPerson?: boolean;
  requireMethod?: boolean;
  requireInvoiceDetails?: boolean;
}

function settings(accountId: string, options: SettingOptions): Promise<void> {
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, accountId);
    const account = await setPayoutSettings(context, id, {
      payout_cycle: options.cycle,
      net_payout_days: options.netDays,
      min_payment_cents: options.minPayment,
      min_paying_customers: options.minCustomers,
      max_run_cents: options.maxRun,
      max_day_cents: options.maxDay,
      method_rest_days: options.restDays,
      requires_second_person: options.requireSecondPerson,
      requires_payout_method: options.requireMethod,
      requires_invoice_details: options.requireInvoiceDetails,
    });
    print({ account_id: account.public_id, ...settingsRow(account) });
  });
}

function settingsRow(account: PayoutSettings) {
  return {
    cycle: account.payout_cycle,
    net_days: account.net_payout_days,
    min_payment: account.min_payment_cents,
    min_customers: account.min_paying_customers,
    max_run: account.max_run_cents ?? 0,
    max_day: account.max_day_cents ?? 0,
    rest_days: account.method_rest_days ?? 0,
    requires_second_person: account.requires_second_person ?? false,
    requires_method: account.requires_payout_method,
    requires_invoice_details: account.requires_invoice_details,
  };
}

/** Starting an interrupted run again continues it. */
function generate(accountId: string, { day }: { day?: string }): Promise<void> {
  return withStore(async (context) => {
    const account = await loadAccount(context.store, accountId);
    const period = day === undefined ? latestPeriod(account, context.now) : periodOfDay(account, day);
    const run = await showingRun(context, account, period);
    print((await runRows(context.store, [run]))[0]);
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

/** Runs with the numbers of their payouts. */
async function runRows(store: Context["store"], runs: PayoutRun[]) {
  const counts = await payoutCounts(store, runs);
  return runs.map((run, at) => ({
    group_ref: run.group_ref,
    period_start: run.period_start,
    period_end: run.period_end,
    started_at: run.started_at,
    finished_at: run.finished_at,
    payouts: counts[at]!,
  }));
}

/** Adds the commands for payments batches. */
function paymentCommands(program: Command): void {
  batchCommands(program);
  singlePayoutCommands(program);
  holdCommands(program);
}

function batchCommands(program: Command): void {
  const batchId = new Argument("<batch-id>").argParser(wholeNumber("<batch-id>"));
  program
    .command("batch <account-id>")
    .description("put all payable payouts of a method into a payments batch")
    .addArgument(new Argument("<method>").choices(PAYOUT_METHODS))
    .action(createBatch);
  program
    .command("list-batches <account-id>")
    .description("list payments batches, newest first")
    .action(listBatches);
  program
    .command("file <account-id>")
    .addArgument(batchId)
    .description("write the file that pays a batch to standard output")
    .addOption(
      new Option("--format <format>", "its format; usually that of the method").choices(FILE_FORMATS),
    )
    .option("--part <number>", "which file, if the batch needs several", wholeNumber("--part"))
    .option("--file <id>", "an earlier file, to write it again", wholeNumber("--file"))
    .option("--debtor-name <name>", "sepa, pain001: your own name, usually that of your bank account")
    .option("--debtor-iban <iban>", "sepa, pain001: your own account, usually that of the settings")
    .option("--debtor-bic <bic>", "sepa, pain001: the BIC of your bank")
    .action(writeBatchFile);
  program
    .command("pay <account-id>")
    .addArgument(batchId)
    .description("mark the payouts of a batch as processing; upload its file to send the money")
    .action(pay);
  program
    .command("paid <account-id>")
    .addArgument(batchId)
    .description("mark the payouts of a batch as paid, even if it was not confirmed by pay")
    .action(markPaid);
}

/** Adds the commands for single payouts. */
function singlePayoutCommands(program: Command): void {
  const payoutIds = new Argument("<payout-ids...>").argParser(wholeNumbers("<payout-ids...>"));
  program
    .command("fail <account-id>")
    .addArgument(payoutIds)
    .description("record that processing payouts came back")
    .option("--error <text>", "the bank's reason")
    .action((accountId: string, ids: number[], { error = null }: { error?: string | null }) =>
      move(accountId, { label: "mark_as_failed", ids, to: "failed", error }),
    );
  program
    .command("cancel <account-id>")
    .addArgument(payoutIds)
    .description("cancel pending or failed payouts; the next run pays their commissions")
    .action((accountId: string, ids: number[]) =>
      move(accountId, { label: "cancel", ids, to: "cancelled", error: null }),
    );
}

/** Adds the commands for promoters who say that someone else changed their payout method. */
function holdCommands(program: Command): void {
  program
    .command("holds <account-id>")
    .description("list promoters who say that someone else changed their payout method, oldest first")
    .action((accountId: string) =>
      onAccount(accountId, async ({ store }, { id }) =>
        print(
          (await listHolds(store, id)).map(({ promoter_id, changed_at, held_at }) => ({
            promoter_id,
            changed_at,
            held_at,
          })),
        ),
      ),
    );
  program
    .command("release <account-id>")
    .addArgument(new Argument("<promoter-id>").argParser(wholeNumber("<promoter-id>")))
    .description("pay such a promoter again, after you have spoken with them and looked at the payout method")
    .action((accountId: string, promoterId: number) =>
      onAccount(accountId, async (context, { id }) => {
        await context.store.transact((tx) => releasePayouts(tx, context, id, promoterId));
        print({ released: promoterId });
      }),
    );
}

interface Move {
  label: string;
  ids: number[];
  to: "failed" | "cancelled";
  error: string | null;
}

/** Moves payouts, and prints the reasons why some could not be moved. */
function move(accountId: string, { label, ids, to, error }: Move): Promise<void> {
  return onAccount(accountId, async (context, account) => {
    const { processed_count, errors } = await runBatch(context, account.id, {
      label: `payout/${label}`,
      ids,
      work: (id) => context.store.transact((tx) => movePayout(tx, context, account.id, { id, to, error })),
    });
    print({ [to]: processed_count, errors });
  });
}

function createBatch(accountId: string, method: PayoutMethodName): Promise<void> {
  return onAccount(accountId, async (context, account) => {
    const { batch, leftOut } = await createPaymentsBatch(context, account, { method, show: asItIs });
    const rows = leftOut.map(({ payout, reason }) => ({ payout: payout.id, reason }));
    print({ ...(await batchRows(context, [batch]))[0], left_out: rows });
  });
}

function listBatches(accountId: string): Promise<void> {
  return onAccount(accountId, async (context, { id }) =>
    print(await batchRows(context, await listPaymentsBatches(context.store, id))),
  );
}

interface FileOptions {
  format?: FileFormat;
  part?: number;
  file?: number;
  debtorName?: string;
  debtorIban?: string;
  debtorBic?: string;
}

function writeBatchFile(accountId: string, id: number, options: FileOptions): Promise<void> {
  return onAccount(accountId, async (context, account) => {
    const { debtorName: name = null, debtorIban: iban = null, debtorBic: bic = null } = options;
    const { format = null, part = null, file: orderId = null } = options;
    const wanted = { id, format, part, order_id: orderId, debtor: { name, iban, bic } };
    const file = await paymentFile(context, account, wanted);
    process.stdout.write(file.text);
  });
}

function pay(accountId: string, id: number): Promise<void> {
  return onAccount(accountId, async (context, account) => {
    const batch = await context.store.transact((tx) => payBatch(tx, context, account.id, id));
    print((await batchRows(context, [batch]))[0]);
  });
}

function markPaid(accountId: string, id: number): Promise<void> {
  return onAccount(accountId, async (context, account) => {
    const { store } = context;
    const { status: found } = await loadPaymentsBatch(store, account.id, id);
    if (PAYABLE.includes(found)) await store.transact((tx) => payBatch(tx, context, account.id, id));
    const ids: number[] = [];
    for await (const chunk of store.scan(payouts, "batch", account.id, [id])) {
      ids.push(...chunk.filter(({ status }) => status === "processing").map((payout) => payout.id));
    }
    const { processed_count, errors } = await runBatch(context, account.id, {
      label: "payout/mark_as_paid",
      ids,
      work: (payoutId) =>
        store.transact((tx) => movePayout(tx, context, account.id, { id: payoutId, to: "completed" })),
    });
    const batch = await loadPaymentsBatch(store, account.id, id);
    print({ ...(await batchRows(context, [batch]))[0], paid: processed_count, errors });
  });
}

function onAccount(
  accountId: string,
  work: (context: Context, account: Account) => Promise<void>,
): Promise<void> {
  return withStore(async (context) => work(context, await loadAccount(context.store, accountId)));
}

async function batchRows({ store }: Context, batches: PaymentsBatch[]) {
  const totals = await batchTotals(store, batches);
  return batches.map((batch, at) => ({
    id: batch.id,
    reference: batchReference(batch),
    method: batch.method,
    status: batch.status,
    total: totals[at]!.total_incl_tax,
    promoters: totals[at]!.promotersCount,
    created_at: batch.created_at,
    error: batch.error,
  }));
}
