import type { Language } from "../../languages/languages.ts";
import type { Transaction } from "../../storage/store.ts";
import { users } from "../access/user/user.ts";
import { SYSTEM, type Context } from "../context.ts";
import type { MoneyEmailKind, OwnerEmailKind } from "../events/email.ts";
import { enqueue, newDelivery } from "../events/webhook/delivery.ts";
import { isErased } from "../people/erased.ts";
import { mailLanguage, promoterName, promoters } from "../people/promoter/promoter.ts";
import { accounts } from "../program/account/account.ts";
import { shownName } from "../program/account/brand.ts";
import { formatAmount } from "../money.ts";
import { batchReference } from "./payments-batch/batch.ts";
import { payerWords, payments, type Payment, type PaymentState } from "./payment/payment.ts";

/** The values of an e-mail in the language of its promoter. */
type ValuesIn = (language: Language) => Record<string, string>;

/**
 * Writes an e-mail to a promoter about where their money goes, in the commit of the change that it reports. Campaigns and
 * promoters can't switch such e-mails off. Erased promoters, and those who have not confirmed their address, get none.
 */
export async function enqueueMoneyEmail(
  tx: Transaction,
  { store, now, isHistory = false }: Pick<Context, "store" | "now" | "isHistory">,
  given: { account_id: number; promoter_id: number; kind: MoneyEmailKind; values: ValuesIn },
): Promise<void> {
  const { account_id: ownerId, promoter_id, kind, values } = given;
  const promoter = await tx.get(promoters, ownerId, promoter_id);
  const account = await tx.get(accounts, SYSTEM, ownerId);
  if (account === null || promoter === null || isHistory) return;
  if (isErased(promoter) || promoter.is_unconfirmed) return;
  const email = {
    kind,
    promoter_id,
    to: promoter.email,
    values: {
      first_name: promoter.profile.first_name ?? promoterName(promoter),
      email: promoter.email,
      company_name: shownName(account),
      ...values(mailLanguage(account, promoter)),
    },
  };
  const id = await store.nextId("delivery");
  const lane = `promoter/${promoter_id}`;
  await enqueue(tx, newDelivery({ id, owner_id: ownerId, lane, email, created_at: now.toISOString() }), now);
}

/** Writes an e-mail to each owner of an account about something that someone must look at. */
export async function enqueueOwnerEmails(
  tx: Transaction,
  { store, now }: Pick<Context, "store" | "now">,
  { account_id, kind, values }: { account_id: number; kind: OwnerEmailKind; values: Record<string, string> },
): Promise<void> {
  const account = await tx.get(accounts, SYSTEM, account_id);
  if (account === null) return;
  for (const user of await tx.view.list(users, "can_own", SYSTEM, [account_id])) {
    const email = {
      kind,
      promoter_id: null,
      user_id: user.id,
      to: user.email,
      values: {
        first_name: user.name ?? user.email,
        email: user.email,
        company_name: account.name,
        ...values,
      },
    };
    const id = await store.nextId("delivery");
    const lane = `user/${user.id}`;
    await enqueue(
      tx,
      newDelivery({ id, owner_id: account_id, lane, email, created_at: now.toISOString() }),
      now,
    );
  }
}

/** The e-mail to the promoter about money that did not arrive. A payment reaches each state once. */
const TOLD: Partial<Record<PaymentState, MoneyEmailKind>> = {
  unclaimed: "payment_unclaimed",
  failed: "payment_failed",
  returned: "payment_returned",
};

/** Tells a promoter by e-mail that a payment has not arrived, in the commit in which it reaches that state. */
export async function tellPromoter(tx: Transaction, context: Context, payment: Payment): Promise<Payment> {
  const { account_id, promoter_id, payer, state, amount, currency } = payment;
  const kind = TOLD[state];
  if (kind === undefined) return payment;
  const values = (language: Language) => ({
    amount: formatAmount(amount, "cash", currency, language),
    provider: payerWords(payer),
  });
  await enqueueMoneyEmail(tx, context, { account_id, promoter_id, kind, values });
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
  const fresh = waiting.filter(({ review }) => review?.told_at === undefined).slice(0, TOLD_AT_ONCE);
  if (fresh.length === 0) return;
  await store.transact(async (tx) => {
    const told = new Set<string>();
    let count = 0;
    for (const { id } of fresh) {
      const payment = await tx.lock(payments, accountId, id);
      // Another process has sent it, or no decision is needed any more.
      if (payment === null || payment.review === null || payment.review.told_at !== undefined) continue;
      const review = { ...payment.review, told_at: context.now.toISOString() };
      await tx.put(payments, { ...payment, review });
      told.add(batchReference({ id: payment.payments_batch_id }));
      count += 1;
    }
    if (count === 0) return;
    const values = {
      count: count === 1 ? "one payment" : `${count} payments`,
      batches: [...told].join(", "),
    };
    await enqueueOwnerEmails(tx, context, { account_id: accountId, kind: "payments_undecided", values });
  });
}
