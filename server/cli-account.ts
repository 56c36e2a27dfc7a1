import type { Command } from "commander";
import { webAddress } from "./cli-campaign.ts";
import { print, withNewStore, withStore } from "./cli-store.ts";
import { createAccount, listAccounts, loadAccount, renameAccount, setMailSender } from "./domain/account.ts";
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
