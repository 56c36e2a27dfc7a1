import { Failure } from "../../failure.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { integer, table, text } from "../../storage/table.ts";
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
  has_first_name?: boolean;
  /** Generated if missing. */
  public_id?: string | undefined;
  landing_url: string;
  honours_privacy_control?: boolean;
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

const fields = {
  owner_id: integer(),
  /** Present if the store has demo data. `begun`: it was not filled in completely. */
  demo_data: text<"begun" | "complete">().optional(),
};

/**
 * Records that the store has had its first account. There is only one such record, so two concurrent first
 * starts can't both make an account.
 */
export const firstStarts = table("first-start", fields, {
  derived: {
    id: ["integer", () => 1],
  },
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
  const userId = await newUserId(context.store);
  const passwordHash = input.owner && (await keepPassword(context, input.owner.password)).hash;
  return store.transact(async (tx) => {
    if (await tx.get(firstStarts, SYSTEM, 1)) return null;
    await tx.put(firstStarts, { account_id: SYSTEM, owner_id: ids.account_id });
    const made = await putAccount(tx, context, { ...input, ...ids });
    const owner = input.owner && { id: userId, email: input.owner.email, password_hash: passwordHash };
    return { ...made, ownerToken: await putOwner(tx, context, { owner_id: ids.account_id, owner }) };
  });
}

/** The ids of a new account and its default campaign. */
async function newAccountIds(store: Store) {
  return { account_id: await store.nextId("account"), campaign_id: await store.nextId("campaign") };
}

/** Writes a new account, its default campaign and its first key as part of a larger change. @throws Failure `taken` */
async function putAccount(
  tx: Transaction,
  context: Context,
  input: NewAccount & { account_id: number; campaign_id: number },
): Promise<AccountWithKey> {
  const { chance, now } = context;
  const account: Account = {
    account_id: SYSTEM,
    id: input.account_id,
    public_id: input.public_id ?? `acc_${chance.token(12)}`,
    name: input.name,
    ...(input.has_first_name && { has_first_name: true }),
    default_campaign_id: input.campaign_id,
    honours_privacy_control: input.honours_privacy_control ?? false,
    currency: "USD",
    net_payout_days: 30,
    min_payment_cents: 0,
    min_paying_customers: 0,
    requires_payout_method: false,
    payout_cycle: "monthly",
    max_auto_approve_cents: null,
    requires_invoice_details: false,
    mail_sender: null,
    address_key: chance.token(43),
    created_at: now.toISOString(),
  };
  await tx.put(accounts, account, {
    public_id: () => new Failure("taken", `Account ${account.public_id} already exists`),
  });
  await putCampaign(tx, now, {
    account_id: account.id,
    id: input.campaign_id,
    name: "Default campaign",
    landing_url: input.landing_url,
  });
  const { key } = await putApiKey(tx, context, { owner_id: account.id, name: "first", key: input.key });
  return { account, key };
}

/** Makes the owner, or the token of a link for it. */
async function putOwner(
  tx: Transaction,
  context: Context,
  {
    owner_id,
    owner,
  }: { owner_id: number; owner: { id: number; email: string; password_hash: string | null } | null },
): Promise<string | null> {
  if (owner === null) return putUserLink(tx, context, { kind: "owner", owner_id, user_id: null });
  await putUser(tx, context.now, { ...owner, owner_id, name: null, role: "owner" });
  return null;
}
