import { createHash } from "node:crypto";
import { Failure } from "../../../failure.ts";
import type { Seal } from "../../../seal.ts";
import type { Reader, Store } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
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

/** An account's connection with a provider that pays promoters. */
export interface PaymentConnection {
  accountId: number;
  provider: PaymentProviderName;
  /** PayPal: the name of the company's app. Null for other providers. */
  clientId: string | null;
  /** Tremendous: the campaign that chooses the gift cards. Null for other providers. */
  campaignId: string | null;
  /** Wise: the paying profile. Null for other providers. */
  profileId: string | null;
  /** The secret, encrypted with a key that is not in the store. */
  sealedSecret: string;
  /** The provider's id of the webhook for its events. Null: there are no events, so the server polls. */
  webhookId: string | null;
  /** The address of the provider's API, or null for the default. */
  apiUrl: string | null;
  createdAt: string;
}

export const paymentConnections = table<PaymentConnection>()({
  name: "payment-connection",
  key: ["provider"],
  columns: { provider: "text", created_at: "text" },
});

/** The input of a connection. Undefined fields stay unchanged, or are none. */
export interface PaymentConnectionInput {
  provider: PaymentProviderName;
  clientId?: string | null | undefined;
  campaignId?: string | null | undefined;
  profileId?: string | null | undefined;
  secret: string;
  webhookId?: string | null | undefined;
  apiUrl?: string | null | undefined;
}

/** Connects an account with a provider, or replaces the connection's credentials. @throws Failure `refused` without a key */
export function connectPayments(
  { store, now }: Context,
  accountId: number,
  { seal, secret, ...given }: PaymentConnectionInput & { seal: Seal },
): Promise<PaymentConnection> {
  const { provider, clientId = null, campaignId = null, profileId = null, webhookId, apiUrl } = given;
  if (provider === "paypal" && clientId === null) throw lacking("client_id");
  if (provider === "wise" && !/^\d{1,15}$/.test(profileId ?? "")) throw lacking("profile_id");
  if (provider === "tremendous" && campaignId === null) throw lacking("campaign_id");
  const sealedSecret = seal.close(secret, placeOf({ accountId, provider }));
  return store.transact(async (tx) => {
    const before = await tx.get(paymentConnections, accountId, provider);
    const connection: PaymentConnection = {
      accountId,
      provider,
      clientId,
      campaignId,
      profileId,
      sealedSecret,
      webhookId: webhookId === undefined ? (before?.webhookId ?? null) : webhookId,
      apiUrl: apiUrl === undefined ? (before?.apiUrl ?? null) : apiUrl,
      createdAt: before?.createdAt ?? now.toISOString(),
    };
    await tx.put(paymentConnections, connection);
    return connection;
  });
}

/**
 * Removes a connection. Payments that are on their way stay open until a person decides.
 *
 * @throws Failure `not_found`
 */
export function disconnectPayments(
  { store }: Context,
  accountId: number,
  provider: PaymentProviderName,
): Promise<PaymentConnection> {
  return store.transact(async (tx) => {
    const connection = await loadPaymentConnection(tx, accountId, provider);
    await tx.remove(paymentConnections, accountId, provider);
    return connection;
  });
}

/** An account's connections. */
export function listPaymentConnections(store: Store, accountId: number): Promise<PaymentConnection[]> {
  return store.page(paymentConnections, "id", accountId, [], { limit: PAYMENT_PROVIDERS.length });
}

/** @throws Failure `not_found` */
export async function loadPaymentConnection(
  reader: Reader,
  accountId: number,
  provider: PaymentProviderName,
): Promise<PaymentConnection> {
  const connection = await reader.get(paymentConnections, accountId, provider);
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
  return seal.open(connection.sealedSecret, placeOf(connection));
}

/**
 * Identifies the company's account at a provider as far as credentials show it: PayPal's app and Wise's
 * profile stay the same when the secret changes. Only this account knows which payments it was asked for.
 */
export function payingAccountOf(connection: PaymentConnection, secret: string): string {
  const { provider, clientId, profileId, apiUrl } = connection;
  const known = { paypal: clientId, wise: profileId, stripe: secret, tremendous: secret }[provider];
  return createHash("sha256")
    .update(JSON.stringify([provider, apiUrl, known]))
    .digest("base64url");
}

/**
 * Encrypts the secrets of an account with the current key. Resolves to the number of secrets that had a
 * former one.
 */
export function resealPayments({ store }: Context, accountId: number, seal: Seal): Promise<number> {
  return store.transact(async (tx) => {
    const former = (await tx.view.list(paymentConnections, "id", accountId, [])).filter(
      ({ sealedSecret }) => !seal.isCurrent(sealedSecret),
    );
    for (const connection of former) {
      const sealedSecret = seal.close(secretOf(connection, seal), placeOf(connection));
      await tx.put(paymentConnections, { ...connection, sealedSecret });
    }
    return former.length;
  });
}

function lacking(field: string): Failure {
  return new Failure("invalid", `Validation failed: ${field} can't be blank`, {
    [field]: ["can't be blank"],
  });
}

function placeOf({ accountId, provider }: Pick<PaymentConnection, "accountId" | "provider">): string {
  return `${accountId} ${provider}`;
}
