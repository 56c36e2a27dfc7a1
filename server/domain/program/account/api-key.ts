import { Failure } from "../../../failure.ts";
import { digest, numberOf } from "../../../storage/digests.ts";
import type { Store, Transaction, View } from "../../../storage/store.ts";
import { integer, table, text, time, type RowOf } from "../../../storage/table.ts";
import { type Context, SYSTEM } from "../../context.ts";

const fields = {
  /** SHA-256 of the key, hexadecimal. */
  hash: text().secret(),
  owner_id: integer(),
  name: text(),
  created_at: time(),
  /** Null while the key is valid. */
  revoked_at: time().nullable(),
};

/** An API key. The key itself is shown once, when it is made, and only its hash is stored. */
export type ApiKey = RowOf<typeof fields>;

/** Stored by hash, so that a request costs one read and the key itself is never stored. */
export const apiKeys = table("api-key", fields, {
  key: ["hash"],
  indexes: { owner: { on: ["owner_id"] } },
  owner: ({ owner_id }) => owner_id,
});

/** A key's record, and its text, which can't be recovered later. */
interface NewApiKey {
  apiKey: ApiKey;
  key: string;
}

/** Makes a key for an account. */
export function createApiKey(context: Context, ownerId: number, name: string): Promise<NewApiKey> {
  return context.store.transact((tx) => putApiKey(tx, context, { owner_id: ownerId, name }));
}

/** Writes a given or a new key as part of a larger change. */
export async function putApiKey(
  tx: Transaction,
  { chance, now }: Context,
  input: { owner_id: number; name: string; key?: string | undefined },
): Promise<NewApiKey> {
  const key = input.key ?? `tdm_${chance.token(32)}`;
  const apiKey: ApiKey = {
    account_id: SYSTEM,
    hash: hashApiKey(key),
    owner_id: input.owner_id,
    name: input.name,
    created_at: now.toISOString(),
    revoked_at: null,
  };
  await tx.put(apiKeys, apiKey);
  return { apiKey, key };
}

/** The number under which lists show a key. The hash stays secret. */
export function apiKeyId({ hash }: Pick<ApiKey, "hash">): number {
  return numberOf(hash);
}

/** The stored form of a key. */
export function hashApiKey(key: string): string {
  return digest(key);
}

/** The record of the valid key with this hash, or null. */
export async function findApiKey(store: Store, hash: string): Promise<ApiKey | null> {
  const apiKey = await store.get(apiKeys, SYSTEM, hash);
  return apiKey === null || apiKey.revoked_at !== null ? null : apiKey;
}

/** The keys of an account, valid and revoked. */
export function listApiKeys(view: View, ownerId: number): Promise<ApiKey[]> {
  return view.list(apiKeys, "owner", SYSTEM, [ownerId]);
}

/**
 * Revokes the key whose hash begins with `start`. Listings show the beginning of each hash.
 *
 * @throws Failure `missing` for an empty `start`, `not_found` unless exactly one key matches, `invalid` if
 * the key is already revoked
 */
export async function revokeApiKey({ store, now }: Context, ownerId: number, start: string): Promise<void> {
  // An empty start, for example from an unset shell variable, would match an account's only key.
  if (start === "") throw new Failure("missing", "The beginning of the key's hash must not be blank");
  await store.transact(async (tx) => {
    const all = await listApiKeys(tx.view, ownerId);
    const found = all.filter((key) => key.hash.startsWith(start));
    const [apiKey] = found;
    if (apiKey === undefined || found.length > 1) {
      throw new Failure("not_found", `${found.length} keys of this account begin with ${start}`);
    }
    const current = (await tx.get(apiKeys, SYSTEM, apiKey.hash)) ?? apiKey;
    if (current.revoked_at !== null) {
      throw new Failure("invalid", `The key ${start} was already revoked, at ${current.revoked_at}`);
    }
    await putRevoked(tx, current, now);
  });
}

/** Revokes the key with this number. @throws Failure `not_found`, `refused` if it is already revoked */
export async function revokeApiKeyById(
  tx: Transaction,
  { now }: Context,
  ownerId: number,
  id: number,
): Promise<ApiKey> {
  const apiKey = (await listApiKeys(tx.view, ownerId)).find((each) => apiKeyId(each) === id);
  if (apiKey === undefined) throw new Failure("not_found", "API key not found.");
  const current = (await tx.get(apiKeys, SYSTEM, apiKey.hash)) ?? apiKey;
  if (current.revoked_at !== null) {
    throw new Failure("refused", `The key was already revoked, at ${current.revoked_at}`);
  }
  return putRevoked(tx, current, now);
}

async function putRevoked(tx: Transaction, apiKey: ApiKey, now: Date): Promise<ApiKey> {
  const revoked = { ...apiKey, revoked_at: now.toISOString() };
  await tx.put(apiKeys, revoked);
  return revoked;
}
