import { readFileSync } from "node:fs";
import { Argument, Option, type Command } from "commander";
import { syncBilling } from "../billing/sync.ts";
import { print, tell, withStore } from "./store.ts";
import { webAddress } from "./options.ts";
import { withoutLog } from "../domain/access/audit/audited-store.ts";
import { loadAccount, type Account } from "../domain/program/account/account.ts";
import {
  BILLING_MODES,
  BILLING_PROVIDERS,
  connectBilling,
  disconnectBilling,
  listConnections,
  loadConnection,
  type BillingConnection,
  type BillingMode,
  type BillingProvider,
} from "../domain/ledger/billing/connection.ts";
import { countWaiting } from "../domain/ledger/billing/waiting.ts";
import type { Store } from "../storage/store.ts";
import { findSetup } from "../domain/people/sighting.ts";
import { DAY_MS } from "../domain/span.ts";

/** Stripe keeps its events for thirty days. */
const DAYS_BACK = 30;

/** Adds the commands that connect an account with a billing provider. */
export function billingCommands(program: Command): void {
  const billing = program.command("billing").description("billing providers that report payments");
  billing
    .command("connect <account-id>")
    .addArgument(provider())
    .description("accept the events of a provider, or replace its secrets")
    .requiredOption("--secret-file <file>", "a file with the secret that signs the events")
    .option("--api-key-file <file>", "a file with a key that may read from the provider's API")
    .addOption(
      new Option("--mode <mode>", "which events count; without it, those of the API key's mode").choices(
        BILLING_MODES,
      ),
    )
    .option("--api-url <url>", "the provider's API, if not at its usual address", webAddress)
    .action(connect);
  billing
    .command("list <account-id>")
    .description("list the connections, without their secrets")
    .action((accountId: string) =>
      withStore(async ({ store }) => {
        const account = await loadAccount(store, accountId);
        const connections = await listConnections(store, account.id);
        print(await Promise.all(connections.map((connection) => row(store, account, connection))));
      }),
    );
  billing
    .command("disconnect <account-id>")
    .addArgument(provider())
    .description("refuse a provider's events from now on; what they recorded stays")
    .action((accountId: string, name: BillingProvider) =>
      withStore(async (context) => {
        const { id } = await loadAccount(context.store, accountId);
        await context.store.transact((tx) => disconnectBilling(tx, id, name));
        print({ disconnected: name });
      }),
    );
  billing
    .command("sync <account-id>")
    .addArgument(provider())
    .description("record events that did not reach the server; needs an API key")
    .option("--since <date>", `since when; without it, the last ${DAYS_BACK} days`, instant)
    .action(sync);
}

interface ConnectOptions {
  secretFile: string;
  apiKeyFile?: string;
  apiUrl?: string;
  mode?: BillingMode;
}

async function connect(accountId: string, name: BillingProvider, options: ConnectOptions): Promise<void> {
  const secret = textOf("--secret-file", options.secretFile);
  const key = options.apiKeyFile;
  const apiKey = key === undefined ? undefined : textOf("--api-key-file", key);
  await withStore(async (context) => {
    const account = await loadAccount(context.store, accountId);
    const input = { provider: name, secret, apiKey, api_url: options.apiUrl, mode: options.mode };
    const connection = await context.store.transact((tx) => connectBilling(tx, context, account.id, input));
    print(await row(context.store, account, connection));
  });
}

async function sync(accountId: string, name: BillingProvider, options: { since?: Date }): Promise<void> {
  await withStore(async (context) => {
    const account = await loadAccount(context.store, accountId);
    const connection = await loadConnection(context.store, account.id, name);
    const since = options.since ?? new Date(context.now.getTime() - DAYS_BACK * DAY_MS);
    const { events, outcomes, faults } = await syncBilling(withoutLog(context), account, {
      connection,
      since,
    });
    for (const fault of faults) tell(fault);
    print({ events, ...outcomes, failed: faults.length });
    if (faults.length > 0) process.exitCode = 1;
  });
}

/** The public fields of a connection, without its secrets. */
async function row(store: Store, account: Account, connection: BillingConnection) {
  const { provider: name, apiKey, created_at } = connection;
  const publicUrl = (await findSetup(store))?.public_url ?? "";
  return {
    provider: name,
    endpoint: `${publicUrl}/hooks/${name}/${account.public_id}`,
    mode: connection.mode,
    has_api_key: apiKey !== null,
    refunds_waiting: await countWaiting(store, account.id, name),
    created_at,
  };
}

function provider(): Argument {
  return new Argument("<provider>", "the provider").choices(BILLING_PROVIDERS);
}

/** Secrets come in files, because other users of the machine can read a command's arguments. */
function textOf(option: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new Error(`${option} ${file} can't be read: ${(error as Error).message}`, { cause: error });
  }
  if (text === "" || /\s/.test(text)) throw new Error(`${option} ${file} must contain one word`);
  return text;
}

function instant(value: string): Date {
  const at = new Date(value);
  if (!/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(at.getTime())) {
    throw new Error(`--since ${value} is not a date`);
  }
  return at;
}
