import type { Command } from "commander";
import { newProgressView } from "./progress.ts";
import { print, withEngine } from "./store.ts";
import { loadAccount } from "../domain/account/account.ts";
import type { Account } from "../domain/account/record.ts";
import { storeOn } from "../storage/open.ts";
import type { Engine } from "../storage/session.ts";
import type { Store } from "../storage/store.ts";
import { freeze, unfreeze, removeAccount } from "../transfer/account.ts";

/** Adds the commands around the move of an account to another store. */
export function accountFreezeCommands(account: Command): void {
  account
    .command("freeze <account-id>")
    .description(
      "refuse all changes to an account with 503 from now on; `move --account` does this by itself",
    )
    .action((publicId: string) =>
      withAccount(publicId, async ({ store, owner }) => {
        await freeze(store, owner.id, "frozen");
        print({ account_id: publicId, is_frozen: true });
      }),
    );
  account
    .command("unfreeze <account-id>")
    .description("let an account take changes again, for example after a move that you gave up")
    .option("--yes", "even if another store has a complete copy", false)
    .action((publicId: string, { yes }: { yes: boolean }) =>
      withAccount(publicId, async ({ store, owner }) => {
        await unfreeze(store, owner.id, { isSure: yes });
        print({ account_id: publicId, is_frozen: false });
      }),
    );
  account
    .command("remove <account-id>")
    .description("remove everything that the store holds of an account; servers may keep running")
    .option("--yes", "you are sure", false)
    .action((publicId: string, { yes }: { yes: boolean }) =>
      withAccount(publicId, async ({ engine, store, owner }) => {
        if (!yes) throw new Error(`This removes all that the store holds of ${publicId}: say --yes to do it`);
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
