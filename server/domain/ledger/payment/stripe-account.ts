import { Failure } from "../../../failure.ts";
import { withoutPersonal } from "../../../storage/marks.ts";
import type { Reader, Store, Transaction } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";
import { DAY_MS, upTo } from "../../span.ts";
import type { MoneyEmailKind } from "../../events/email.ts";
import { isErased } from "../../people/erased.ts";
import { loadPromoter, promoters } from "../../people/promoter/promoter.ts";
import { enqueueMoneyEmail } from "../money-email.ts";
import { createPayoutMethod, selectPayoutMethod } from "../payout-method/changes.ts";
import { payoutMethods, type PayoutMethod } from "../payout-method/payout-method.ts";

/**
 * `opening`: Stripe was asked for it, and has not named it yet. `incomplete`: the promoter must enter more. `pending`: Stripe
 * checks what was entered. `enabled`: it takes transfers. `rejected`: Stripe refuses it. `lost`: the company's key can't see it.
 * `closing`: the promoter was erased, and Stripe has not confirmed yet that it has closed the account.
 */
export const STRIPE_ACCOUNT_STATES = [
  "opening",
  "incomplete",
  "pending",
  "enabled",
  "rejected",
  "lost",
  "closing",
] as const;

export type StripeAccountState = (typeof STRIPE_ACCOUNT_STATES)[number];

/** What Stripe says about an account. */
export interface StripeAccountReport {
  stripe_id: string;
  state: Exclude<StripeAccountState, "opening" | "lost" | "closing">;
  /** Stripe's names of the fields that are missing, such as `individual.verification.document`. */
  missing: string[];
  /** Whether Stripe pays out to the promoter's bank. */
  has_payouts: boolean;
}

const fields = {
  promoter_id: integer(),
  /** A UUID that identifies it at Stripe before its id is known. */
  reference: text(),
  /** The two letters of the promoter's country. Stripe never changes it. */
  country: text().personal(),
  /** Null: not known yet. */
  stripe_id: text().nullable(),
  state: text<StripeAccountState>(),
  missing: json<string[]>().personal([]),
  has_payouts: flag(),
  /** The payout method that pays to it. Null: it has not been enabled yet. */
  payout_method_id: integer().nullable(),
  /** When Stripe was first asked to open it by a key that it still remembers. */
  asked_at: time(),
  checked_at: time().nullable(),
  /** When the server asks about it again, or null if it waits for an event or the promoter. */
  next_ask_at: time().nullable(),
  created_at: time(),
  /** Why Stripe has not closed it yet, in Stripe's words. Absent: it was not refused. */
  closing_refusal: text().optional(),
};

/** The account of a promoter at Stripe, which was opened under the company's key. */
export type StripeAccount = RowOf<typeof fields>;

export const stripeAccounts = table("stripe-account", fields, {
  key: ["promoter_id"],
  unique: { stripe: ["stripe_id"] },
  indexes: { due: { on: ["next_ask_at"], where: "next_ask_at is not null" } },
});

/** A promoter's account at Stripe, or null. */
export function findStripeAccount(
  reader: Reader,
  accountId: number,
  promoterId: number,
): Promise<StripeAccount | null> {
  return reader.get(stripeAccounts, accountId, promoterId);
}

/** The accounts that the server asks about now. */
export function listDueStripeAccounts(store: Store, accountId: number, now: Date): Promise<StripeAccount[]> {
  const between = upTo(now.toISOString());
  return store.page(stripeAccounts, "due", accountId, [], { limit: DUE_AT_ONCE, between });
}

const DUE_AT_ONCE = 100;

/**
 * Records that a promoter wants an account, before Stripe is asked to open it. An account that exists stays, with its country;
 * one that was lost is replaced.
 *
 * @throws Failure `refused` for an erased promoter
 */
export function intendStripeAccount(
  context: Context,
  accountId: number,
  { promoter_id, country }: { promoter_id: number; country: string },
): Promise<StripeAccount> {
  const { store, chance, now } = context;
  return store.transact(async (tx) => {
    await tx.lock(promoters, accountId, promoter_id);
    if (isErased(await loadPromoter(tx, accountId, promoter_id)))
      throw new Failure("refused", "The promoter was erased");
    const before = await tx.get(stripeAccounts, accountId, promoter_id);
    if (before !== null && before.state !== "lost") return before;
    const at = now.toISOString();
    const after: StripeAccount = {
      account_id: accountId,
      promoter_id,
      reference: chance.uuid(),
      country,
      stripe_id: null,
      state: "opening",
      missing: [],
      has_payouts: false,
      payout_method_id: null,
      asked_at: at,
      checked_at: null,
      next_ask_at: nextAskAt("opening", { created_at: at, now }),
      created_at: at,
    };
    await tx.put(stripeAccounts, after);
    return after;
  });
}

