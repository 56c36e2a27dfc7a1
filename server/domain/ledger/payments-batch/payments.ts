import { Failure } from "../../../failure.ts";
import type { Transaction, View } from "../../../storage/store.ts";
import { exponentOf } from "../../money.ts";
import { payoutMethods, type PayoutMethodName } from "../payout-method/payout-method.ts";
import { listPayments, type Payment } from "../payment/payment.ts";
import { payouts, type Payout } from "../payout/payout.ts";
import { loadPromoter, promoterName } from "../../people/promoter/promoter.ts";
import { batchReference, type PaymentsBatch } from "./batch.ts";

/** One line of a file: everything that a promoter gets from it by one method. */
export interface PaymentLine {
  paymentId: number;
  promoterId: number;
  name: string;
  /** With tax, in the currency's minor unit. */
  amount: number;
  /** The same as a decimal number with a point. */
  decimal: string;
  currency: string;
  /** Identifies the payment at the bank: at most 30 characters without blanks. */
  reference: string;
  /** The account or the wallet. */
  details: Record<string, string>;
}

/**
 * The payouts of a batch that are left to pay.
 *
 * @throws Failure `refused` if there are none
 */
export async function loadLeft(view: View, { accountId, id }: PaymentsBatch): Promise<Payout[]> {
  const all = await view.list(payouts, "batch", accountId, [id]);
  const left = all.filter(({ status }) => status === "pending" || status === "processing");
  if (left.length === 0) throw new Failure("refused", "The payments batch has nothing left to pay");
  return left;
}

/** The lines of a file, in the order of its payments. */
export async function loadPaymentLines(
  tx: Transaction,
  batch: PaymentsBatch,
  payments: Payment[],
): Promise<PaymentLine[]> {
  const known = await listPayments(tx.view, batch.accountId, batch.id);
  const ranks = ranksOf(known.filter(({ payer }) => payer === "file"));
  const lines: PaymentLine[] = [];
  for (const payment of payments)
    lines.push(await lineOf(tx, batch, { payment, rank: ranks.get(payment.id)! }));
  return lines;
}

/** The place of each payment among those of its promoter, from 1. */
function ranksOf(payments: Payment[]): Map<number, number> {
  const counts = new Map<number, number>();
  return new Map(
    payments.map(({ id, promoterId }) => {
      const rank = (counts.get(promoterId) ?? 0) + 1;
      counts.set(promoterId, rank);
      return [id, rank];
    }),
  );
}

/** An amount of a currency's minor unit as a decimal number with a point. */
export function decimalOf(amount: number, currency: string): string {
  const decimals = exponentOf(currency) ?? 2;
  if (decimals === 0) return String(amount);
  const digits = String(amount).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** The maximum of payments in one file of a method. Absent: no limit. */
const MOST_PAYMENTS: Partial<Record<PayoutMethodName, number>> = { paypal: 15_000, wise: 1_000 };

/**
 * The promoters with whom the files of a batch begin, in the order of their ids. Each is paid once, for all
 * payouts.
 */
export function partStarts(method: PayoutMethodName, promoterIds: Iterable<number>): number[] {
  const ordered = [...new Set(promoterIds)].toSorted((left, right) => left - right);
  const size = MOST_PAYMENTS[method] ?? ordered.length;
  return ordered.filter((_, rank) => rank % size === 0);
}

/** The payouts of one file, and the suffix of its name. */
interface Part {
  left: Payout[];
  suffix: string;
}

/**
 * Chooses the payouts of one file of a batch. For a batch of several files, a part must be chosen, so that a
 * user can't upload the first and forget the others.
 *
 * @throws Failure `refused` if no part is chosen of several, or nothing is left of it, `invalid` for a part
 * that does not exist
 */
export async function choosePart(
  view: View,
  { batch, left }: { batch: PaymentsBatch; left: Payout[] },
  part: number | null,
): Promise<Part> {
  const starts = batch.partStarts ?? (await currentStarts(view, batch));
  const count = starts.length;
  if (part === null && count > 1) {
    const files = `A ${batch.method} file holds ${MOST_PAYMENTS[batch.method]} payments, so this batch needs ${count} files`;
    throw new Failure("refused", `${files}: choose a part from 1 to ${count}`);
  }
  const chosen = part ?? 1;
  if (chosen < 1 || chosen > count) {
    const fault = `is not from 1 to ${count}`;
    throw new Failure("invalid", `Validation failed: part ${fault}`, { part: [fault] });
  }
  // The files cover all promoters: the first also has those before the others' starts.
  const from = chosen === 1 ? 0 : (starts[chosen - 1] ?? 0);
  const before = starts[chosen] ?? Infinity;
  const inPart = left.filter(({ promoterId }) => promoterId >= from && promoterId < before);
  if (inPart.length === 0) {
    throw new Failure("refused", `Part ${chosen} of the payments batch has nothing left to pay`);
  }
  return { left: inPart, suffix: count > 1 ? `-${chosen}-of-${count}` : "" };
}

async function lineOf(
  reader: Transaction,
  batch: PaymentsBatch,
  { payment, rank }: { payment: Payment; rank: number },
): Promise<PaymentLine> {
  const { accountId, id: paymentId, promoterId, payoutMethodId, amount, currency } = payment;
  const promoter = await loadPromoter(reader, accountId, promoterId);
  const method = payoutMethodId === null ? null : await reader.get(payoutMethods, accountId, payoutMethodId);
  const texts = Object.entries(method?.details ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].trim() !== "",
  );
  const details = Object.fromEntries(texts.map(([name, value]) => [name, value.trim()]));
  return {
    paymentId,
    promoterId,
    name: details["account_holder_name"] ?? promoterName(promoter),
    amount,
    decimal: decimalOf(amount, currency),
    currency,
    reference: `${batchReference(batch)}-${promoterId}${rank > 1 ? `-${rank}` : ""}`,
    details,
  };
}

/** The parts of a batch without stored ones: it needs one file, or is from an earlier release. */
async function currentStarts(view: View, { accountId, id, method }: PaymentsBatch): Promise<number[]> {
  const promoterIds = new Set<number>();
  for (const { promoterId } of await view.list(payouts, "batch", accountId, [id]))
    promoterIds.add(promoterId);
  return partStarts(method, promoterIds);
}
