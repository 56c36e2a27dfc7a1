import { Failure } from "../failure.ts";
import { SYSTEM, type ApiKey } from "../records.ts";
import { collection } from "../storage/collection.ts";
import { digest } from "../storage/keys.ts";
import type { Store, Transaction } from "../storage/store.ts";
import type { Context } from "./context.ts";

/** Stored by the hash, so that a request costs one read and the key itself is nowhere. */
export const apiKeys = collection<ApiKey>()({
  name: "api-key",
  id: (apiKey) => [apiKey.hash],
  claims: {},
  indexes: { owner: (apiKey) => [apiKey.ownerId] },
});

/** Makes a key for an account and gives its text, which cannot be read back later. */
export function createApiKey(context: Context, ownerId: number, name: string): Promise<string> {
  return context.store.transact((tx) => putApiKey(tx, context, { ownerId, name }));
}

/** Writes a key, a given one or a new one, within a larger change. */
export async function putApiKey(
  tx: Transaction,
  { chance, now }: Context,
  input: { ownerId: number; name: string; key?: string | undefined },
): Promise<string> {
  const key = input.key ?? `tdm_${chance.token(32)}`;
  await tx.put(apiKeys, {
    accountId: SYSTEM,
    hash: hashApiKey(key),
    ownerId: input.ownerId,
    name: input.name,
    createdAt: now.toISOString(),
    revokedAt: null,
  });
  return key;
}

/** What is kept of a key. */
export function hashApiKey(key: string): string {
  return digest(key);
}

/** The record of the key with this hash while the key is good, else null. */
export async function findApiKey(store: Store, hash: string): Promise<ApiKey | null> {
  const apiKey = await store.get(apiKeys, SYSTEM, hash);
  return apiKey === null || apiKey.revokedAt !== null ? null : apiKey;
}

/** The keys of an account, good and revoked. */
export function listApiKeys(store: Store, ownerId: number): Promise<ApiKey[]> {
  return store.page(apiKeys, "owner", SYSTEM, [ownerId], { limit: 1_000 });
}

/**
 * Revokes the key whose hash begins so, as listings show it; one that is revoked already stays as it is.
 *
 * @throws Failure `missing` for no beginning at all, `not_found` when none, or more than one, begins so,
 *   `invalid` when it was revoked before
 */
export async function revokeApiKey(context: Context, ownerId: number, start: string): Promise<void> {
  // Of an account with one key, that key begins with nothing: an unset shell variable must not end it.
  if (start === "") throw new Failure("missing", "The beginning of the key's hash must not be blank");
  const found = (await listApiKeys(context.store, ownerId)).filter((key) => key.hash.startsWith(start));
  const [apiKey] = found;
  if (apiKey === undefined || found.length > 1) {
    throw new Failure("not_found", `${found.length} keys of this account begin with ${start}`);
  }
  await context.store.transact(async (tx) => {
    const current = (await tx.get(apiKeys, SYSTEM, apiKey.hash)) ?? apiKey;
    const { revokedAt } = current;
    if (revokedAt !== null)
      throw new Failure("invalid", `The key ${start} was already revoked, at ${revokedAt}`);
    await tx.put(apiKeys, { ...current, revokedAt: context.now.toISOString() });
  });
}
