import { Option, type Command } from "commander";
import { readConfig } from "../config.ts";
import {
  findFirstAccount,
  listAccounts,
  loadAccount,
  type Account,
} from "../domain/program/account/account.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "../domain/program/account/api-key.ts";
import { findSetup } from "../domain/people/sighting.ts";
import { linkAddress } from "../domain/access/user/sign-in.ts";
import { findUserByEmail, ROLES, type Role, type User } from "../domain/access/user/user.ts";
import { inviteUser, listUsers, removeUser, resetUser } from "../domain/access/user/users.ts";
import { Failure } from "../failure.ts";
import type { Store } from "../storage/store.ts";
import { emailOf } from "./options.ts";
import { print, withStore } from "./store.ts";

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
            created_at: apiKey.created_at,
            revoked_at: apiKey.revoked_at,
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

/** Adds the commands for users of the dashboard. */
export function userCommands(program: Command): void {
  const user = program.command("user").description("people who sign in to the dashboard");
  user
    .command("invite <email>")
    .description("add a user and print the link that sets their password; it works once, for seven days")
    .addOption(new Option("--role <role>", "what they may do").choices(ROLES).default("manager"))
    .addOption(accountOption())
    .action(invite);
  user.command("list").description("list users, oldest first").addOption(accountOption()).action(printUsers);
  user
    .command("remove <email>")
    .description("remove a user and end their sessions")
    .action((email: string) =>
      withStore(async (context) => {
        const { owner_id, id } = await loadByEmail(context.store, email);
        print(userRow(await context.store.transact((tx) => removeUser(tx, owner_id, id))));
      }),
    );
  user
    .command("reset <email>")
    .description("print a link that sets a new password; it works once, for a day")
    .option("--without-second-factor", "also remove the second factor, because it was lost", false)
    .action((email: string, options: { withoutSecondFactor: boolean }) =>
      withStore(async (context) => {
        const { store } = context;
        const { owner_id, id } = await loadByEmail(store, email);
        const owner = (await listAccounts(store)).find((account) => account.id === owner_id);
        if (owner === undefined) throw new Failure("not_found", "The user's account was not found");
        const removesSecondFactor = options.withoutSecondFactor;
        const isMailed = await hasMail(store);
        const made = await store.transact((tx) =>
          resetUser(tx, context, owner, { id, removesSecondFactor, isMailed }),
        );
        print({
          ...userRow(made.user),
          link: linkAddress(await publicUrlOf(store), made.token),
          is_mailed: isMailed,
        });
      }),
    );
}

function accountOption(): Option {
  return new Option("--account <account-id>", "the account; needed if there are several");
}

function invite(email: string, options: { role: Role; account?: string }): Promise<void> {
  return withStore(async (context) => {
    const { store } = context;
    const account = await accountOf(store, options.account);
    const isMailed = await hasMail(store);
    const invitation = { email: emailOf(email), role: options.role, isMailed };
    const made = await store.transact((tx) => inviteUser(tx, context, account, invitation));
    print({
      ...userRow(made.user),
      link: linkAddress(await publicUrlOf(store), made.token),
      is_mailed: isMailed,
    });
  });
}

function printUsers(options: { account?: string }): Promise<void> {
  return withStore(async ({ store }) => {
    const { id } = await accountOf(store, options.account);
    print((await listUsers(store, id)).map(userRow));
  });
}

/** The given account, or the only one. @throws Failure `not_found`, `missing` if there are several */
async function accountOf(store: Store, publicId: string | undefined): Promise<Account> {
  if (publicId !== undefined) return loadAccount(store, publicId);
  const only = await findFirstAccount(store);
  if (only === null) throw new Failure("not_found", "The store has no account yet");
  if ((await listAccounts(store)).length === 1) return only;
  throw new Failure("missing", "The store has several accounts: name one with --account");
}

/** @throws Failure `not_found` */
async function loadByEmail(store: Store, email: string): Promise<User> {
  const user = await findUserByEmail(store, email);
  if (user === null) throw new Failure("not_found", `No user has the e-mail address ${email}`);
  return user;
}

/** Whether a mail server is configured, for this command or the server that ran last. */
async function hasMail(store: Store): Promise<boolean> {
  return readConfig().smtpUrl !== null || (await findSetup(store))?.has_mail === true;
}

/** The server's address for links, if possible from the server that ran last. */
export async function publicUrlOf(store: Store): Promise<string> {
  const config = readConfig();
  const setup = await findSetup(store);
  return setup?.public_url ?? config.public_url ?? `http://${config.host}:${config.port}`;
}

function userRow({ id, email, name, role, password_hash, second_factor, created_at, last_sign_in_at }: User) {
  return {
    id,
    email,
    name,
    role,
    has_password: password_hash !== null,
    has_second_factor: second_factor !== null,
    created_at,
    last_sign_in_at,
  };
}