/** Records that Stripe is asked anew to open an account, because it has forgotten the first key. */
export function askAnew({ store, now }: Context, given: StripeAccount): Promise<StripeAccount | null> {
  return store.transact(async (tx) => {
    const before = await lockSame(tx, given);
    if (before === null || before.stripe_id !== null) return before;
    const after = { ...before, asked_at: now.toISOString() };
    await tx.put(stripeAccounts, after);
    return after;
  });
}

/** Forgets an account that Stripe has refused to open, so that the promoter can try another country. */
export function forgetStripeAccount({ store }: Context, given: StripeAccount): Promise<void> {
  return store.transact(async (tx) => {
    const before = await lockSame(tx, given);
    if (before?.stripe_id === null) await tx.remove(stripeAccounts, given.account_id, given.promoter_id);
  });
}

/**
 * Records what Stripe says about an account: null if the company's key can't see it any more, or `silent`. When it takes
 * transfers for the first time, the promoter is paid by it from then on. It may be recorded any number of times, in any order.
 */
export function recordStripeAccount(
  context: Context,
  given: StripeAccount,
  report: StripeAccountReport | "silent" | null,
): Promise<StripeAccount | null> {
  const { store, now } = context;
  return store.transact(async (tx) => {
    const before = await lockSame(tx, given);
    if (before === null) return null;
    let after: StripeAccount = { ...before, next_ask_at: nextAskAt(before.state, { ...before, now }) };
    if (report === null) after = { ...before, state: "lost", next_ask_at: null };
    else if (report !== "silent") {
      const next = nextAskAt(report.state, { ...before, now });
      after = { ...before, ...report, checked_at: now.toISOString(), next_ask_at: next };
    }
    if (after.state === "enabled" && after.payout_method_id === null)
      after = { ...after, payout_method_id: (await addMethod(tx, context, after)).id };
    await tx.put(stripeAccounts, after);
    await tellState(tx, context, { before, after });
    return after;
  });
}

/** Tells a promoter by e-mail in the commit in which the state of their account changes. */
async function tellState(
  tx: Transaction,
  context: Context,
  { before, after }: { before: StripeAccount; after: StripeAccount },
): Promise<void> {
  const kind = emailAbout(before.state, after.state);
  if (kind === null) return;
  const { account_id, promoter_id } = after;
  await enqueueMoneyEmail(tx, context, { account_id, promoter_id, kind, values: () => ({}) });
}

function emailAbout(before: StripeAccountState, after: StripeAccountState): MoneyEmailKind | null {
  if (before === after) return null;
  if (after === "enabled") return "stripe_ready";
  // A promoter who has just asked for an account is led to the form anyway.
  if (after === "incomplete") return before === "opening" ? null : "stripe_incomplete";
  const isRestricted = before === "enabled" || after === "rejected" || after === "lost";
  return isRestricted ? "stripe_restricted" : null;
}

/**
 * Pays a promoter by their enabled account at Stripe from now on, also after they had chosen another method.
 *
 * @throws Failure `refused` unless it is enabled
 */
export function selectStripeAccount(context: Context, given: StripeAccount): Promise<PayoutMethod> {
  const { store } = context;
  return store.transact(async (tx) => {
    const account = await lockSame(tx, given);
    if (account?.state !== "enabled")
      throw new Failure("refused", "Stripe does not let this account be paid yet");
    const { account_id, payout_method_id } = account;
    const known =
      payout_method_id === null ? null : await tx.get(payoutMethods, account_id, payout_method_id);
    if (known?.is_selected) return known;
    if (known?.is_disabled) throw new Failure("refused", "The company has disabled this payout method.");
    const method = await addMethod(tx, context, account);
    await tx.put(stripeAccounts, { ...account, payout_method_id: method.id });
    return method;
  });
}

