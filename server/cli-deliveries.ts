import type { Command } from "commander";
import { print, withStore } from "./cli-store.ts";
import { loadAccount } from "./domain/account.ts";
import type { Context } from "./domain/context.ts";
import { countDeliveries, retryFailed, type DeliverySet } from "./domain/delivery-retry.ts";

/** Adds the commands that tell how letters and events stand, and send those once more that were given up. */
export function deliveryCommands(program: Command): void {
  const mail = program.command("mail").description("letters to promoters");
  mail
    .command("status <account-id>")
    .description("tell how many wait, are held until SMTP_URL is set, were sent or given up")
    .action((accountId: string) => onDeliveries({ accountId, webhookId: null }, status));
  mail
    .command("retry <account-id>")
    .description("send those that were given up once more")
    .action((accountId: string) => onDeliveries({ accountId, webhookId: null }, retry));
  const webhook = program.command("webhook").description("events for receivers");
  webhook
    .command("status <account-id> <webhook-id>")
    .description("tell how many wait, were delivered or given up")
    .action((accountId: string, id: string) => onDeliveries({ accountId, webhookId: idOf(id) }, status));
  webhook
    .command("retry <account-id> <webhook-id>")
    .description("send those that were given up once more, however often they were tried")
    .action((accountId: string, id: string) => onDeliveries({ accountId, webhookId: idOf(id) }, retry));
}

const status = ({ store }: Context, set: DeliverySet) => countDeliveries(store, set);

const retry = async (context: Context, set: DeliverySet) => ({
  retried: await retryFailed(context, set),
  now: await countDeliveries(context.store, set),
});

function onDeliveries(
  { accountId, webhookId }: { accountId: string; webhookId: number | null },
  work: (context: Context, set: DeliverySet) => Promise<unknown>,
): Promise<void> {
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, accountId);
    print(await work(context, { accountId: id, webhookId }));
  });
}

function idOf(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new Error(`${value} is no webhook id`);
}
