import { findApiKey, hashApiKey, type ApiKey } from "../domain/account/api-key.ts";
import { accounts, SYSTEM, type Account } from "../domain/account/account.ts";
import { Failure } from "../failure.ts";
import { networkOf } from "../http/client-address.ts";
import type { Services } from "./services.ts";
import type { Store } from "../storage/store.ts";

const BAD_CREDENTIALS = "Bad credentials";

/** An accepted key and its account. */
export interface Admission {
  apiKey: ApiKey;
  account: Account;
}

/**
 * Finds the account of an API key.
 *
 * @throws Failure `unauthorized`, or `rate_limited` after too many failed attempts
 */
export async function admit(
  { store, limits }: Services,
  clientAddress: string | null,
  key: string | null,
): Promise<Admission> {
  // Whoever names no key guesses none. A page whose session has ended asks again and again.
  if (key === null) throw new Failure("unauthorized", BAD_CREDENTIALS);
  const hash = hashApiKey(key);
  const network = networkOf(clientAddress);
  const admission = await limits.failedAuthentication.attempt(network, hash, () =>
    findAdmission(store, hash),
  );
  if (admission === null) throw new Failure("unauthorized", BAD_CREDENTIALS);
  return admission;
}

async function findAdmission(store: Store, hash: string): Promise<Admission | null> {
  const apiKey = await findApiKey(store, hash);
  const account = apiKey && (await store.get(accounts, SYSTEM, apiKey.ownerId));
  return apiKey && account && { apiKey, account };
}
