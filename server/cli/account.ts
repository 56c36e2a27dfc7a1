import type { Command } from "commander";
import { createAccount } from "../domain/access/account-creation.ts";
import {
  commissionBase,
  listAccounts,
  loadAccount,
  trackerNames,
  type Account,
} from "../domain/program/account/account.ts";
import {
  changeCommissionBase,
  nameTracker,
  renameAccount,
  setCurrency,
  setMailSender,
  setMaxAutoApprove,
} from "../domain/program/account/settings.ts";
import { hasMoney } from "../domain/ledger/use.ts";
import { WHOLE } from "../domain/money.ts";
import { tenThousandths } from "../input/fields.ts";
import { storeOn } from "../storage/open.ts";
import type { Engine } from "../storage/session.ts";
import type { Store } from "../storage/store.ts";
import { freeze, removeAccount, unfreeze } from "../transfer/account.ts";
import { webAddress } from "./options.ts";
import { newProgressView } from "./progress.ts";
import { print, withEngine, withNewStore, withStore } from "./store.ts";

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
    .description("set the largest cash commission that is approved automatically, in cents; without it, any")
    .action(changeMaxAutoApprove);
  accountBaseCommand(account);
  account
    .command("mail-sender <account-id> [sender]")
    .description(
      'set the sender of its e-mails, such as "Acme <partners@acme.example>"; without it, MAIL_FROM. Other domains need MAIL_FROM_DOMAINS',
    )
    .action(changeMailSender);
}

function make(name: string, options: { landingUrl: string; id?: string; honourGpc: boolean }): Promise<void> {
  return withNewStore(async (context) => {
    const made = await createAccount(context, {
      name,
      public_id: options.id,
      landing_url: options.landingUrl,
      honours_privacy_control: options.honourGpc,
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
    const { public_id, currency } = await setCurrency(context, owner, { code, hasMoney });
    print({ account_id: public_id, currency });
  });
}

function changeMaxAutoApprove(accountId: string, cents?: string): Promise<void> {
  return withStore(async (context) => {
    const { id, public_id } = await loadAccount(context.store, accountId);
    const limit = cents === undefined ? null : centsOf(cents);
    const { max_auto_approve_cents } = await setMaxAutoApprove(context, id, limit);
    print({ account_id: public_id, max_auto_approve_cents });
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

/** The public fields of an account, without the key of its address hashes. */
function accountRow({ public_id, name, honours_privacy_control, mail_sender, created_at }: Account) {
  return {
    account_id: public_id,
    name,
    honours_gpc: honours_privacy_control,
    mail_sender,
    created_at,
  };
}

/** Adds the commands for moving an account to another store. */
function accountFreezeCommands(account: Command): void {
  account
    .command("freeze <account-id>")
    .description(
      "refuse all changes to an account with 503 from now on, before it is exported to another store",
    )
    .action((publicId: string) =>
      withAccount(publicId, async ({ store, owner }) => {
        await freeze(store, owner.id, "frozen");
        print({ account_id: publicId, is_frozen: true });
      }),
    );
  account
    .command("unfreeze <account-id>")
    .description("allow changes to an account again, for example after an abandoned move")
    .action((publicId: string) =>
      withAccount(publicId, async ({ store, owner }) => {
        await unfreeze(store, owner.id);
        print({ account_id: publicId, is_frozen: false });
      }),
    );
  account
    .command("remove <account-id>")
    .description("remove all data of an account from the store; servers may keep running")
    .option("--yes", "you are sure", false)
    .action((publicId: string, { yes }: { yes: boolean }) =>
      withAccount(publicId, async ({ engine, store, owner }) => {
        if (!yes) throw new Error(`This removes all data of ${publicId} from the store: add --yes to do it`);
        const view = newProgressView(process.stderr);
        await removeAccount([engine, store], owner, view.show);
        view.end();
        print({ account_id: publicId, is_removed: true });
      }),
    );
}

function withAccount(
  publicId: string,
  work: (parts: { engine: Engine; store: Store; owner: Account }) => Promise<void>,
): Promise<void> {
  return withEngine(async (engine) => {
    const store = await storeOn(engine);
    await work({ engine, store, owner: await loadAccount(store, publicId) });
  });
}

interface TrackerOptions {
  global?: string;
  dataGlobal?: string;
  cookie?: string;
  script?: string;
  fragment?: boolean;
}

/** Adds the command for the names of an account's browser script. */
function accountTrackerCommand(account: Command): void {
  account
    .command("tracker <account-id>")
    .description(
      "show or change the names of the browser script and its cookies, for example to another program's",
    )
    .option("--global <name>", "the global function, usually svc")
    .option("--data-global <name>", "a second global with the visitor id as data.tid, such as FPROM")
    .option("--cookie <prefix>", "prefix of the cookie names, usually _svc")
    .option("--script <file>", "a second file name for the script, such as fpr.js")
    .option("--fragment", "also read ref ids from fragments, such as #/pricing?via=jane")
    .option("--no-fragment", "don't read fragments")
    .action(nameIt);
}

function nameIt(accountId: string, { fragment, dataGlobal, ...names }: TrackerOptions): Promise<void> {
  return withStore(async (context) => {
    const owner = await loadAccount(context.store, accountId);
    const given = { ...names, data_global: dataGlobal, reads_fragment: fragment };
    const named = await nameTracker(context, owner, given);
    print({ account_id: owner.public_id, ...trackerRow(named) });
  });
}

function trackerRow(account: Account) {
  const { global, data_global, cookie, script, reads_fragment } = trackerNames(account);
  return {
    global,
    data_global,
    cookies: [`${cookie}_tid`, `${cookie}_ref`],
    script,
    reads_fragment,
  };
}

interface BaseOptions {
  lessTax?: boolean;
  lessShipping?: boolean;
  fee?: number;
}

/** Adds the command for the base of an account's commissions. */
function accountBaseCommand(account: Command): void {
  account
    .command("commission-base <account-id>")
    .description("show or change which part of a payment by Stripe or Paddle commissions are computed on")
    .option("--less-tax", "leave out tax (default)")
    .option("--no-less-tax", "count tax")
    .option("--less-shipping", "leave out shipping")
    .option("--no-less-shipping", "count shipping (default)")
    .option("--fee <percentage>", "leave out a percentage of the rest for fees, such as 2.9", feeOf)
    .action(changeBase);
}

function changeBase(accountId: string, { lessTax, lessShipping, fee }: BaseOptions): Promise<void> {
  return withStore(async (context) => {
    const { id, public_id } = await loadAccount(context.store, accountId);
    const changes = { is_less_tax: lessTax, is_less_shipping: lessShipping, fee_ten_thousandths: fee };
    const { is_less_tax, is_less_shipping, fee_ten_thousandths } = commissionBase(
      await changeCommissionBase(context, id, changes),
    );
    print({
      account_id: public_id,
      less_tax: is_less_tax,
      less_shipping: is_less_shipping,
      fee_percentage: fee_ten_thousandths / 10_000,
    });
  });
}

function feeOf(value: string): number {
  const fee = tenThousandths.safeParse(value);
  if (fee.success && fee.data < WHOLE) return fee.data;
  throw new Error(`${value} is not a percentage from 0 to less than 100 with at most four decimals`);
}
