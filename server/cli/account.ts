import type { Command } from "commander";
import { accountBaseCommand } from "./account-base.ts";
import { accountFreezeCommands } from "./account-freeze.ts";
import { accountTrackerCommand } from "./account-tracker.ts";
import { webAddress } from "./campaign.ts";
import { print, withNewStore, withStore } from "./store.ts";
import { createAccount } from "../domain/account/creation.ts";
import { listAccounts, loadAccount, type Account } from "../domain/account/account.ts";
import { renameAccount, setCurrency, setMailSender, setMaxAutoApprove } from "../domain/account/settings.ts";

/** Adds the commands that make and change accounts. */
export function accountCommands(program: Command): void {
  const account = program.command("account").description("companies that run an affiliate program");
  account
    .command("create <name>")
    .description("create an account with its default campaign and first key")
    .requiredOption("--landing-url <url>", "where the default campaign's links lead", webAddress)
    .option("--id <id>", "public id; generated if left out", publicId)
    .option("--honour-gpc", "don't track visitors whose browser sends Global Privacy Control", false)
    .action(make);
  account
    .command("list")
    .description("list accounts")
    .action(() => withStore(async ({ store }) => print((await listAccounts(store)).map(accountRow))));
  accountFreezeCommands(account);
  account
    .command("rename <account-id> <name>")
    .description("change the company's name, which e-mails to promoters show")
    .action(rename);
  accountTrackerCommand(account);
  account
    .command("currency <account-id> <code>")
    .description("set the ISO 4217 currency of its amounts, such as EUR, before there are any")
    .action(changeCurrency);
  account
    .command("max-auto-approve <account-id> [cents]")
    .description("set the largest cash commission that is approved by itself, in cents; left out: any")
    .action(changeMaxAutoApprove);
  accountBaseCommand(account);
  account
    .command("mail-sender <account-id> [sender]")
    .description('set the sender of its e-mails, such as "Acme <partners@acme.example>"; left out: MAIL_FROM')
    .action(changeMailSender);
}

function make(name: string, options: { landingUrl: string; id?: string; honourGpc: boolean }): Promise<void> {
  return withNewStore(async (context) => {
    const made = await createAccount(context, {
      name,
      publicId: options.id,
      landingUrl: options.landingUrl,
      honoursPrivacyControl: options.honourGpc,
    });
    print({ account: accountRow(made.account), key: made.key });
  });
}

function rename(accountId: string, name: string): Promise<void> {
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, accountId);
    print(accountRow(await renameAccount(context, id, name)));
  });
}

function changeCurrency(accountId: string, code: string): Promise<void> {
  return withStore(async (context) => {
    const owner = await loadAccount(context.store, accountId);
    const { publicId, currency } = await setCurrency(context, owner, code);
    print({ account_id: publicId, currency });
  });
}

function changeMaxAutoApprove(accountId: string, cents?: string): Promise<void> {
  return withStore(async (context) => {
    const { id, publicId } = await loadAccount(context.store, accountId);
    const limit = cents === undefined ? null : centsOf(cents);
    const { maxAutoApproveCents } = await setMaxAutoApprove(context, id, limit);
    print({ account_id: publicId, max_auto_approve_cents: maxAutoApproveCents });
  });
}

function changeMailSender(accountId: string, sender?: string): Promise<void> {
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, accountId);
    print(accountRow(await setMailSender(context, id, sender ?? null)));
  });
}

function centsOf(value: string): number {
  if (/^\d{1,12}$/.test(value)) return Number(value);
  throw new Error(`${value} is not a whole number of cents`);
}

/** Allows only characters that need no escaping in a header and in the script tag. */
function publicId(value: string): string {
  if (/^[\w.-]{1,100}$/.test(value)) return value;
  throw new Error(`--id ${value} must be 1 to 100 letters, digits, dots, dashes or underscores`);
}

/** The fields of an account that may be shown. The key of its address hashes is not one of them. */
function accountRow({ publicId, name, honoursPrivacyControl, mailSender, createdAt }: Account) {
  return {
    account_id: publicId,
    name,
    honours_gpc: honoursPrivacyControl,
    mail_sender: mailSender,
    created_at: createdAt,
  };
}
