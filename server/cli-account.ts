import type { Command } from "commander";
import { webAddress } from "./cli-campaign.ts";
import { print, withNewStore, withStore } from "./cli-store.ts";
import { createAccount, listAccounts, loadAccount, renameAccount, setMailSender } from "./domain/account.ts";
import { nameTracker, trackerNames } from "./domain/tracker-names.ts";
import type { Account } from "./records.ts";

/** Adds the commands that make and change accounts. */
export function accountCommands(program: Command): void {
  const account = program.command("account").description("companies that run a program");
  account
    .command("create <name>")
    .description("make an account with its default campaign and first key")
    .requiredOption("--landing-url <url>", "where the default campaign's links lead", webAddress)
    .option("--id <id>", "public id; generated when left out", publicId)
    .option("--honour-gpc", "track nobody whose browser sends Global Privacy Control", false)
    .action(make);
  account
    .command("list")
    .description("list accounts")
    .action(() => withStore(async ({ store }) => print((await listAccounts(store)).map(accountRow))));

  account
    .command("rename <account-id> <name>")
    .description("change the company's name, as letters to promoters say it")
    .action((accountId: string, name: string) =>
      withStore(async (context) => {
        const { id } = await loadAccount(context.store, accountId);
        print(accountRow(await renameAccount(context, id, name)));
      }),
    );
  account
    .command("tracker <account-id>")
    .description("let pages use the browser script by other names, such as another program's; show them")
    .option("--global <name>", "the global function, usually svc")
    .option("--cookie <prefix>", "what the names of the cookies begin with, usually _svc")
    .option("--script <file>", "a file that the script is served as besides, such as fpr.js")
    .option("--fragment", "read ref ids in fragments too, as in #/pricing?via=jane")
    .option("--no-fragment", "leave fragments alone")
    .action((accountId: string, options: TrackerOptions) =>
      withStore(async (context) => {
        const owner = await loadAccount(context.store, accountId);
        const { fragment, ...names } = options;
        const named = await nameTracker(context, owner, { ...names, readsFragment: fragment });
        print({ account_id: owner.publicId, ...trackerRow(named) });
      }),
    );
  account
    .command("mail-sender <account-id> [sender]")
    .description('say whom its e-mails come from, as "Acme <partners@acme.example>"; MAIL_FROM where nobody')
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
  cookie?: string;
  script?: string;
  fragment?: boolean;
}

function trackerRow(account: Account) {
  const { global, cookie, script, readsFragment } = trackerNames(account);
  return { global, cookies: [`${cookie}_tid`, `${cookie}_ref`], script, reads_fragment: readsFragment };
}

/** Goes into a header and into the script tag, so that it keeps to what both take as it is. */
function publicId(value: string): string {
  if (/^[\w.-]{1,100}$/.test(value)) return value;
  throw new Error(`--id ${value} must be 1 to 100 letters, digits, dots, dashes or underscores`);
}

/** What may be shown of an account: not the key of its address hashes. */
function accountRow({ publicId, name, honoursPrivacyControl, mailSender, createdAt }: Account) {
  return {
    account_id: publicId,
    name,
    honours_gpc: honoursPrivacyControl,
    mail_sender: mailSender,
    created_at: createdAt,
  };
}
