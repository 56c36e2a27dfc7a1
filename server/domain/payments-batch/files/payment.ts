import { Failure } from "../../../failure.ts";
import type { Account } from "../../account/account.ts";
import type { Store } from "../../../storage/store.ts";
import { exponentOf } from "../../money/money.ts";
import { payoutMethods } from "../../payout-method/payout-method.ts";
import { payouts } from "../../payout/payout.ts";
import { loadPromoter, promoterName } from "../../promoter/promoter.ts";
import type { PaymentsBatch } from "../record.ts";
import { batchReference } from "../batch.ts";

/** One line of a file: everything that a promoter gets from a batch by one method. */
export interface Payment {
  promoterId: number;
  name: string;
  /** With tax, in the currency's minor unit. */
  amount: number;
  /** The same as a decimal number with a point. */
  decimal: string;
  currency: string;
  /** Names the payment at the bank: at most 30 characters without blanks. */
  reference: string;
  /** The account or the wallet. */
  details: Record<string, string>;
}

/**
 * The payments of a batch that are still to be made, in the order of the promoters' ids. A promoter is paid once for
 * all campaigns, unless one of the payouts failed and is tried again by a newer method.
 *
 * @throws Failure `refused` if there are none
 */
export async function loadPayments(store: Store, account: Account, batch: PaymentsBatch): Promise<Payment[]> {
  const payments = new Map<string, Payment>();
  const lineCounts = new Map<number, number>();
  for await (const chunk of store.scan(payouts, "batch", account.id, [batch.id])) {
    for (const { promoterId, status, payoutMethodId, totalInclTax } of chunk) {
      if (status !== "pending" && status !== "processing") continue;
      const line = `${promoterId} ${payoutMethodId}`;
      const known = payments.get(line);
      const lineCount = (lineCounts.get(promoterId) ?? 0) + (known === undefined ? 1 : 0);
      const payment =
        known ?? (await newPayment(store, account, { batch, promoterId, payoutMethodId, lineCount }));
      payments.set(line, payment);
      lineCounts.set(promoterId, lineCount);
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

async function newPayment(
  store: Store,
  account: Account,
  given: { batch: PaymentsBatch; promoterId: number; payoutMethodId: number | null; lineCount: number },
): Promise<Payment> {
  const { batch, promoterId, payoutMethodId, lineCount } = given;
  const promoter = await loadPromoter(store, account.id, promoterId);
  const method = payoutMethodId === null ? null : await store.get(payoutMethods, account.id, payoutMethodId);
  const texts = Object.entries(method?.details ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].trim() !== "",
  );
  const details = Object.fromEntries(texts.map(([name, value]) => [name, value.trim()]));
  return {
    promoterId,
    name: details["account_holder_name"] ?? promoterName(promoter),
    amount: 0,
    decimal: "0",
    currency: account.currency,
    reference: `${batchReference(batch)}-${promoterId}${lineCount > 1 ? `-${lineCount}` : ""}`,
    details,
  };
}
