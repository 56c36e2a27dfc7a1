import { SYSTEM } from "./record.ts";
import { table } from "../../storage/table.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { keepPassword } from "../password/password.ts";
import { putUserLink } from "../user/link.ts";
import { newUserId, putUser } from "../user/user.ts";
import {
  findFirstAccount,
  newAccountIds,
  putAccount,
  type AccountWithKey,
  type NewAccount,
} from "./account.ts";

/**
 * Records that the store has had its first account. There is only one such record, so two first starts can't both
 * make an account.
 */
export const firstStarts = table<FirstStart>()({
  name: "first-start",
  columns: { id: ["integer", () => 1] },
});

interface FirstStart {
  accountId: typeof SYSTEM;
  ownerId: number;
  /** `begun`: filling the store with demo data was not finished. Absent: it has none. */
  demoData?: "begun" | "complete";
}

/** The person who may do everything in a new account. */
export interface FirstOwner {
  email: string;
  password: string;
}

/** The first account of a store. */
export interface FirstAccount extends AccountWithKey {
  /** The token of the link that makes the owner. null: the owner was made. */
  ownerToken: string | null;
}

/**
 * Makes the first account of an empty store, with its owner or with a link that makes the owner. null: the store has
 * had one before.
 */
export async function createFirstAccount(
  context: Context,
  input: NewAccount & { owner: FirstOwner | null },
): Promise<FirstAccount | null> {
  const { store } = context;
  if (await findFirstAccount(store)) return null;
  const ids = await newAccountIds(store);
  const userId = await newUserId(context);
  const passwordHash = input.owner && (await keepPassword(context, input.owner.password)).hash;
  return store.transact(async (tx) => {
    if (await tx.get(firstStarts, SYSTEM, 1)) return null;
    await tx.put(firstStarts, { accountId: SYSTEM, ownerId: ids.accountId });
    const made = await putAccount(tx, context, { ...input, ...ids });
    const owner = input.owner && { id: userId, email: input.owner.email, passwordHash };
    return { ...made, ownerToken: await putOwner(tx, context, { ownerId: ids.accountId, owner }) };
  });
}

/** Makes the owner, or the token of a link that does. */
async function putOwner(
  tx: Transaction,
  context: Context,
  {
    ownerId,
    owner,
  }: { ownerId: number; owner: { id: number; email: string; passwordHash: string | null } | null },
): Promise<string | null> {
  if (owner === null) return putUserLink(tx, context, { kind: "owner", ownerId, userId: null });
  await putUser(tx, context.now, { ...owner, ownerId, name: null, role: "owner" });
  return null;
}
