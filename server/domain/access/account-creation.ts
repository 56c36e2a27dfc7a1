import { Failure } from "../../failure.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { table } from "../../storage/table.ts";
import { putCampaign } from "../program/campaign/campaign.ts";
import { type Context, SYSTEM } from "../context.ts";
import { keepPassword } from "./password.ts";
import { putUserLink } from "./user/sign-in.ts";
import { newUserId, putUser } from "./user/user.ts";
import { accounts, findFirstAccount, type Account } from "../program/account/account.ts";
import { putApiKey } from "../program/account/api-key.ts";

/** The input for a new account and its default campaign. */
export interface NewAccount {
  name: string;
  /** Whether the name is still the one that the server gave. */
  hasFirstName?: boolean;
  /** Generated if missing. */
  publicId?: string | undefined;
  landingUrl: string;
  honoursPrivacyControl?: boolean;
  /** The text of the first key. Generated if missing. */
  key?: string | undefined;
}

/** An account with its first key, which is never shown again. */
interface AccountWithKey {
  account: Account;
  key: string;
}

/**
 * Makes an account, its default campaign and its first key.
 *
 * @throws Failure `taken` if another account has this public id
 */
export async function createAccount(context: Context, input: NewAccount): Promise<AccountWithKey> {
  const ids = await newAccountIds(context.store);
  return context.store.transact((tx) => putAccount(tx, context, { ...input, ...ids }));
}

interface FirstStart {
  accountId: typeof SYSTEM;
  ownerId: number;
  /** Present if the store has demo data. `begun`: it was not filled in completely. */
  demoData?: "begun" | "complete";
}

/**
 * Records that the store has had its first account. There is only one such record, so two concurrent first
 * starts can't both make an account.
 */
export const firstStarts = table<FirstStart>()({
  name: "first-start",
  columns: { id: ["integer", () => 1] },
});

/** The owner of a new account. */
export interface FirstOwner {
  email: string;
  password: string;
}

/** The first account of a store. */
interface FirstAccount extends AccountWithKey {
  /** The token of the link that makes the owner, or null if the owner was made. */
  ownerToken: string | null;
}

/**
 * Makes the first account of an empty store, with its owner or with a link that makes the owner. Resolves to
 * null if the store has had one before.
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

/** The ids of a new account and its default campaign. */
async function newAccountIds(store: Store) {
  return { accountId: await store.nextId("account"), campaignId: await store.nextId("campaign") };
}

/** Writes a new account, its default campaign and its first key as part of a larger change. @throws Failure `taken` */
async function putAccount(
  tx: Transaction,
  context: Context,
  input: NewAccount & { accountId: number; campaignId: number },
): Promise<AccountWithKey> {
  const { chance, now } = context;
  const account: Account = {
    accountId: SYSTEM,
    id: input.accountId,
    publicId: input.publicId ?? `acc_${chance.token(12)}`,
    name: input.name,
    ...(input.hasFirstName && { hasFirstName: true }),
    defaultCampaignId: input.campaignId,
    honoursPrivacyControl: input.honoursPrivacyControl ?? false,
    currency: "USD",
    netPayoutDays: 30,
    minPaymentCents: 0,
    minPayingCustomers: 0,
    requiresPayoutMethod: false,
    payoutCycle: "monthly",
    maxAutoApproveCents: null,
    requiresInvoiceDetails: false,
    mailSender: null,
    addressKey: chance.token(43),
    createdAt: now.toISOString(),
  };
  await tx.put(accounts, account, {
    publicId: () => new Failure("taken", `Account ${account.publicId} already exists`),
  });
  await putCampaign(tx, now, {
    accountId: account.id,
    id: input.campaignId,
    name: "Default campaign",
    landingUrl: input.landingUrl,
  });
  const { key } = await putApiKey(tx, context, { ownerId: account.id, name: "first", key: input.key });
  return { account, key };
}

/** Makes the owner, or the token of a link for it. */
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
