import { Failure } from "../../failure.ts";
import { SYSTEM, type Account } from "./record.ts";
import { table } from "../../storage/table.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { putApiKey } from "./api-key.ts";
import { putCampaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";

export const accounts = table<Account>()({
  name: "account",
  columns: {
    id: "integer",
    public_id: "text",
    script: ["text", ({ tracker }) => tracker?.script],
    name: "text",
    currency: "text",
    created_at: "text",
  },
  unique: { publicId: ["public_id"], script: ["script"] },
  owner: (account) => account.id,
});

/** The input for a new account and its default campaign. */
export interface NewAccount {
  name: string;
  /** Absent: one is generated. */
  publicId?: string | undefined;
  landingUrl: string;
  honoursPrivacyControl?: boolean;
  /** The text of the first key. Absent: one is generated. */
  key?: string | undefined;
}

/** An account with its first key, which is never shown again. */
export interface AccountWithKey {
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

/** The oldest account of the store, made by the first start or by hand. null: there is none. */
export async function findFirstAccount(store: Store): Promise<Account | null> {
  const [oldest] = await store.page(accounts, "id", SYSTEM, [], { limit: 1 });
  return oldest ?? null;
}

/** The account with this public id, or null. */
export function findAccount(store: Store, publicId: string): Promise<Account | null> {
  return store.find(accounts, "publicId", SYSTEM, [publicId]);
}

/** Every account, oldest first. */
export function listAccounts(store: Store): Promise<Account[]> {
  return store.list(accounts, "id", SYSTEM, []);
}

/** @throws Failure `not_found` */
export async function loadAccount(store: Store, publicId: string): Promise<Account> {
  const account = await findAccount(store, publicId);
  if (account === null) throw new Failure("not_found", `Account ${publicId} was not found`);
  return account;
}

/**
 * Sets the sender of an account's e-mails. null: the server's usual sender.
 *
 * @throws Failure `not_found`, or `invalid` if the text holds no e-mail address
 */
export async function setMailSender(
  { store }: Context,
  accountId: number,
  sender: string | null,
): Promise<Account> {
  if (sender !== null && !isMailSender(sender)) {
    throw new Failure("invalid", `${sender} is not an e-mail address`);
  }
  return store.transact((tx) => changeAccount(tx, accountId, { mailSender: sender }));
}

/** Whether e-mails can have this sender: `partners@acme.example`, or `Acme <partners@acme.example>`. */
export function isMailSender(sender: string): boolean {
  return /^[^\r\n<>]*<?[^\s<>@]+@[^\s<>@]+>?$/.test(sender);
}

/** Sets the largest cash commission that is approved by itself, in cents. null: any. @throws Failure `not_found` */
export function setMaxAutoApprove(
  { store }: Context,
  accountId: number,
  maxAutoApproveCents: number | null,
): Promise<Account> {
  return store.transact((tx) => changeAccount(tx, accountId, { maxAutoApproveCents }));
}

/**
 * Renames an account. Its e-mails show the name.
 *
 * @throws Failure `not_found`, or `invalid` for a blank name
 */
export async function renameAccount({ store }: Context, accountId: number, name: string): Promise<Account> {
  const given = name.trim();
  if (given === "") throw new Failure("invalid", "The name must not be blank");
  return store.transact((tx) => changeAccount(tx, accountId, { name: given }));
}

/** Changes an account as part of a larger change. @throws Failure `not_found` */
export async function changeAccount(
  tx: Transaction,
  id: number,
  changes: Partial<Account>,
): Promise<Account> {
  const account = await tx.get(accounts, SYSTEM, id);
  if (account === null) throw new Failure("not_found", "Account not found.");
  const after = { ...account, ...changes };
  await tx.put(accounts, after, {
    script: () => new Failure("taken", `${after.tracker?.script} belongs to another account`),
  });
  return after;
}

/** The ids of a new account and its default campaign. */
export async function newAccountIds(store: Store) {
  return { accountId: await store.nextId("account"), campaignId: await store.nextId("campaign") };
}

/** Writes a new account, its default campaign and its first key as part of a larger change. @throws Failure `taken` */
export async function putAccount(
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
