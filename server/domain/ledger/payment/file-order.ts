import { Failure } from "../../../failure.ts";
import type { Transaction, View } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import type { Account } from "../../program/account/account.ts";
import type { PaymentsBatch } from "../payments-batch/batch.ts";
import type { Payout } from "../payout/payout.ts";
import { PROVIDER_WORDS } from "./connection.ts";
import { insertPayment, newOrder } from "./intent.ts";
import {
  findPaymentOf,
  isLive,
  listPayments,
  paymentOrders,
  type FileTerms,
  type Payment,
  type PaymentOrder,
} from "./payment.ts";

/** A file, and those of its payments about which no person has decided yet. */
export interface OrderedFile {
  order: PaymentOrder;
  payments: Payment[];
}

/** The input of a file. */
interface Wanted {
  batch: PaymentsBatch;
  /** The payouts that are left to pay. */
  left: Payout[];
  /** An earlier file, by the id of its order, or null. */
  order_id: number | null;
  /** The terms of a new file. */
  terms: FileTerms;
}

/**
 * Puts the payouts that no file pays yet into a new file. If there are none, the latest file is returned again.
 * So no payout is in two files, unless a person has said that the first one did not pay it.
 *
 * @throws Failure `not_found` for an unknown file, `refused` while a provider pays one of the payouts, if nothing is
 * left to pay, or for another format than that of the file
 */
export async function orderFile(
  tx: Transaction,
  context: Context,
  account: Account,
  { batch, left, order_id, terms }: Wanted,
): Promise<OrderedFile> {
  const { fresh, payments } = await sortOut(tx, left);
  if (order_id === null && fresh.length > 0) return newFile(tx, context, account, { batch, fresh, terms });
  const id = order_id ?? Math.max(0, ...payments.map((payment) => payment.order_id));
  const order = await tx.get(paymentOrders, account.id, id);
  const isOfBatch = order !== null && order.payer === "file" && order.payments_batch_id === batch.id;
  if (order_id !== null && !isOfBatch) throw new Failure("not_found", "Payment file not found.");
  const own = payments.filter((payment) => payment.order_id === id && payment.state === "asked");
  if (order === null || own.length === 0)
    throw new Failure("refused", "The payments batch has nothing left to pay");
  refuseOther(order, terms);
  return { order, payments: own };
}

/** The files of a batch, oldest first, with all their payments. */
export async function listFiles(view: View, { account_id, id }: PaymentsBatch): Promise<OrderedFile[]> {
  const orders = await view.list(paymentOrders, "batch", account_id, [id]);
  const payments = await listPayments(view, account_id, id);
  return orders
    .filter(({ payer }) => payer === "file")
    .toSorted((one, other) => one.id - other.id)
    .map((order) => ({ order, payments: payments.filter(({ order_id }) => order_id === order.id) }));
}

async function newFile(
  tx: Transaction,
  context: Context,
  account: Account,
  { batch, fresh, terms }: Pick<Wanted, "batch" | "terms"> & { fresh: Payout[] },
): Promise<OrderedFile> {
  const blank = await newOrder(context, { account, batchId: batch.id, payer: "file" });
  const order: PaymentOrder = { ...blank, file: terms, is_settled: true };
  await tx.insert(paymentOrders, order);
  const payments: Payment[] = [];
  for (const own of byReceiver(fresh)) {
    const [{ promoter_id, payout_method_id }] = own;
    const amount = own.reduce((sum, { total_incl_tax }) => sum + total_incl_tax, 0);
    const payoutIds = own.map(({ id }) => id);
    const given = { promoter_id, payout_method_id, amount, payout_ids: payoutIds, state: "asked" as const };
    payments.push(await insertPayment(tx, context, order, given));
  }
  return { order, payments };
}

/** A promoter gets one payment for all payouts, unless some go to a newer method. They come in the order of their ids. */
function byReceiver(fresh: Payout[]): [Payout, ...Payout[]][] {
  const receivers = new Map<string, [Payout, ...Payout[]]>();
  for (const payout of fresh.toSorted(
    (one, other) => one.promoter_id - other.promoter_id || one.id - other.id,
  )) {
    const receiver = `${payout.promoter_id} ${payout.payout_method_id}`;
    const known = receivers.get(receiver);
    if (known === undefined) receivers.set(receiver, [payout]);
    else known.push(payout);
  }
  return [...receivers.values()];
}

/**
 * The payouts that no file pays, and the payments by files of the others.
 *
 * @throws Failure `refused` for a payout that a provider pays
 */
async function sortOut(tx: Transaction, left: Payout[]): Promise<{ fresh: Payout[]; payments: Payment[] }> {
  const fresh: Payout[] = [];
  const payments = new Map<number, Payment>();
  for (const payout of left) {
    const latest = await findPaymentOf(tx, payout);
    if (latest === null || !isLive(latest)) fresh.push(payout);
    else if (latest.payer === "file") payments.set(latest.id, latest);
    else {
      const words = `${PROVIDER_WORDS[latest.payer]} is paying payout ${payout.id}, so no file may pay it as well`;
      throw new Failure("refused", words);
    }
  }
  return { fresh, payments: [...payments.values()].toSorted((one, other) => one.id - other.id) };
}

/** @throws Failure `refused` */
function refuseOther({ file }: PaymentOrder, { format }: FileTerms): void {
  if (file === undefined || file.format === format) return;
  const fact = `The payouts are in a ${file.format} file, so no ${format} file may pay them as well`;
  throw new Failure("refused", `${fact}. If that one was not used, mark them as failed or delete the batch`);
}
