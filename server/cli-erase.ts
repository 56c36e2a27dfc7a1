import type { Command } from "commander";
import { print, withStore } from "./cli-store.ts";
import { loadAccount } from "./domain/account.ts";
import { eraseLead, erasePromoter } from "./domain/erasure.ts";

const KINDS = { promoter: erasePromoter, lead: eraseLead };

/** Adds the commands that make people nameless who ask for it. */
export function eraseCommands(program: Command): void {
  const erase = program.command("erase").description("replace what is known of a person who asks for it");
  for (const [kind, run] of Object.entries(KINDS)) {
    erase
      .command(`${kind} <account-id> <email-or-id>`)
      .description(`of a ${kind}; money and counts stay`)
      .action((accountId: string, who: string) =>
        withStore(async (context) => {
          const { id } = await loadAccount(context.store, accountId);
          const erased = await run(context, id, who.trim());
          print({ erased: kind, id: erased.id });
        }),
      );
  }
}
