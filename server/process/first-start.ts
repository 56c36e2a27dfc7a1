import { accessSync, constants, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { accounts, findFirstAccount } from "../domain/program/account/account.ts";
import { SYSTEM, type Context } from "../domain/context.ts";
import { apiKeys } from "../domain/program/account/api-key.ts";
import { createFirstAccount, type FirstOwner } from "../domain/access/account-creation.ts";
import { DEMO_SIZE, fillDemo } from "../domain/seed/seed.ts";
import { linkAddress } from "../domain/access/user/sign-in.ts";
import type { Store } from "../storage/store.ts";

/**
 * Reads the records that every request needs, so that a server on a damaged store does not start.
 *
 * @throws Failure `unavailable`
 */
export async function requireAccounts(store: Store): Promise<void> {
  for await (const _ of store.scan(accounts, "id", SYSTEM, []));
  for await (const _ of store.scan(apiKeys, "id", SYSTEM, []));
}

/** The values of the text for the operator. It is printed once, when the store gets its first account. */
export interface FirstStart {
  public_url: string;
  account_id: string | null;
  apiKey: string | null;
  /**
   * The file for the key, because logs are kept and read by others. The owner's link goes into a file beside
   * it. Null: both are printed.
   */
  keyFile: string | null;
  hasDemo: boolean;
  /** Null if a link makes the owner. */
  owner: FirstOwner | null;
}

/**
 * Makes the first account of an empty store and returns the text for the operator, or null if there is an
 * account.
 *
 * @throws Error if the key file can't be written; nothing is made then
 */
export async function firstStart(context: Context, input: FirstStart): Promise<string | null> {
  const { public_url, keyFile } = input;
  if (keyFile !== null) requireFolderOf(keyFile);
  const first = await createFirstAccount(context, {
    // E-mails to promoters and the portal show it until the company has chosen one, so it must be true and fit any language.
    name: new URL(public_url).host,
    has_first_name: true,
    public_id: input.account_id ?? undefined,
    key: input.apiKey ?? undefined,
    landing_url: `${public_url}/demo`,
    owner: input.owner,
  });
  if (first === null) return null;
  return [
    "",
    "  The first account was created:",
    "",
    `  Account ID   ${first.account.public_id}`,
    `  API key      ${handOver(input, first.key)}`,
    `  Script tag   <script async src="${public_url}/svc.js" data-cid="${first.account.public_id}"></script>`,
    input.hasDemo
      ? `  Demo page    ${public_url}/demo`
      : "  Next         name the page that promoters' links lead to, in the dashboard under Campaigns",
    `  Dashboard    ${dashboard(input, first.ownerToken)}`,
    "",
  ].join("\n");
}

/** The stream that shows progress. */
interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Fills the store with demo data. On a terminal, one line shows the progress. */
export async function fillWithDemo(context: Context, screen: Screen): Promise<void> {
  const account = await findFirstAccount(context.store);
  if (account === null) throw new Error("The store has no account");
  const show = (share: number) => {
    if (screen.isTTY) screen.write(`\rFilling the store with demo data: ${Math.floor(share * 100)} %`);
  };
  show(0);
  await fillDemo(context, account, show);
  if (screen.isTTY) screen.write("\n");
}

/**
 * Lists the store's contents and, unless the first start's text shows how the owner signs in, the page to
 * open.
 */
export function demoNews(publicUrl: string, { isFirstStart }: { isFirstStart: boolean }): string {
  const { promoters, leads } = DEMO_SIZE;
  return [
    ...(isFirstStart ? [] : ["", `  Dashboard    ${publicUrl}/admin`]),
    `  Demo data    ${promoters} promoters, ${leads.toLocaleString("en")} leads and a year of sales`,
    "",
  ].join("\n");
}

/** Explains how the owner signs in. */
function dashboard({ public_url, keyFile, owner }: FirstStart, ownerToken: string | null): string {
  if (ownerToken === null) return `${public_url}/admin   (sign in as ${owner?.email})`;
  const link = linkAddress(public_url, ownerToken);
  const shown = keyFile === null ? link : `by the link in ${keep(`${keyFile}.owner-link`, link)}`;
  return `${shown}   (makes the owner; good once, for a day)`;
}

/** Says where the key is. A key chosen by the operator is not printed. */
function handOver({ apiKey, keyFile }: FirstStart, key: string): string {
  if (apiKey !== null) return "the value of TIDEMARK_API_KEY";
  if (keyFile === null) return `${key}   (shown this once)`;
  return `in ${keep(keyFile, key)}`;
}

/** Writes a secret into a file that only its owner can read, and returns the file's name. */
function keep(file: string, secret: string): string {
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return file;
}

function requireFolderOf(keyFile: string): void {
  try {
    accessSync(dirname(keyFile), constants.W_OK);
  } catch (error) {
    throw new Error(`TIDEMARK_KEY_FILE ${keyFile} can't be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
