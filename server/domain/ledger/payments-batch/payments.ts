import { Failure } from "../../../failure.ts";
import type { Store } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { exponentOf } from "../../money.ts";
import { payoutMethods, type PayoutMethodName } from "../payout-method/payout-method.ts";
import { payouts } from "../payout/payout.ts";
import { loadPromoter, promoterName } from "../../people/promoter/promoter.ts";
import { batchReference, type PaymentsBatch } from "./batch.ts";

/** One line of a file: everything that a promoter gets from a batch by one method. */
export interface PaymentLine {
  promoterId: number;
  payoutIds: number[];
  payoutMethodId: number | null;
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
 * The remaining payments of a batch, in the order of the promoters' ids. A promoter is paid once for all
 * campaigns, unless one of the payouts failed and is retried by a newer method.
 *
 * @throws Failure `refused` if there are none
 */
export async function loadPaymentLines(
  store: Store,
  account: Account,
  batch: PaymentsBatch,
): Promise<PaymentLine[]> {
  const payments = new Map<string, PaymentLine>();
  const lineCounts = new Map<number, number>();
  for await (const chunk of store.scan(payouts, "batch", account.id, [batch.id])) {
    for (const { id, promoterId, status, payoutMethodId, totalInclTax } of chunk) {
      if (status !== "pending" && status !== "processing") continue;
      const line = `${promoterId} ${payoutMethodId}`;
      const known = payments.get(line);
      const lineCount = (lineCounts.get(promoterId) ?? 0) + (known === undefined ? 1 : 0);
      const payment =
        known ?? (await newLine(store, account, { batch, promoterId, payoutMethodId, lineCount }));
      payments.set(line, payment);
      lineCounts.set(promoterId, lineCount);
      payment.payoutIds.push(id);
      payment.amount += totalInclTax;
      payment.decimal = decimalOf(payment.amount, account.currency);
    }
  }
  if (payments.size === 0) throw new Failure("refused", "The payments batch has nothing left to pay");
  return [...payments.values()].toSorted((left, right) => left.promoterId - right.promoterId);
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

/** The payments of one file, and the suffix of its name. */
interface Part {
  payments: PaymentLine[];
  suffix: string;
}

/**
 * Chooses the payments of one file of a batch. For a batch of several files, a part must be chosen, so that a
 * user can't upload the first and forget the others.
 *
 * @throws Failure `refused` if no part is chosen of several, or nothing is left of it, `invalid` for a part
 * that does not exist
 */
export async function choosePart(
  store: Store,
  { batch, payments }: { batch: PaymentsBatch; payments: PaymentLine[] },
  part: number | null,
): Promise<Part> {
  const starts = batch.partStarts ?? (await currentStarts(store, batch));
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
  const inPart = payments.filter(({ promoterId }) => promoterId >= from && promoterId < before);
  if (inPart.length === 0) {
    throw new Failure("refused", `Part ${chosen} of the payments batch has nothing left to pay`);
  }
  return { payments: inPart, suffix: count > 1 ? `-${chosen}-of-${count}` : "" };
}

async function newLine(
  store: Store,
  account: Account,
  given: { batch: PaymentsBatch; promoterId: number; payoutMethodId: number | null; lineCount: number },
): Promise<PaymentLine> {
  const { batch, promoterId, payoutMethodId, lineCount } = given;
  const promoter = await loadPromoter(store, account.id, promoterId);
  const method = payoutMethodId === null ? null : await store.get(payoutMethods, account.id, payoutMethodId);
  const texts = Object.entries(method?.details ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].trim() !== "",
  );
  const details = Object.fromEntries(texts.map(([name, value]) => [name, value.trim()]));
  return {
    promoterId,
    payoutIds: [],
    payoutMethodId,
    name: details["account_holder_name"] ?? promoterName(promoter),
    amount: 0,
    decimal: "0",
    currency: account.currency,
    reference: `${batchReference(batch)}-${promoterId}${lineCount > 1 ? `-${lineCount}` : ""}`,
    details,
  };
}

/** The parts of a batch without stored ones: it needs one file, or is from an earlier release. */
async function currentStarts(store: Store, { accountId, id, method }: PaymentsBatch): Promise<number[]> {
  const promoterIds = new Set<number>();
  for await (const chunk of store.scan(payouts, "batch", accountId, [id])) {
    for (const { promoterId } of chunk) promoterIds.add(promoterId);
  }
  return partStarts(method, promoterIds);
}
