import { Failure } from "../../../failure.ts";
import type { Reader, Store } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";

export const BILLING_PROVIDERS = ["stripe", "paddle"] as const;

export type BillingProvider = (typeof BILLING_PROVIDERS)[number];

/** An account's connection with a billing provider, which reports payments to us. */
export interface BillingConnection {
  accountId: number;
  provider: BillingProvider;
  /** Signs the provider's events. */
  secret: string;
  /** Reads from the provider's API. Null: events only. */
  apiKey: string | null;
  /** The address of the provider's API, or null for the default. */
  apiUrl: string | null;
  createdAt: string;
}

export const billingConnections = table<BillingConnection>()({
  name: "billing-connection",
  key: ["provider"],
  columns: { provider: "text", created_at: "text" },
});

/** The input of a connection. Undefined fields stay unchanged, or are none. */
export interface ConnectionInput {
  provider: BillingProvider;
  secret: string;
  apiKey?: string | null | undefined;
  apiUrl?: string | null | undefined;
}

/** Connects an account with a provider, or replaces the connection's secret. */
export function connectBilling(
  { store, now }: Context,
  accountId: number,
  { provider, secret, apiKey, apiUrl }: ConnectionInput,
): Promise<BillingConnection> {
  return store.transact(async (tx) => {
    const before = await tx.get(billingConnections, accountId, provider);
    const connection: BillingConnection = {
      accountId,
      provider,
      secret,
      apiKey: apiKey === undefined ? (before?.apiKey ?? null) : apiKey,
      apiUrl: apiUrl === undefined ? (before?.apiUrl ?? null) : apiUrl,
      createdAt: before?.createdAt ?? now.toISOString(),
    };
    await tx.put(billingConnections, connection);
    return connection;
  });
}

/**
 * Ends a connection. Its events are refused from then on; recorded ones stay.
 *
 * @throws Failure `not_found`
 */
export function disconnectBilling(
  { store }: Context,
  accountId: number,
  provider: BillingProvider,
): Promise<BillingConnection> {
  return store.transact(async (tx) => {
    const connection = await loadConnection(tx, accountId, provider);
    await tx.remove(billingConnections, accountId, provider);
    return connection;
  });
}

/** An account's connections. */
export function listConnections(store: Store, accountId: number): Promise<BillingConnection[]> {
  return store.page(billingConnections, "id", accountId, [], { limit: BILLING_PROVIDERS.length });
}

/** @throws Failure `not_found` */
export async function loadConnection(
  reader: Reader,
  accountId: number,
  provider: BillingProvider,
): Promise<BillingConnection> {
  const connection = await reader.get(billingConnections, accountId, provider);
  if (connection === null) throw notConnected(provider);
  return connection;
}

/** The error for an account that is not connected with a provider. */
export function notConnected(provider: BillingProvider): Failure {
  return new Failure("not_found", `The account is not connected with ${provider}`);
}
