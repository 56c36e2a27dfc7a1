import type { Command } from "commander";
import { print, withStore } from "./store.ts";
import { loadAccount } from "../domain/account/account.ts";
import { eraseLead, erasePromoter } from "../domain/erasure/erasure.ts";

const KINDS = { promoter: erasePromoter, lead: eraseLead };

/** Adds the commands that erase a person's data at their request. */
export function eraseCommands(program: Command): void {
  const erase = program.command("erase").description("erase the personal data of somebody who asks for it");
  for (const [kind, run] of Object.entries(KINDS)) {
    erase
      .command(`${kind} <account-id> <email-or-id>`)
      .description(`erase a ${kind}'s personal data; money and counts stay`)
      .action((accountId: string, who: string) =>
        withStore(async (context) => {
          const { id } = await loadAccount(context.store, accountId);
          const erased = await run(context, id, who.trim());
          print({ erased: kind, id: erased.id });
        }),
      );
  }
}
