import { findApiKey, hashApiKey } from "./domain/api-key.ts";
import { accounts } from "./domain/account.ts";
import { Failure } from "./failure.ts";
import { SYSTEM, type Account, type ApiKey } from "./records.ts";
import type { Services } from "./services.ts";

const BAD_CREDENTIALS = "Bad credentials";

/** A key that was accepted, and the account that it belongs to. */
export interface Admission {
  apiKey: ApiKey;
  account: Account;
}

/**
 * The account of an API key.
 *
 * An address that failed too often is refused before its key is looked at, unless that very key was
 * accepted from there before: behind a proxy many share an address, and a stranger's guesses must
 * not cost a company its leads.
 *
 * @throws Failure `unauthorized`, or `rate_limited` after too many failed tries
 */
export async function admit(
  services: Services,
  clientAddress: string | null,
  key: string | null,
): Promise<Admission> {
  const { store, limits } = services;
  const address = clientAddress ?? "unknown";
  const failures = limits.failedAuthentication;
  const hash = key === null ? "" : hashApiKey(key);
  if (await failures.isBlocked(address, hash)) {
    const retryAfterSeconds = await failures.secondsBlocked(address);
    throw new Failure("rate_limited", "Too many failed authentication attempts", {}, { retryAfterSeconds });
  }
  const apiKey = await findApiKey(store, hash);
  const account = apiKey && (await store.get(accounts, SYSTEM, apiKey.ownerId));
  if (apiKey === null || account === null) {
    await failures.recordFailure(address);
    throw new Failure("unauthorized", BAD_CREDENTIALS);
  }
  failures.recordSuccess(address, hash);
  return { apiKey, account };
}
