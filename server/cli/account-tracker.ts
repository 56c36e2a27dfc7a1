import type { Command } from "commander";
import { print, withStore } from "./store.ts";
import { loadAccount, trackerNames, type Account } from "../domain/account/account.ts";
import { nameTracker } from "../domain/account/settings.ts";

interface TrackerOptions {
  global?: string;
  dataGlobal?: string;
  cookie?: string;
  script?: string;
  fragment?: boolean;
}

/** Adds the command on the names of an account's browser script. */
export function accountTrackerCommand(account: Command): void {
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
    .action(nameIt);
}

function nameIt(accountId: string, { fragment, ...names }: TrackerOptions): Promise<void> {
  return withStore(async (context) => {
    const owner = await loadAccount(context.store, accountId);
    const named = await nameTracker(context, owner, { ...names, readsFragment: fragment });
    print({ account_id: owner.publicId, ...trackerRow(named) });
  });
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
