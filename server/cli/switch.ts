import { Option, type Command } from "commander";
import { loadAccount } from "../domain/program/account/account.ts";
import { mailNewLinks } from "../domain/switch/switch.ts";
import { linksCsv } from "../transfer/open/links-csv.ts";
import { parseUrl } from "../url.ts";
import { publicUrlOf } from "./access.ts";
import { print, withStore } from "./store.ts";

interface Options {
  oldStart: string | null;
  mail: boolean;
  dryRun: boolean;
}

/** Adds the command for the links of promoters from another program. */
export function switchCommand(program: Command): void {
  program
    .command("links <account-id>")
    .description("write the links of all promoters as CSV, or send promoters their new links")
    .addOption(
      new Option("--old-start <address>", "what old links begin with; the ref id follows it")
        .default(null, "old links are left out")
        .argParser(oldStart),
    )
    .option("--mail", "send each promoter an e-mail with their new link, once, instead", false)
    .option("--dry-run", "with --mail: only count the e-mails", false)
    .action(showLinks);
}

async function showLinks(accountId: string, { oldStart: start, mail, dryRun }: Options): Promise<void> {
  if (dryRun && !mail) throw new Error("--dry-run needs --mail");
  if (mail && start !== null) throw new Error("--old-start is for the list of links, without --mail");
  await withStore(async (context) => {
    const { store } = context;
    const account = await loadAccount(store, accountId);
    if (mail) {
      const publicUrl = await publicUrlOf(store);
      const counts = await mailNewLinks(context, account, { public_url: publicUrl, is_dry_run: dryRun });
      return print({
        dry_run: dryRun,
        mailed: counts.mailed,
        mailed_before: counts.mailedBefore,
        unsubscribed: counts.unsubscribed,
        without_link: counts.withoutLink,
      });
    }
    for await (const text of linksCsv(store, account, start)) process.stdout.write(text);
  });
}

/** @throws Error if it is not a web address */
function oldStart(value: string): string {
  if (/^https?:\/\//i.test(value) && parseUrl(value) !== null) return value;
  throw new Error(`--old-start ${value} is not an http(s) address`);
}
