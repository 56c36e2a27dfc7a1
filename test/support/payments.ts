import { connectPayments } from "../../server/domain/ledger/payment/connection.ts";
import { PROCESS } from "../../server/domain/access/audit/audit.ts";
import { systemChance } from "../../server/domain/context.ts";
import { stripeAccounts, type StripeAccount } from "../../server/domain/ledger/payment/stripe-account.ts";
import { payments, payoutClaims } from "../../server/domain/ledger/payment/payment.ts";
import type { TestApp } from "./app.ts";
import { TEST_SEAL } from "./memory-engine.ts";
import { withStore } from "./operations.ts";
import { createPaymentsBatch } from "../../server/domain/ledger/payments-batch/changes.ts";
import { asItIs } from "../../server/domain/show.ts";
import { addPayout, addPromoter, changeAccount, selectMethod } from "./payouts.ts";
import { askOpenPayments, intendBatch, type PaymentFault } from "../../server/payments/send.ts";
import { startStripeAccount, type Newcomer } from "../../server/payments/stripe-accounts.ts";
import { newStore } from "../../server/storage/store.ts";
import { mortalEngine, type Death } from "./mortal-engine.ts";
import type { PaypalApi } from "./paypal-api.ts";

/** Connects the account with a stand-in. Only the command line may name an address. */
export async function connectPaypal(
  { context, account_id, services }: TestApp,
  { url }: PaypalApi,
): Promise<void> {
  const given = {
    seal: services.seal,
    provider: "paypal",
    client_id: "client-1",
    secret: "secret-1",
    webhook_id: "hook-1",
    api_url: url,
  } as const;
  await context.store.transact((tx) => connectPayments(tx, context, account_id, given));
}

/** Takes a fault of the job as one of the test. */
export function rethrow({ error }: PaymentFault): never {
  throw error;
}

/** One round of the job that sends payments and asks about them. */
export async function runPaymentJob({ services }: TestApp): Promise<void> {
  const { store, chance, clock, seal } = services;
  const round = askOpenPayments({ store, chance, clock, seal, actor: PROCESS }, rethrow);
  while ((await round.next()).done !== true);
}

/** Lets the job of a server run on a store after some hours, and resolves to the state of each payout's payment. */
export function finishPayments(
  url: string,
  /** The hours pass at PayPal, too. */
  { paypal, afterHours }: { paypal: PaypalApi; afterHours: number },
): Promise<[payoutId: number, state: string][]> {
  return withStore(url, async ({ store, account_id }) => {
    for (let hours = afterHours; hours < afterHours + 3; hours += 1) {
      paypal.aheadMs = hours * 60 * 60 * 1_000;
      const clock = () => new Date(Date.now() + paypal.aheadMs);
      const round = askOpenPayments({ store, chance: systemChance, clock, seal: TEST_SEAL }, rethrow);
      while ((await round.next()).done !== true);
    }
    const claims = await store.list(payoutClaims, "id", account_id, []);
    const found = claims.map(async ({ payout_id, payment_id }): Promise<[number, string]> => {
      const payment = await store.get(payments, account_id, payment_id);
      return [payout_id, payment?.state ?? "none"];
    });
    return Promise.all(found);
  });
}

type TransferProvider = "stripe" | "wise" | "tremendous";

/** Connects the account with a stand-in of Stripe, Wise or Tremendous. */
export async function connectTo(
  { context, account_id, services }: TestApp,
  provider: TransferProvider,
  apiUrl: string,
  webhookKey?: string,
): Promise<void> {
  const whose = { campaign_id: "campaign-1", profile_id: "7" };
  const given = { seal: services.seal, provider, secret: "secret-1", api_url: apiUrl, webhookKey, ...whose };
  await context.store.transact((tx) => connectPayments(tx, context, account_id, given));
}

/** The promoters' accounts at Stripe, as they are stored. */
export function storedStripeAccounts({ context: { store }, account_id }: TestApp): Promise<StripeAccount[]> {
  return store.list(stripeAccounts, "id", account_id, []);
}

/** A process that opens a promoter's account at Stripe, and is killed. */
export async function startStripeKilled(
  { stored, services, account_id }: TestApp,
  newcomer: Newcomer,
  death: Death,
): Promise<void> {
  const mortal = mortalEngine(stored.engine);
  mortal.kill(death);
  const { clock, seal, public_url } = services;
  const context = { store: newStore(mortal.engine), now: clock(), chance: systemChance, seal };
  await startStripeAccount(context, account_id, { ...newcomer, public_url }).catch((error: unknown) => {
    if (!mortal.isDead()) throw error;
  });
}

/** Makes a promoter with a payout for each of these details of a method, and puts the payouts into batch 1. */
export async function addBatch(
  { context, account_id }: TestApp,
  method: "custom" | "wise",
  all: Record<string, string>[],
): Promise<void> {
  const account = await changeAccount(context, account_id, {});
  for (const [index, details] of all.entries()) {
    const promoter = await addPromoter(context, account, { email: `p${index}@example.com` });
    await selectMethod(context, promoter, { method, details });
    await addPayout(context, promoter);
  }
  await createPaymentsBatch(context, account, { method, show: asItIs });
}

/** `tidemark payouts send acme BATCH_ID --yes --provider …`, as far as the payments are written down. */
export async function sendAll(app: TestApp, provider: TransferProvider, batchId = 1): Promise<void> {
  const { store, chance, clock, seal } = app.services;
  const account = await changeAccount(app.context, app.account_id, {});
  const given = { batchId, provider, ignoresBalance: false };
  await intendBatch({ store, chance, clock, seal }, account, given);
}
