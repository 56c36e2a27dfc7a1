import type { Command } from "commander";
import { accountFreezeCommands } from "./account-freeze.ts";
import { webAddress } from "./campaign.ts";
import { print, withNewStore, withStore } from "./store.ts";
import {
  createAccount,
  listAccounts,
  loadAccount,
  renameAccount,
  setMailSender,
  setMaxAutoApprove,
} from "../domain/account/account.ts";
import { setCurrency } from "../domain/account/currency.ts";
import { nameTracker, trackerNames } from "../domain/account/tracker-names.ts";
import type { Account } from "../domain/account/record.ts";

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
    .action((accountId: string, name: string) =>
      withStore(async (context) => {
        const { id } = await loadAccount(context.store, accountId);
        print(accountRow(await renameAccount(context, id, name)));
      }),
    );
  account
    .command("tracker <account-id>")
    .description(
      "show or change the names by which pages use the browser script, for example to another program's",
    )
    .option("--global <name>", "the global function, usually svc")
    .option("--data-global <name>", "a second global with the visitor id as data.tid, such as FPROM")
    .option("--cookie <prefix>", "prefix of the cookie names, usually _svc")
    .option("--script <file>", "a second file name for the script, such as fpr.js")
    .option("--fragment", "also read ref ids from fragments, such as #/pricing?via=jane")
    .option("--no-fragment", "don't read fragments")
    .action((accountId: string, options: TrackerOptions) =>
      withStore(async (context) => {
        const owner = await loadAccount(context.store, accountId);
        const { fragment, ...names } = options;
        const named = await nameTracker(context, owner, { ...names, readsFragment: fragment });
        print({ account_id: owner.publicId, ...trackerRow(named) });
      }),
    );
  account
    .command("currency <account-id> <code>")
    .description("set the ISO 4217 currency of its amounts, such as EUR, before there are any")
    .action((accountId: string, code: string) =>
      withStore(async (context) => {
        const owner = await loadAccount(context.store, accountId);
        const { publicId, currency } = await setCurrency(context, owner, code);
        print({ account_id: publicId, currency });
      }),
    );
  account
    .command("max-auto-approve <account-id> [cents]")
    .description("set the largest cash commission that is approved by itself, in cents; left out: any")
    .action((accountId: string, cents?: string) =>
      withStore(async (context) => {
        const { id, publicId } = await loadAccount(context.store, accountId);
        const limit = cents === undefined ? null : centsOf(cents);
        const { maxAutoApproveCents } = await setMaxAutoApprove(context, id, limit);
        print({ account_id: publicId, max_auto_approve_cents: maxAutoApproveCents });
      }),
    );
  account
    .command("mail-sender <account-id> [sender]")
    .description('set the sender of its e-mails, such as "Acme <partners@acme.example>"; left out: MAIL_FROM')
    .action((accountId: string, sender?: string) =>
      withStore(async (context) => {
        const { id } = await loadAccount(context.store, accountId);
        print(accountRow(await setMailSender(context, id, sender ?? null)));
      }),
    );
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

interface TrackerOptions {
  global?: string;
  dataGlobal?: string;
  cookie?: string;
  script?: string;
  fragment?: boolean;
}

function trackerRow(account: Account) {
  const { global, dataGlobal, cookie, script, readsFragment } = trackerNames(account);
  return {
    global,
    data_global: dataGlobal,
    cookies: [`${cookie}_tid`, `${cookie}_ref`],
    script,
    reads_fragment: readsFragment,
  };
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
