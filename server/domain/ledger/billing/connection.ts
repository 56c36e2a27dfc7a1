import { Failure } from "../../../failure.ts";
import type { Reader, Store, Transaction } from "../../../storage/store.ts";
import { table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";

export const BILLING_PROVIDERS = ["stripe", "paddle"] as const;

export type BillingProvider = (typeof BILLING_PROVIDERS)[number];

/** Whether a provider moves money, or only tries it: a sandbox, or the test mode. */
export const BILLING_MODES = ["live", "test"] as const;

export type BillingMode = (typeof BILLING_MODES)[number];

const fields = {
  provider: text<BillingProvider>(),
  /** Signs the provider's events. */
  secret: text().secret(),
  /** Reads from the provider's API. Null: events only. */
  apiKey: text().nullable().secret(),
  /** The address of the provider's API, or null for the default. */
  api_url: text().nullable(),
  /** Only events of this mode count. */
  mode: text<BillingMode>(),
  created_at: time(),
};

/** An account's connection with a billing provider, which reports payments to us. */
export type BillingConnection = RowOf<typeof fields>;

export const billingConnections = table("billing-connection", fields, {
  key: ["provider"],
});

/** The input of a connection. Undefined fields stay unchanged, or are none. */
export interface ConnectionInput {
  provider: BillingProvider;
  secret: string;
  apiKey?: string | null | undefined;
  api_url?: string | null | undefined;
  /** Undefined: that of the API key, otherwise it stays. A new connection is live. */
  mode?: BillingMode | undefined;
}

/** The prefixes of Stripe's keys (`rk_live_`) and Paddle's (`pdl_sdbx_`). */
const KEY_MODES: [RegExp, BillingMode][] = [
  [/^(?:[sr]k|pdl)_live_/, "live"],
  [/^(?:[sr]k_test|pdl_sdbx)_/, "test"],
];

/** The mode of an API key, or null if the key does not say it. */
function modeOfKey(apiKey: string | null): BillingMode | null {
  return KEY_MODES.find(([prefix]) => apiKey !== null && prefix.test(apiKey))?.[1] ?? null;
}

/**
 * Connects an account with a provider, or replaces the connection's secret.
 *
 * @throws Failure `invalid` if the API key is of another mode
 * @see docs/spec/money.md "Billing providers", 12
 */
export async function connectBilling(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  { provider, secret, apiKey: key, api_url, mode }: ConnectionInput,
): Promise<BillingConnection> {
  const before = await tx.get(billingConnections, accountId, provider);
  const apiKey = key === undefined ? (before?.apiKey ?? null) : key;
  const ofKey = modeOfKey(apiKey);
  if (mode !== undefined && ofKey !== null && mode !== ofKey) throw otherMode(ofKey);
  const connection: BillingConnection = {
    account_id: accountId,
    provider,
    secret,
    apiKey,
    api_url: api_url === undefined ? (before?.api_url ?? null) : api_url,
    mode: mode ?? ofKey ?? before?.mode ?? "live",
    created_at: before?.created_at ?? now.toISOString(),
  };
  await tx.put(billingConnections, connection);
  return connection;
}

function otherMode(ofKey: BillingMode): Failure {
  const fault = `is not that of the API key, which is ${ofKey}`;
  return new Failure("invalid", `Validation failed: mode ${fault}`, { mode: [fault] });
}

/**
 * Ends a connection. Its events are refused from then on; recorded ones stay.
 *
 * @throws Failure `not_found`
 */
export async function disconnectBilling(
  tx: Transaction,
  accountId: number,
  provider: BillingProvider,
): Promise<BillingConnection> {
  const connection = await loadConnection(tx, accountId, provider);
  await tx.remove(billingConnections, accountId, provider);
  return connection;
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
