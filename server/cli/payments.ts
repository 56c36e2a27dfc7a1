import { Argument, Option, type Command } from "commander";
import { print, withStore } from "./store.ts";
import { loadAccount, type Account } from "../domain/account/account.ts";
import { runBatch } from "../domain/batch/batch.ts";
import type { Context } from "../domain/context.ts";
import {
  batchReference,
  listPaymentsBatches,
  loadBatchTotals,
  loadPaymentsBatch,
  type PaymentsBatch,
} from "../domain/payments-batch/batch.ts";
import { createPaymentsBatch, PAYABLE, payBatch } from "../domain/payments-batch/changes.ts";
import { FILE_FORMATS, paymentFile, type FileFormat } from "../domain/payments-batch/payment-file.ts";
import { payouts } from "../domain/payout/payout.ts";
import { movePayout } from "../domain/payout/status.ts";
import { PAYOUT_METHODS, type PayoutMethodName } from "../domain/payout-method/payout-method.ts";
import { asItIs } from "../domain/show.ts";
import { wholeNumber, wholeNumbers } from "./whole-number.ts";

/** Adds the commands on payments batches to those that pay promoters. */
export function paymentCommands(program: Command): void {
  batchCommands(program);
  payoutCommands(program);
}

function batchCommands(program: Command): void {
  const batchId = new Argument("<batch-id>").argParser(wholeNumber("<batch-id>"));
  program
    .command("batch <account-id>")
    .description("put all payable payouts of a method into a payments batch")
    .addArgument(new Argument("<method>").choices(PAYOUT_METHODS))
    .action(create);
  program
    .command("list-batches <account-id>")
    .description("list payments batches, newest first")
    .action(list);
  program
    .command("file <account-id>")
    .addArgument(batchId)
    .description("write the file that pays a batch to standard output")
    .addOption(
      new Option("--format <format>", "its format; usually that of the method").choices(FILE_FORMATS),
    )
    .option("--part <number>", "which file, if the batch needs several", wholeNumber("--part"))
    .option("--debtor-name <name>", "sepa: your own name, usually the account's")
    .option("--debtor-iban <iban>", "sepa: your own account")
    .option("--debtor-bic <bic>", "sepa: the BIC of your bank")
    .action(writeFile);
  program
    .command("pay <account-id>")
    .addArgument(batchId)
    .description("mark the payouts of a batch as processing; upload its file to send the money")
    .action(pay);
  program
    .command("paid <account-id>")
    .addArgument(batchId)
    .description("mark the payouts of a batch as paid, whether it was confirmed by pay or not")
    .action(markPaid);
}

/** The commands on single payouts, in a batch or not. */
function payoutCommands(program: Command): void {
  const payoutIds = new Argument("<payout-ids...>").argParser(wholeNumbers("<payout-ids...>"));
  program
    .command("fail <account-id>")
    .addArgument(payoutIds)
    .description("record that payouts which are processing came back")
    .option("--error <text>", "why, as your bank says it")
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

interface Move {
  label: string;
  ids: number[];
  to: "failed" | "cancelled";
  error: string | null;
}

/** Moves payouts, and prints the reasons why some could not be moved. */
function move(accountId: string, { label, ids, to, error }: Move): Promise<void> {
  return onAccount(accountId, async (context, account) => {
    const { processedCount, errors } = await runBatch(context, account.id, {
      label: `payout/${label}`,
      ids,
      work: (id) => movePayout(context, account.id, { id, to, error }),
    });
    print({ [to]: processedCount, errors });
  });
}

function create(accountId: string, method: PayoutMethodName): Promise<void> {
  return onAccount(accountId, async (context, account) => {
    const { batch, leftOut } = await createPaymentsBatch(context, account, { method, show: asItIs });
    const rows = leftOut.map(({ payout, reason }) => ({ payout: payout.id, reason }));
    print({ ...(await batchRow(context, batch)), left_out: rows });
  });
}

function list(accountId: string): Promise<void> {
  return onAccount(accountId, async (context, { id }) => {
    const rows = [];
    for (const batch of await listPaymentsBatches(context.store, id))
      rows.push(await batchRow(context, batch));
    print(rows);
  });
}

interface FileOptions {
  format?: FileFormat;
  part?: number;
  debtorName?: string;
  debtorIban?: string;
  debtorBic?: string;
}

function writeFile(accountId: string, id: number, options: FileOptions): Promise<void> {
  return onAccount(accountId, async (context, account) => {
    const { debtorName: name = null, debtorIban: iban = null, debtorBic: bic = null } = options;
    const { format = null, part = null } = options;
    const file = await paymentFile(context, account, { id, format, part, debtor: { name, iban, bic } });
    process.stdout.write(file.text);
  });
}

function pay(accountId: string, id: number): Promise<void> {
  return onAccount(accountId, async (context, account) =>
    print(await batchRow(context, await payBatch(context, account.id, { id, show: asItIs }))),
  );
}

function markPaid(accountId: string, id: number): Promise<void> {
  return onAccount(accountId, async (context, account) => {
    const { store } = context;
    const { status: found } = await loadPaymentsBatch(store, account.id, id);
    if (PAYABLE.includes(found)) await payBatch(context, account.id, { id, show: asItIs });
    const ids: number[] = [];
    for await (const chunk of store.scan(payouts, "batch", account.id, [id])) {
      ids.push(...chunk.filter(({ status }) => status === "processing").map((payout) => payout.id));
    }
    const { processedCount, errors } = await runBatch(context, account.id, {
      label: "payout/mark_as_paid",
      ids,
      work: (payoutId) => movePayout(context, account.id, { id: payoutId, to: "completed" }),
    });
    const batch = await loadPaymentsBatch(store, account.id, id);
    print({ ...(await batchRow(context, batch)), paid: processedCount, errors });
  });
}

function onAccount(
  accountId: string,
  work: (context: Context, account: Account) => Promise<void>,
): Promise<void> {
  return withStore(async (context) => work(context, await loadAccount(context.store, accountId)));
}

async function batchRow({ store }: Context, batch: PaymentsBatch) {
  const { totalInclTax, promotersCount } = await loadBatchTotals(store, batch);
  return {
    id: batch.id,
    reference: batchReference(batch),
    method: batch.method,
    status: batch.status,
    total: totalInclTax,
    promoters: promotersCount,
    created_at: batch.createdAt,
    error: batch.error,
  };
}
