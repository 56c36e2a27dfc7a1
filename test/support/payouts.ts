import {
  commissions,
  newCommission,
  type Commission,
} from "../../server/domain/ledger/commission/commission.ts";
import type { Context } from "../../server/domain/context.ts";
import { createPayoutMethod } from "../../server/domain/ledger/payout-method/changes.ts";
import { payouts, periodOfDay, type Payout, type Period } from "../../server/domain/ledger/payout/payout.ts";
import { generatePayouts, type PayoutRun } from "../../server/domain/ledger/payout-run/payout-run.ts";
import { newProfile, promoters, type Promoter } from "../../server/domain/people/promoter/promoter.ts";
import { createPromoter } from "../../server/domain/people/promoter/creation.ts";
import { accounts, type Account } from "../../server/domain/program/account/account.ts";
import type { PayoutMethodName } from "../../server/domain/ledger/payout-method/payout-method.ts";
import type { TestApp } from "./app.ts";

/** The details of a payout method that has none. */
export const NO_DETAILS = {
  wallet_email: null,
  paypal_email: null,
  bank_country: null,
  account_holder_name: null,
  account_holder_name_latin: null,
  account_number: null,
  routing_aba_number: null,
  country: null,
  state: null,
  postal_code: null,
  address: null,
  city: null,
  transit_number: null,
  institution_number: null,
  bsb_code: null,
  sort_code: null,
  ifsc_code: null,
  bank_code: null,
  branch_code: null,
  clabe: null,
  account_type: null,
  account_holder_type: null,
  iban: null,
  swift_bic_code: null,
  bank_name: null,
  bank_city: null,
  bank_address: null,
  wise_email: null,
  wallet_address: null,
  crypto_currency: null,
};

/** Makes a promoter in the default campaign, then applies the given changes to the record. */
export async function addPromoter(
  context: Context,
  account: Account,
  input: { email: string; first_name?: string; last_name?: string } & Partial<Promoter>,
): Promise<Promoter> {
  const { email, first_name = null, last_name = null, ...changes } = input;
  const newcomer = {
    email,
    cust_id: null,
    ref_token: null,
    coupon: null,
    display_coupon: null,
    campaign_id: null,
    temp_password_hash: null,
    landing_url: null,
    uses_url_tracking: false,
    parent_promoter_id: null,
    parentPromoterEmail: null,
    note: null,
    profile: newProfile({ first_name, last_name }),
    created_at: null,
    skip_email_notification: false,
    alwaysApprove: false,
    address: null,
  };
  const { promoter } = await context.store.transact((tx) => createPromoter(tx, context, account, newcomer));
  const changed = { ...promoter, ...changes };
  await context.store.transact((tx) => tx.put(promoters, changed));
  return changed;
}

/** Gives a promoter a selected way to be paid. */
export function selectMethod(
  context: Context,
  promoter: Promoter,
  input: { method: PayoutMethodName; details?: Record<string, unknown>; is_disabled?: boolean },
) {
  const { method, details = {}, is_disabled = false } = input;
  const own = { account_id: promoter.account_id, promoter_id: promoter.id, method, details };
  return context.store.transact((tx) =>
    createPayoutMethod(tx, context, { ...own, is_selected: true, is_disabled }),
  );
}

/** Makes a payout, by default pending, of 100.00 with 20 % tax, for January. */
export async function addPayout(
  { store, now }: Context,
  promoter: Promoter,
  changes: Partial<Payout> = {},
): Promise<Payout> {
  const payout: Payout = {
    account_id: promoter.account_id,
    id: await store.nextId("payout"),
    promoter_campaign_id: promoter.default_promoter_campaign_id,
    promoter_id: promoter.id,
    campaign_id: 1,
    status: "pending",
    unit: "cash",
    amount: 10_000,
    tax_rate_hundredths: 2_000,
    total_incl_tax: 12_000,
    period_start: "2026-01-01T00:00:00.000Z",
    period_end: "2026-01-31T23:59:59.999Z",
    period_end_date: (changes.period_end ?? "2026-01-31").slice(0, 10),
    due_date: "2026-03-02",
    has_own_terms: false,
    run_id: null,
    group_ref: null,
    payments_batch_id: null,
    payout_method_id: null,
    error: null,
    paid_at: changes.status === "completed" ? now.toISOString() : null,
    processing_started_at: null,
    failed_at: null,
    created_at: now.toISOString(),
    ...changes,
  };
  await store.transact((tx) => tx.put(payouts, payout));
  return payout;
}

/** Changes an account's settings. */
export async function changeAccount(
  { store }: Context,
  accountId: number,
  changes: Partial<Account>,
): Promise<Account> {
  return store.transact(async (tx) => {
    const account = (await tx.get(accounts, 0, accountId))!;
    const changed = { ...account, ...changes };
    await tx.put(accounts, changed);
    return changed;
  });
}

const MOVES = {
  completed: "mark_as_paid",
  pending: "mark_as_unpaid",
  failed: "mark_as_failed",
  cancelled: "cancel",
};

/** Moves a payout to another status. V2 has no operation for `processing`, so V1 does that. */
export async function movePayout(
  app: TestApp,
  { id, to, error = null }: { id: number; to: keyof typeof MOVES | "processing"; error?: string | null },
): Promise<void> {
  if (to === "processing") {
    const { status, body } = await app.v1("/payouts/update", { id: String(id), status: to });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return;
  }
  const given = { ids: [id], ...(to === "failed" && error !== null && { error }) };
  const { body } = await app.v2("POST", `/payouts/${MOVES[to]}`, given);
  const { data } = body as { data: { processing_errors: { message: string }[] } };
  for (const { message } of data.processing_errors) throw new Error(message);
}

/** Makes an approved cash commission of 10.00 of January, in no payout, unless told otherwise. */
export async function addCommission(
  { store }: Context,
  promoter: Promoter,
  changes: Partial<Commission> = {},
): Promise<Commission> {
  const commission = newCommission({
    account_id: promoter.account_id,
    id: await store.nextId("commission"),
    promoter_campaign_id: promoter.default_promoter_campaign_id,
    promoter_id: promoter.id,
    campaign_id: 1,
    amount: 1_000,
    created_at: "2026-01-15T12:00:00.000Z",
    ...changes,
  });
  await store.transact((tx) => tx.put(commissions, commission));
  return commission;
}

/** The period of a month, such as `2026-01`. */
export function month(key: string): Period {
  return periodOfDay({ payout_cycle: "monthly" }, `${key}-10`);
}

/** Runs the payouts of a period step by step. */
export function payoutSteps(context: Context, account: Account, period: Period) {
  return generatePayouts(context, account, period);
}

/** Runs the payouts of a period to the end. */
export async function runPayouts(context: Context, account: Account, period: Period): Promise<PayoutRun> {
  const run = generatePayouts(context, account, period);
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}

/** The ids of a payout's commissions. */
export async function commissionIdsOf({ store }: Context, { account_id, id }: Payout): Promise<number[]> {
  const page = await store.page(commissions, "payout", account_id, [id], { limit: 10_000 });
  return page.map((commission) => commission.id);
}
