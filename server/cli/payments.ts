import { setTimeout as sleep } from "node:timers/promises";
import { Argument, Option, type Command } from "commander";
import { loadAccount, type Account } from "../domain/program/account/account.ts";
import type { Context } from "../domain/context.ts";
import {
  connectPayments,
  disconnectPayments,
  listPaymentConnections,
  PAYMENT_PROVIDERS,
  setFeeRule,
  type FeeRule,
  type PaymentConnection,
  type PaymentProviderName,
} from "../domain/ledger/payment/connection.ts";
import {
  listLatestPayments,
  listPayments,
  paymentOrders,
  type Payment,
} from "../domain/ledger/payment/payment.ts";
import { decidePayment } from "../domain/ledger/payment/steps.ts";
import { decimalOf } from "../domain/money.ts";
import { payerOfBatch, priceBatch, sendBatch, type PricedPlan } from "../payments/send.ts";
import { storeOn } from "../storage/open.ts";
import type { Transaction } from "../storage/store.ts";
import { resealStore } from "../transfer/reseal.ts";
import { readGivenFile, wholeNumber, webAddress } from "./options.ts";
import { contextOf, print, tell, withEngine, withStore } from "./store.ts";

/** Adds the commands for paying by providers. */
export function providerCommands(program: Command): void {
  connectionCommands(program);
  paymentCommands(program);
}

function connectionCommands(program: Command): void {
  program
    .command("connect <account-id>")
    .addArgument(provider())
    .description("pay by a provider from now on, or replace its credentials")
    .option("--client-id <id>", "paypal: the client id of your app")
    .option("--profile-id <id>", "wise: the profile that pays")
    .option("--campaign-id <id>", "tremendous: the campaign that chooses the gift cards")
    .requiredOption("--secret-file <file>", "a file with the secret: of the app, or the API key")
    .option("--webhook-id <id>", "paypal: its id of the webhook that it sends events to")
    .option(
      "--webhook-key-file <file>",
      "the others: a file with the key that shows whether events are theirs",
    )
    .option("--base-url <url>", "the provider's API, for example its sandbox", webAddress)
    .action(connect);
  program
    .command("connections <account-id>")
    .description("list the providers that the account pays by, without their secrets")
    .action((accountId: string) =>
      onAccount(accountId, async ({ store }, account) =>
        print((await listPaymentConnections(store, account.id)).map(connectionRow)),
      ),
    );
  program
    .command("fees <account-id>")
    .addArgument(provider())
    .description("set what a provider charges for a payment, for estimates; without options, forget it")
    .option("--percent <percent>", "percentage of the amount", percentage)
    .option("--fixed <cents>", "fixed part in cents", wholeNumber("--fixed"))
    .option("--max <cents>", "the most for a payment in cents", wholeNumber("--max"))
    .action((accountId: string, name: PaymentProviderName, options: Partial<FeeRule>) =>
      onAccount(accountId, async (context, { id }) => {
        const { percent = 0, fixed = 0, max = null } = options;
        const feeRule = Object.keys(options).length === 0 ? null : { percent, fixed, max };
        const rule = { provider: name, fee_rule: feeRule };
        print(connectionRow(await context.store.transact((tx) => setFeeRule(tx, id, rule))));
      }),
    );
  program
    .command("disconnect <account-id>")
    .addArgument(provider())
    .description("delete the credentials of a provider")
    .action((accountId: string, name: PaymentProviderName) =>
      onAccount(accountId, async (context, { id }) => {
        await context.store.transact((tx) => disconnectPayments(tx, id, name));
        print({ disconnected: name });
      }),
    );
}

function paymentCommands(program: Command): void {
  program
    .command("send <account-id>")
    .addArgument(new Argument("<batch-id>").argParser(wholeNumber("<batch-id>")))
    .description("show what the provider of a batch's method would pay; with --yes, send it")
    .addOption(
      new Option("--provider <provider>", "which one, if several pay the method").choices(PAYMENT_PROVIDERS),
    )
    .option("--yes", "send unsent payments, and update the state of the others; repeated calls pay once")
    .option("--ignore-balance", "send even if the provider's balance seems too small")
    .action(send);
  program
    .command("payments <account-id>")
    .description("list the latest payments, newest first")
    .option("--undecided", "only those that need a decision")
    .action((accountId: string, { undecided }: { undecided?: true }) =>
      onAccount(accountId, async ({ store }, { id }) => {
        const wanted = { isUndecided: undecided ?? false, limit: LISTED };
        print((await listLatestPayments(store, id, wanted)).map(paymentRow));
      }),
    );
  program
    .command("decide <account-id>")
    .addArgument(new Argument("<payment-id>").argParser(wholeNumber("<payment-id>")))
    .addArgument(new Argument("<outcome>", "what you found out at the provider").choices(OUTCOMES))
    .description("record the outcome of an undecided payment")
    .action((accountId: string, id: number, outcome: (typeof OUTCOMES)[number]) =>
      onAccount(accountId, async (context, account) => {
        const decision = { id, wasPaid: outcome === "paid" };
        const decide = (tx: Transaction) => decidePayment(tx, context, account.id, decision);
        print(paymentRow(await context.store.transact(decide)));
      }),
    );
}

/** Adds the command that changes the key of the secrets. */
export function secretCommands(program: Command): void {
  program
    .command("secrets")
    .description("secrets that the store keeps encrypted")
    .command("rotate")
    .description("encrypt all secrets with the first key in TIDEMARK_SECRET_FILE")
    .action(() =>
      withEngine(async (engine) =>
        print({ rotated: await resealStore(engine, contextOf(await storeOn(engine))) }),
      ),
    );
}

