import { createHash, createPublicKey } from "node:crypto";
import { Failure } from "../../../failure.ts";
import type { Seal } from "../../../seal.ts";
import type { Reader, Store, Transaction, View } from "../../../storage/store.ts";
import { json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";

export const PAYMENT_PROVIDERS = ["paypal", "stripe", "wise", "tremendous"] as const;

export type PaymentProviderName = (typeof PAYMENT_PROVIDERS)[number];

/** The providers' names in sentences. */
export const PROVIDER_WORDS: Record<PaymentProviderName, string> = {
  paypal: "PayPal",
  stripe: "Stripe",
  wise: "Wise",
  tremendous: "Tremendous",
};

/** A provider's fee for one payment: a fixed part and a percentage. */
export interface FeeRule {
  percent: number;
  /** In the minor unit of the account's currency. */
  fixed: number;
  /** The most that the provider charges for a payment, in the minor unit. Null: there is no limit. */
  max: number | null;
}

const fields = {
  provider: text<PaymentProviderName>(),
  /** PayPal: the name of the company's app. Null for other providers. */
  client_id: text().nullable(),
  /** Tremendous: the campaign that chooses the gift cards. Null for other providers. */
  campaign_id: text().nullable(),
  /** Wise: the paying profile. Null for other providers. */
  profile_id: text().nullable(),
  /** The secret, encrypted with a key that is not in the store. */
  sealed_secret: text().secret(),
  /** PayPal: its id of the webhook for its events, or null if the server only polls. Null for other providers. */
  webhook_id: text().nullable(),
  /** The key that shows whether an event is the provider's, encrypted like the secret, or null. */
  sealed_webhook_key: text().nullable().secret(),
  /** What the provider charges for a payment, as the company knows it. Null: unknown. */
  fee_rule: json<FeeRule>().nullable(),
  /** The address of the provider's API, or null for the default. */
  api_url: text().nullable(),
  created_at: time(),
};

/** An account's connection with a provider that pays promoters. */
export type PaymentConnection = RowOf<typeof fields>;

export const paymentConnections = table("payment-connection", fields, {
  key: ["provider"],
});

/** The input of a connection. Undefined fields stay unchanged, or are none. */
export interface PaymentConnectionInput {
  provider: PaymentProviderName;
  client_id?: string | null | undefined;
  campaign_id?: string | null | undefined;
  profile_id?: string | null | undefined;
  secret: string;
  webhook_id?: string | null | undefined;
  webhookKey?: string | null | undefined;
  api_url?: string | null | undefined;
}

/** Connects an account with a provider, or replaces the connection's credentials. @throws Failure `refused` without a key */
export async function connectPayments(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  accountId: number,
  { seal, secret, ...given }: PaymentConnectionInput & { seal: Seal },
): Promise<PaymentConnection> {
  const { provider, client_id = null, campaign_id = null, profile_id = null } = given;
  const { webhook_id, api_url } = given;
  const isList = provider === "stripe" && typeof given.webhookKey === "string";
  const webhookKey = isList ? given.webhookKey?.replaceAll(/\s+/g, " ") : given.webhookKey;
  if (provider === "paypal" && client_id === null) throw lacking("client_id");
  if (provider === "wise" && !/^\d{1,15}$/.test(profile_id ?? "")) throw lacking("profile_id");
  if (provider === "tremendous" && campaign_id === null) throw lacking("campaign_id");
  if (!isWebhookKey(provider, webhookKey ?? null)) throw fault("webhook_key", "is invalid");
  const sealedSecret = seal.close(secret, placeOf({ account_id: accountId, provider }));
  const sealKey = (key: string) => seal.close(key, keyPlaceOf({ account_id: accountId, provider }));
  const before = await tx.get(paymentConnections, accountId, provider);
  const connection: PaymentConnection = {
    account_id: accountId,
    provider,
    client_id,
    campaign_id,
    profile_id,
    sealed_secret: sealedSecret,
    webhook_id: webhook_id === undefined ? (before?.webhook_id ?? null) : webhook_id,
    sealed_webhook_key:
      webhookKey === undefined ? (before?.sealed_webhook_key ?? null) : webhookKey && sealKey(webhookKey),
    api_url: api_url === undefined ? (before?.api_url ?? null) : api_url,
    created_at: before?.created_at ?? now.toISOString(),
    fee_rule: before?.fee_rule ?? null,
  };
  await tx.put(paymentConnections, connection);
  return connection;
}

/** Sets what a provider charges, for estimates. Null: unknown. @throws Failure `not_found` */
export async function setFeeRule(
  tx: Transaction,
  accountId: number,
  { provider, fee_rule }: Pick<PaymentConnection, "provider"> & { fee_rule: FeeRule | null },
): Promise<PaymentConnection> {
  const connection = { ...(await loadPaymentConnection(tx, accountId, provider)), fee_rule };
  await tx.put(paymentConnections, connection);
  return connection;
}

/** What a provider charges for some payments by a rule, in the minor unit. */
export function feeBy({ percent, fixed, max }: FeeRule, amounts: number[]): number {
  const feeOf = (amount: number) => Math.min(Math.round((amount * percent) / 100) + fixed, max ?? Infinity);
  return amounts.reduce((sum, amount) => sum + feeOf(amount), 0);
}

/**
 * Removes a connection. Payments that are on their way stay open until a person decides.
 *
 * @throws Failure `not_found`
 */
export async function disconnectPayments(
  tx: Transaction,
  accountId: number,
  provider: PaymentProviderName,
): Promise<PaymentConnection> {
  const connection = await loadPaymentConnection(tx, accountId, provider);
  await tx.remove(paymentConnections, accountId, provider);
  return connection;
}

/** An account's connections. */
export function listPaymentConnections(store: Store, accountId: number): Promise<PaymentConnection[]> {
  return store.page(paymentConnections, "id", accountId, [], { limit: PAYMENT_PROVIDERS.length });
}

/** An account's connection with a provider, or null. */
export function findPaymentConnection(
  reader: Reader,
  accountId: number,
  provider: PaymentProviderName,
): Promise<PaymentConnection | null> {
  return reader.get(paymentConnections, accountId, provider);
}

/** @throws Failure `not_found` */
export async function loadPaymentConnection(
  reader: Reader,
  accountId: number,
  provider: PaymentProviderName,
): Promise<PaymentConnection> {
  const connection = await findPaymentConnection(reader, accountId, provider);
  if (connection === null) {
    throw new Failure("not_found", `The account is not connected with ${PROVIDER_WORDS[provider]}`);
  }
  return connection;
}

/**
 * The secret of a connection.
 *
 * @throws Failure `refused` if no key opens it
 */
export function secretOf(connection: PaymentConnection, seal: Seal): string {
  return seal.open(connection.sealed_secret, placeOf(connection));
}

/** The key of a connection's events, or null if there is none. @throws Failure `refused` if no key opens it */
export function webhookKeyOf(connection: PaymentConnection, seal: Seal): string | null {
  const { sealed_webhook_key: sealed = null } = connection;
  return sealed === null ? null : seal.open(sealed, keyPlaceOf(connection));
}

/**
 * Identifies the company's account at a provider as far as credentials show it: PayPal's app and Wise's
 * profile stay the same when the secret changes. Only this account knows which payments it was asked for.
 */
export function payingAccountOf(connection: PaymentConnection, secret: string): string {
  const { provider, client_id, profile_id, api_url } = connection;
  const known = { paypal: client_id, wise: profile_id, stripe: secret, tremendous: secret }[provider];
  return createHash("sha256")
    .update(JSON.stringify([provider, api_url, known]))
    .digest("base64url");
}

/**
 * Encrypts the secrets of an account with the current key. Resolves to the number of secrets that had a
 * former one.
 */
export function resealPayments({ store }: Context, accountId: number, seal: Seal): Promise<number> {
  return store.transact(async (tx) => {
    const former = await formerIn(tx.view, accountId, seal);
    for (const connection of former) {
      const sealedSecret = seal.close(secretOf(connection, seal), placeOf(connection));
      const key = webhookKeyOf(connection, seal);
      const sealedWebhookKey = key && seal.close(key, keyPlaceOf(connection));
      await tx.put(paymentConnections, {
        ...connection,
        sealed_secret: sealedSecret,
        sealed_webhook_key: sealedWebhookKey,
      });
    }
    return former.length;
  });
}

/** Whether `resealPayments` has something to do. @throws Failure `refused` if it could not do it */
export async function hasFormerSecrets(view: View, accountId: number, seal: Seal): Promise<boolean> {
  const former = await formerIn(view, accountId, seal);
  for (const connection of former) {
    secretOf(connection, seal);
    webhookKeyOf(connection, seal);
  }
  return former.length > 0;
}

async function formerIn(view: View, accountId: number, seal: Seal): Promise<PaymentConnection[]> {
  const own = await view.list(paymentConnections, "id", accountId, []);
  return own.filter(
    ({ sealed_secret, sealed_webhook_key: key = null }) =>
      !seal.isCurrent(sealed_secret) || (key !== null && !seal.isCurrent(key)),
  );
}

/** Stripe has a secret for each endpoint, and an account may need two. Wise signs with a key whose public part it publishes. */
function isWebhookKey(provider: PaymentProviderName, key: string | null): boolean {
  if (key === null) return true;
  if (provider === "stripe") return /^whsec_\S+(?: whsec_\S+)*$/.test(key);
  if (provider === "tremendous") return /^\S+$/.test(key);
  return provider === "wise" && isRsaKey(key);
}

function isRsaKey(key: string): boolean {
  try {
    return createPublicKey(key).asymmetricKeyType === "rsa";
  } catch {
    return false; // not a key in PEM
  }
}

function lacking(field: string): Failure {
  return fault(field, "can't be blank");
}

function fault(field: string, words: string): Failure {
  return new Failure("invalid", `Validation failed: ${field} ${words}`, { [field]: [words] });
}

function placeOf({ account_id, provider }: Pick<PaymentConnection, "account_id" | "provider">): string {
  return `${account_id} ${provider}`;
}

function keyPlaceOf(connection: Parameters<typeof placeOf>[0]): string {
  return `${placeOf(connection)} webhook`;
}
