import type { Language } from "../../../languages/languages.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import type { MoneyEmailKind } from "../../events/email.ts";
import { formatAmount } from "../../money.ts";
import { enqueueMoneyEmail, enqueueOwnerEmails } from "../money-email.ts";
import { batchReference } from "../payments-batch/batch.ts";
import { payerWords, payments, type Payment, type PaymentState } from "./payment.ts";

/** The e-mail to the promoter about money that did not arrive. A payment reaches each state once. */
const TOLD: Partial<Record<PaymentState, MoneyEmailKind>> = {
  unclaimed: "payment_unclaimed",
  failed: "payment_failed",
  returned: "payment_returned",
};

/** Tells a promoter by e-mail that a payment has not arrived, in the commit in which it reaches that state. */
export async function tellPromoter(tx: Transaction, context: Context, payment: Payment): Promise<Payment> {
  const { accountId, promoterId, payer, state, amount, currency } = payment;
  const kind = TOLD[state];
  if (kind === undefined) return payment;
  const values = (language: Language) => ({
    amount: formatAmount(amount, "cash", currency, language),
    provider: payerWords(payer),
  });
  await enqueueMoneyEmail(tx, context, { accountId, promoterId, kind, values });
  return payment;
}

/** The most payments that one e-mail tells of. The next round tells of the others. */
const TOLD_AT_ONCE = 1_000;

/**
 * Tells the owners of an account by e-mail about payments that a person must decide. Each is told once, as long as it waits:
 * what was told is written down in the commit of the e-mail.
 */
export async function tellUndecided(context: Context, accountId: number): Promise<void> {
  const { store } = context;
  const waiting = await store.list(payments, "review", accountId, []);
  const fresh = waiting.filter(({ review }) => review?.toldAt === undefined).slice(0, TOLD_AT_ONCE);
  if (fresh.length === 0) return;
  await store.transact(async (tx) => {
    const told = new Set<string>();
    let count = 0;
    for (const { id } of fresh) {
      const payment = await tx.lock(payments, accountId, id);
      // Another process has sent it, or no decision is needed any more.
      if (payment === null || payment.review === null || payment.review.toldAt !== undefined) continue;
      const review = { ...payment.review, toldAt: context.now.toISOString() };
      await tx.put(payments, { ...payment, review });
      told.add(batchReference({ id: payment.paymentsBatchId }));
      count += 1;
    }
    if (count === 0) return;
    const values = {
      count: count === 1 ? "one payment" : `${count} payments`,
      batches: [...told].join(", "),
    };
    await enqueueOwnerEmails(tx, context, { accountId, kind: "payments_undecided", values });
  });
}