/**
 * Unlinks the account of a promoter who is erased. What Stripe needs to close it stays until that is done: its id, and our
 * reference as long as the id is unknown.
 */
export async function leaveStripeAccount(
  tx: Transaction,
  { now }: Context,
  { account_id, promoter_id }: { account_id: number; promoter_id: number },
): Promise<void> {
  const before = await tx.get(stripeAccounts, account_id, promoter_id);
  if (before === null) return;
  const nothing = { has_payouts: false, payout_method_id: null };
  const kept = { ...withoutPersonal(stripeAccounts, before), ...nothing };
  await tx.put(stripeAccounts, { ...kept, state: "closing", next_ask_at: now.toISOString() });
}

/**
 * Records what came of closing the account of an erased promoter. It is `done` if Stripe has closed it or knows of none.
 * Otherwise the server tries again: in an hour without an answer, in a day after a refusal, for example because of a balance.
 */
export function recordClosing(
  { store, now }: Context,
  { account_id, promoter_id, reference }: StripeAccount,
  outcome: "done" | { refusal: string | null },
): Promise<void> {
  return store.transact(async (tx) => {
    const account = await tx.lock(stripeAccounts, account_id, promoter_id);
    if (account?.state !== "closing" || account.reference !== reference) return;
    if (outcome === "done") return tx.remove(stripeAccounts, account_id, promoter_id);
    const { refusal } = outcome;
    const waitMs = refusal === null ? HOUR_MS : DAY_MS;
    const next = new Date(now.getTime() + waitMs).toISOString();
    await tx.put(stripeAccounts, {
      ...account,
      next_ask_at: next,
      ...(refusal !== null && { closing_refusal: refusal }),
    });
  });
}

/** Accounts of erased promoters that Stripe refuses to close. */
export async function listUnclosable(store: Store, accountId: number): Promise<StripeAccount[]> {
  const all = await store.page(stripeAccounts, "due", accountId, [], { limit: DUE_AT_ONCE });
  return all.filter(({ closing_refusal }) => closing_refusal !== undefined);
}

/** Why a promoter's account can't be paid to, or null if it can, or was not opened here. */
export async function whyNotPayable(
  reader: Reader,
  accountId: number,
  stripeId: string,
): Promise<string | null> {
  const account = await reader.find(stripeAccounts, "stripe", accountId, [stripeId]);
  if (account === null || account.state === "enabled") return null;
  if (account.state === "lost") return "Your key for Stripe can't see the promoter's account";
  const missing = account.missing.length === 0 ? "" : `: ${account.missing.join(", ")} missing`;
  return `Stripe has not enabled transfers to the promoter's account${missing}`;
}

/** The record, unless another account has replaced it, or the promoter is gone. */
async function lockSame(
  tx: Transaction,
  { account_id, promoter_id, reference }: StripeAccount,
): Promise<StripeAccount | null> {
  const account = await tx.lock(stripeAccounts, account_id, promoter_id);
  return account?.reference === reference && account.state !== "closing" ? account : null;
}

async function addMethod(
  tx: Transaction,
  context: Context,
  { account_id, promoter_id, stripe_id }: StripeAccount,
): Promise<PayoutMethod> {
  const methods = await tx.view.list(payoutMethods, "promoter", account_id, [promoter_id]);
  const known = methods.find(
    ({ method, details, is_disabled }) =>
      method === "custom" && details["stripe_account"] === stripe_id && !is_disabled,
  );
  if (known !== undefined) return selectPayoutMethod(tx, context, known);
  const target = { method: "custom", details: { stripe_account: stripe_id } } as const;
  const own = { account_id, promoter_id, is_selected: true, is_disabled: false };
  return createPayoutMethod(tx, context, { ...own, ...target });
}

const HOUR_MS = 60 * 60 * 1_000;

/** When to ask without an event. A promoter who has not finished after a month comes back to the page anyway. */
function nextAskAt(
  state: StripeAccountState,
  { created_at, now }: { created_at: string; now: Date },
): string | null {
  if (state === "rejected" || state === "lost" || state === "closing") return null;
  const isYoung = now.getTime() - Date.parse(created_at) < 30 * DAY_MS;
  if (state !== "enabled" && !isYoung) return null;
  return new Date(now.getTime() + (state === "enabled" ? DAY_MS : HOUR_MS)).toISOString();
}
