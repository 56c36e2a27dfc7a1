import type { Command } from "commander";
import { print, withStore } from "./store.ts";
import { loadAccount } from "../domain/account/account.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "../domain/account/api-key.ts";

const HASH_SHOWN = 12;

/** Adds the commands for an account's API keys. */
export function keyCommands(program: Command): void {
  const key = program.command("key").description("API keys of an account");
  key
    .command("create <account-id> [name]")
    .description("create a key; it is shown only once")
    .action((accountId: string, name = "key") =>
      withStore(async (context) => {
        const { id } = await loadAccount(context.store, accountId);
        const { key } = await createApiKey(context, id, name);
        print({ key });
      }),
    );
  key
    .command("list <account-id>")
    .description("list keys with the beginning of their hash")
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
    .description("revoke the key whose hash begins with <hash>")
    .action((accountId: string, hash: string) =>
      withStore(async (context) => {
        const { id } = await loadAccount(context.store, accountId);
        await revokeApiKey(context, id, hash);
        print({ revoked: hash });
      }),
    );
}
