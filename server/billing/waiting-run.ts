import type { JobContext } from "../domain/context.ts";
import { servedAccounts, type Account } from "../domain/program/account/account.ts";
import { BILLING_PROVIDERS } from "../domain/ledger/billing/connection.ts";
import type { Chance, Context } from "../domain/context.ts";
import { isMissing, toAccountCurrency } from "../domain/ledger/rate.ts";
import { loadPromoCode } from "../domain/people/promo-code/promo-code.ts";
import { recordSale } from "../domain/ledger/sale/new-sale.ts";
import { recordRefund } from "../domain/ledger/sale/refund.ts";
import { settlePayment } from "../domain/ledger/sale/settlement.ts";
import {
  findWaitingSale,
  forgetWaiting,
  recordKept,
  waitingEvents,
  type WaitingEvent,
  type WaitingSale,
} from "../domain/ledger/sale/waiting.ts";
import { unlessGone } from "../domain/show.ts";
import type { Store } from "../storage/store.ts";
import { applyWaitingCancellation, applyWaiting, reportedBy } from "./record/record.ts";

/** Events between two pauses, in which other jobs get their turn. */
const TRIED_AT_ONCE = 100;

/** The parameters of a run. */
interface Run extends JobContext {
  chance: Chance;
}

/**
 * Records the waiting events of all accounts that now have rates, and counts them.
 *
 * @see docs/spec/money.md "Waiting for an exchange rate"
 */
export async function* recordAllWaiting(run: Run): AsyncGenerator<number> {
  let recorded = 0;
  for await (const account of servedAccounts(run.store)) {
    let ofAccount = 0;
    for await (const count of recordWaiting(run, account)) {
      ofAccount = count;
      yield recorded + ofAccount;
    }
    recorded += ofAccount;
  }
}

/**
 * Records an account's waiting events that now have rates, in the order of arrival, and counts them. An
 * interrupted run can be repeated: each event is recorded once, by its event id.
 */
export async function* recordWaiting(
  { store, clock, chance }: Run,
  account: Account,
): AsyncGenerator<number> {
  const hasRate = rateLookup(store, account);
  let recorded = 0;
  for await (const chunk of store.scan(waitingEvents, "id", account.id, [])) {
    for (const [index, waiting] of chunk.entries()) {
      if (index % TRIED_AT_ONCE === TRIED_AT_ONCE - 1) yield recorded;
      if (!(await isReady(store, waiting, hasRate))) continue;
      const context = { store, now: clock(), chance };
      if (await recordOne(context, account, waiting)) recorded += 1;
    }
  }
  yield recorded;
}

/** Most events wait for the same few rates, so a run looks each up once. */
function rateLookup(store: Store, account: Account): (event: WaitingEvent) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return ({ rate: { from, day } }) => {
    const name = `${from} ${day}`;
    const found =
      known.get(name) ??
      toAccountCurrency(store, account, { amount: 1, currency: from, at: new Date(day) }).then(
        (money) => !isMissing(money),
      );
    known.set(name, found);
    return found;
  };
}

async function isReady(
  store: Store,
  event: WaitingEvent,
  hasRate: (event: WaitingEvent) => Promise<boolean>,
): Promise<boolean> {
  if (!(await hasRate(event))) return false;
  return (
    event.kind === "sale" || (await findWaitingSale(store, event.account_id, event.sale_event_id)) === null
  );
}

async function recordOne(context: Context, account: Account, waiting: WaitingEvent): Promise<boolean> {
  const isRecorded = await recordKept(context, waiting, () => record(context, account, waiting));
  if (!isRecorded) return false;
  if (waiting.kind === "sale") await recordWhatFollows(context, account, waiting);
  // Last, so that the next run repeats the rest if the process dies in between.
  await context.store.transact((tx) => forgetWaiting(tx, account.id, waiting.id));
  return true;
}

async function record(
  context: Context,
  account: Account,
  waiting: WaitingEvent,
): Promise<"recorded" | "waiting"> {
  const { store } = context;
  const { event_id, lead_id } = waiting;
  const common = { event_id, created_at: new Date(waiting.created_at) };
  if (waiting.kind === "refund") {
    const { amount, currency, sale_event_id } = waiting;
    const customer = { uid: null, email: null, lead_id };
    const refund = { ...common, customer, amount, currency, sale_event_id, kept: waiting };
    return outcomeOf(await store.transact((tx) => recordRefund(tx, context, account, refund)));
  }
  const promoCode = await codeOf(context, waiting);
  const customer = { uid: null, email: null, tid: null, ref_token: null, promoCode, lead_id };
  const sale = { ...common, ...waiting.facts, customer, kept: waiting };
  return outcomeOf(await store.transact((tx) => recordSale(tx, context, account, sale)));
}

function outcomeOf(event: object): "recorded" | "waiting" {
  return "waiting" in event ? "waiting" : "recorded";
}

async function codeOf(
  { store }: Context,
  { account_id, promo_code_id }: WaitingSale,
): Promise<string | null> {
  const promoCode = promo_code_id && (await unlessGone(loadPromoCode(store, account_id, promo_code_id)));
  return promoCode ? promoCode.code : null;
}

/** What a provider reported meanwhile: more of the payment, refunds, and a cancellation. */
async function recordWhatFollows(
  context: Context,
  account: Account,
  { event_id, facts: { subscription_id } }: WaitingSale,
): Promise<void> {
  const payer = { customerId: null, uids: [], tids: [], email: null, promoCodes: [] };
  for (const provider of BILLING_PROVIDERS) {
    const source = { context, account, provider, lookUp: async () => null };
    await settlePayment(context, account, await reportedBy(source, [event_id]));
    await applyWaiting(source, [event_id]);
    await applyWaitingCancellation(source, { subscription_id, payer });
  }
}
