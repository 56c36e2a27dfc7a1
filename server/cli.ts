#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { accountCommands } from "./cli-account.ts";
import { campaignCommands } from "./cli-campaign.ts";
import { checkCommands } from "./cli-check.ts";
import { csvCommand } from "./cli-csv.ts";
import { deliveryCommands } from "./cli-deliveries.ts";
import { doctorCommand } from "./cli-doctor.ts";
import { eraseCommands } from "./cli-erase.ts";
import { promoterCommands } from "./cli-promoter.ts";
import { print, withStore } from "./cli-store.ts";
import { transferCommands } from "./cli-transfer.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "./domain/api-key.ts";
import { loadAccount } from "./domain/account.ts";
import { requireNobody, seed, type SeedSize } from "./domain/seed.ts";

const HASH_SHOWN = 12;

// Whatever is written, a store or a backup, is for its owner alone, in whatever folder.
process.umask(0o077);

const program = new Command("tidemark")
  .description("The affiliate-program server. The store is the one that STORAGE_URL names.")
  .version(version())
  .showHelpAfterError();

program
  .command("start")
  .description("serve")
  .action(async () => {
    await import("./main.ts");
  });

accountCommands(program);

const key = program.command("key").description("API keys of an account");
key
  .command("create <account-id> [name]")
  .description("make a key; it is shown this once")
  .action((accountId: string, name = "key") =>
    withStore(async (context) => {
      const { id } = await loadAccount(context.store, accountId);
      print({ key: await createApiKey(context, id, name) });
    }),
  );
key
  .command("list <account-id>")
  .description("list keys by the beginning of their hash")
  .action((accountId: string) =>
    withStore(async ({ store }) => {
      const { id } = await loadAccount(store, accountId);
      const keys = await listApiKeys(store, id);
      print(
        keys.map((apiKey) => ({
          hash: apiKey.hash.slice(0, HASH_SHOWN),
          name: apiKey.name,
          created_at: apiKey.createdAt,
          revoked_at: apiKey.revokedAt,
        })),
      );
    }),
  );
key
  .command("revoke <account-id> <hash>")
  .description("revoke the key whose hash begins so")
  .action((accountId: string, hash: string) =>
    withStore(async (context) => {
      const { id } = await loadAccount(context.store, accountId);
      await revokeApiKey(context, id, hash);
      print({ revoked: hash });
    }),
  );

campaignCommands(program);

program
  .command("seed <account-id>")
  .description("fill an account with a believable program, to try things out")
  .option("--promoters <count>", "promoters", count("--promoters"), 100)
  .option("--leads <count>", "leads", count("--leads"), 1_000)
  .option("--payouts <count>", "payouts", count("--payouts"), 1_000)
  .option("--force", "also where the account has people, among whom they can't be told apart later", false)
  .action((accountId: string, { force, ...size }: SeedSize & { force: boolean }) =>
    withStore(async (context) => {
      const owner = await loadAccount(context.store, accountId);
      if (!force) await requireNobody(context.store, owner);
      await seed(context, owner, size);
      print({ seeded: size });
    }),
  );

checkCommands(program);
csvCommand(program);
doctorCommand(program);
deliveryCommands(program);
eraseCommands(program);
promoterCommands(program);
transferCommands(program);

await program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

/** The package is the one place that knows it. */
function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

function count(option: string) {
  return (value: string): number => {
    if (/^\d{1,8}$/.test(value)) return Number(value);
    throw new Error(`${option} must be a whole number of at most 8 digits`);
  };
}
