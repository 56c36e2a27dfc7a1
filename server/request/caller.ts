import { accounts, type Account } from "../domain/program/account/account.ts";
import { SYSTEM, type Actor } from "../domain/context.ts";
import { findApiKey, hashApiKey, type ApiKey } from "../domain/program/account/api-key.ts";
import type { Session } from "../domain/access/session.ts";
import type { User } from "../domain/access/user/user.ts";
import { Failure } from "../failure.ts";
import { networkOf } from "../http/client-address.ts";
import type { Store } from "../storage/store.ts";
import type { Services } from "./services.ts";

/** The user or key that calls an operation of the company. */
export type Caller = { kind: "key"; name: string } | { kind: "user"; user: User; session: Session };

/** The caller's name in the audit log. */
export function actorOf(caller: Caller): Actor {
  if (caller.kind === "key") return { kind: "key", id: null, name: caller.name };
  return { kind: "user", id: caller.user.id, name: caller.user.email };
}

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
  // A request without a key is no guess. A page whose session has ended repeats its requests.
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
  const account = apiKey && (await store.get(accounts, SYSTEM, apiKey.owner_id));
  return apiKey && account && { apiKey, account };
}
