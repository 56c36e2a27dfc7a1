import type { Command } from "commander";
import { print, withStore } from "./store.ts";
import { loadAccount } from "../domain/account/account.ts";
import { requireNobody, seed, type SeedSize } from "../domain/seed/seed.ts";

/** Adds the command that fills an account with made-up people. */
export function seedCommand(program: Command): void {
  program
    .command("seed <account-id>")
    .description("fill an account with a believable program to try things out")
    .option("--promoters <count>", "how many promoters", count("--promoters"), 100)
    .option("--leads <count>", "how many leads", count("--leads"), 1_000)
    .option(
      "--sales <count>",
      "about how many sales, with their commissions and payouts",
      count("--sales"),
      1_000,
    )
    .option("--force", "also fill an account that has people; they can't be told apart later", false)
    .action((accountId: string, { force, ...size }: SeedSize & { force: boolean }) =>
      withStore(async (context) => {
        const owner = await loadAccount(context.store, accountId);
        if (!force) await requireNobody(context.store, owner);
        await seed(context, owner, size);
        print({ seeded: size });
      }),
    );
}

function count(option: string) {
  return (value: string): number => {
    if (/^\d{1,8}$/.test(value)) return Number(value);
    throw new Error(`${option} must be a whole number of at most 8 digits`);
  };
}
