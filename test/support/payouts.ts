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
import { asItIs } from "../../server/domain/show.ts";
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
  input: { email: string; firstName?: string; lastName?: string } & Partial<Promoter>,
): Promise<Promoter> {
  const { email, firstName = null, lastName = null, ...changes } = input;
  const { promoter } = await createPromoter(context, account, {
    email,
    custId: null,
    refToken: null,
    coupon: null,
    displayCoupon: null,
    campaignId: null,
    tempPasswordHash: null,
    landingUrl: null,
    usesUrlTracking: false,
    parentPromoterId: null,
    parentPromoterEmail: null,
    note: null,
    profile: newProfile({ firstName, lastName }),
    createdAt: null,
    skipEmailNotification: false,
    alwaysApprove: false,
    address: null,
    show: asItIs,
  });
  const changed = { ...promoter, ...changes };
  await context.store.transact((tx) => tx.put(promoters, changed));
  return changed;
}

/** Gives a promoter a selected way to be paid. */
export function selectMethod(
  context: Context,
  promoter: Promoter,
  input: { method: PayoutMethodName; details?: Record<string, unknown>; isDisabled?: boolean },
) {
  const { method, details = {}, isDisabled = false } = input;
  return createPayoutMethod(context, promoter.accountId, {
    promoterId: promoter.id,
    method,
    details,
    isSelected: true,
    isDisabled,
  });
}

/** Makes a payout, by default pending, of 100.00 with 20 % tax, for January. */
export async function addPayout(
  { store, now }: Context,
  promoter: Promoter,
  changes: Partial<Payout> = {},
): Promise<Payout> {
  const payout: Payout = {
    accountId: promoter.accountId,
    id: await store.nextId("payout"),
    promoterCampaignId: promoter.defaultPromoterCampaignId,
    promoterId: promoter.id,
    campaignId: 1,
    status: "pending",
    unit: "cash",
    amount: 10_000,
    taxRateHundredths: 2_000,
    totalInclTax: 12_000,
    periodStart: "2026-01-01T00:00:00.000Z",
    periodEnd: "2026-01-31T23:59:59.999Z",
    dueDate: "2026-03-02",
    hasOwnTerms: false,
    runId: null,
    groupRef: null,
    paymentsBatchId: null,
    payoutMethodId: null,
    error: null,
    paidAt: changes.status === "completed" ? now.toISOString() : null,
    processingStartedAt: null,
    failedAt: null,
    createdAt: now.toISOString(),
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
    accountId: promoter.accountId,
    id: await store.nextId("commission"),
    promoterCampaignId: promoter.defaultPromoterCampaignId,
    promoterId: promoter.id,
    campaignId: 1,
    amount: 1_000,
    createdAt: "2026-01-15T12:00:00.000Z",
    ...changes,
  });
  await store.transact((tx) => tx.put(commissions, commission));
  return commission;
}

/** The period of a month, such as `2026-01`. */
export function month(key: string): Period {
  return periodOfDay({ payoutCycle: "monthly" }, `${key}-10`);
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
export async function commissionIdsOf({ store }: Context, { accountId, id }: Payout): Promise<number[]> {
  const page = await store.page(commissions, "payout", accountId, [id], { limit: 10_000 });
  return page.map((commission) => commission.id);
}