const OUTCOMES = ["paid", "not-paid"] as const;
const LISTED = 1_000;

interface ConnectOptions {
  clientId?: string;
  campaignId?: string;
  profileId?: string;
  secretFile: string;
  webhookId?: string;
  webhookKeyFile?: string;
  baseUrl?: string;
}

async function connect(accountId: string, name: PaymentProviderName, options: ConnectOptions): Promise<void> {
  const secret = (await readGivenFile(options.secretFile)).trim();
  if (secret === "" || /\s/.test(secret)) throw new Error("--secret-file must contain one word");
  const { webhookKeyFile } = options;
  const webhookKey = webhookKeyFile === undefined ? undefined : (await readGivenFile(webhookKeyFile)).trim();
  await onAccount(accountId, async (context, { id }) => {
    const { clientId, campaignId, profileId, webhookId, baseUrl } = options;
    const input = {
      provider: name,
      client_id: clientId,
      campaign_id: campaignId,
      profile_id: profileId,
      secret,
      webhook_id: webhookId,
      webhookKey,
      api_url: baseUrl?.replace(/\/+$/, ""),
    };
    const given = { ...input, seal: context.store.seal };
    print(connectionRow(await context.store.transact((tx) => connectPayments(tx, context, id, given))));
  });
}

interface SendOptions {
  provider?: PaymentProviderName;
  yes?: true;
  ignoreBalance?: true;
}

async function send(accountId: string, batchId: number, options: SendOptions): Promise<void> {
  await onAccount(accountId, async (context, account) => {
    const { provider: wanted = null } = options;
    const run = { ...context, clock: () => new Date(), seal: context.store.seal };
    const given = { batchId, provider: await payerOfBatch(context.store, account.id, { batchId, wanted }) };
    if (options.yes === undefined) return print(planRow(await priceBatch(run, account, given)));
    const sending = { ...given, ignoresBalance: options.ignoreBalance === true };
    const plan = await sendBatch(run, account, sending);
    const waitMs = await heldMs(context.store, account.id, batchId);
    if (waitMs > 0) {
      tell("Another process was working on some of these payments. Checking whether it still is.");
      await sleep(waitMs);
      await sendBatch(run, account, sending);
    }
    const made = await listPayments(context.store, account.id, batchId);
    print({ batch: batchId, payments: made.map(paymentRow), left_out: leftOutRows(plan) });
  });
}

/** How long until all orders of a batch are released by other processes, 0 if they are. */
async function heldMs(store: Context["store"], accountId: number, batchId: number): Promise<number> {
  const orders = await store.list(paymentOrders, "batch", accountId, [batchId]);
  const now = Date.now();
  return Math.max(
    0,
    ...orders.map(({ held_until }) => (held_until === null ? 0 : Date.parse(held_until) - now)),
  );
}

function planRow(plan: PricedPlan) {
  const { currency } = plan;
  return {
    batch: plan.batch.id,
    currency,
    total: decimalOf(plan.total, currency),
    balance: plan.balance === null ? null : decimalOf(plan.balance, currency),
    fee_estimate: plan.fees === null ? null : decimalOf(plan.fees.amount, currency),
    fee_estimate_by: plan.fees?.by ?? null,
    to_pay: plan.toPay.map(({ promoter_id, name, payee, amount, payouts }) => ({
      promoter: promoter_id,
      name,
      payee,
      amount: decimalOf(amount, currency),
      payouts: payouts.map(({ id }) => id),
    })),
    left_out: leftOutRows(plan),
    sent: "nothing: add --yes to send it",
  };
}

function leftOutRows({ leftOut }: Pick<PricedPlan, "leftOut">) {
  return leftOut.map(({ payout, reason }) => ({ payout: payout.id, promoter: payout.promoter_id, reason }));
}

function paymentRow(payment: Payment) {
  return {
    id: payment.id,
    batch: payment.payments_batch_id,
    promoter: payment.promoter_id,
    payouts: payment.payout_ids,
    payer: payment.payer,
    amount: decimalOf(payment.amount, payment.currency),
    currency: payment.currency,
    reference: payment.reference,
    state: payment.state,
    since: payment.steps.at(-1)?.at ?? payment.created_at,
    fee: payment.fee === null ? null : decimalOf(payment.fee, payment.currency),
    error: payment.error,
    undecided: payment.review?.reason ?? null,
  };
}

/** The public fields of a connection, without its secret. */
function connectionRow(connection: PaymentConnection) {
  const { provider: name, client_id, campaign_id, profile_id, webhook_id, api_url, created_at } = connection;
  return {
    provider: name,
    client_id,
    campaign_id,
    profile_id,
    webhook_id,
    fee_rule: connection.fee_rule ?? null,
    has_webhook_key: (connection.sealed_webhook_key ?? null) !== null,
    base_url: api_url,
    created_at,
  };
}

function percentage(value: string): number {
  if (!/^\d{1,3}(\.\d{1,4})?$/.test(value) || Number(value) > 100)
    throw new Error("--percent must be a number from 0 to 100");
  return Number(value);
}

function provider(): Argument {
  return new Argument("<provider>", "the provider").choices(PAYMENT_PROVIDERS);
}

function onAccount(
  accountId: string,
  work: (context: Context, account: Account) => Promise<void>,
): Promise<void> {
  return withStore(async (context) => work(context, await loadAccount(context.store, accountId)));
}
