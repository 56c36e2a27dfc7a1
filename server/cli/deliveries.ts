import type { Command } from "commander";
import { print, withStore } from "./store.ts";
import { loadAccount } from "../domain/program/account/account.ts";
import type { Context } from "../domain/context.ts";
import { sendTestEvent } from "../domain/events/webhook/delivery.ts";
import {
  countDeliveries,
  loadDeliveryState,
  retryFailed,
  type DeliverySet,
} from "../domain/events/webhook/backlog.ts";

/** Adds the commands that count e-mails and events, and retry failed ones. */
export function deliveryCommands(program: Command): void {
  const mail = program.command("mail").description("e-mails to promoters");
  mail
    .command("status <account-id>")
    .description("count e-mails that wait, are held until SMTP_URL is set, were sent or given up")
    .action((accountId: string) => onDeliveries({ account_id: accountId, webhook_id: null }, status));
  mail
    .command("retry <account-id>")
    .description("retry e-mails that were given up")
    .action((accountId: string) => onDeliveries({ account_id: accountId, webhook_id: null }, retry));
  const webhook = program.command("webhook").description("events for receivers");
  webhook
    .command("status <account-id> <webhook-id>")
    .description("count events that wait, were delivered or given up")
    .action((accountId: string, id: string) =>
      onDeliveries({ account_id: accountId, webhook_id: idOf(id) }, status),
    );
  webhook
    .command("retry <account-id> <webhook-id>")
    .description("retry events that were given up")
    .action((accountId: string, id: string) =>
      onDeliveries({ account_id: accountId, webhook_id: idOf(id) }, retry),
    );
  webhook
    .command("test <account-id> <webhook-id>")
    .description("queue a test event, which a running server sends like any other")
    .option("--type <event-type>", "the event type; by default the webhook's first one")
    .action((accountId: string, id: string, { type = null }: { type?: string | null }) =>
      onDeliveries({ account_id: accountId, webhook_id: idOf(id) }, (context, set) =>
        test(context, { ...set, type }),
      ),
    );
}

async function test(
  context: Context,
  { account_id, webhook_id, type }: DeliverySet & { type: string | null },
) {
  const wanted = { webhook_id: webhook_id ?? 0, type };
  const sent = await context.store.transact((tx) => sendTestEvent(tx, context, account_id, wanted));
  return { delivery: sent.id, event: sent.message?.event_id, type: sent.message?.type, status: sent.status };
}

async function status({ store }: Context, set: DeliverySet) {
  const { counts, oldestWaitingAt, last_error } = await loadDeliveryState(store, set);
  return { ...counts, oldest_waiting_at: oldestWaitingAt, last_error };
}

const retry = async (context: Context, set: DeliverySet) => ({
  retried: await retryFailed(context, set),
  now: await countDeliveries(context.store, set),
});

function onDeliveries(
  { account_id, webhook_id }: { account_id: string; webhook_id: number | null },
  work: (context: Context, set: DeliverySet) => Promise<unknown>,
): Promise<void> {
  return withStore(async (context) => {
    const { id } = await loadAccount(context.store, account_id);
    print(await work(context, { account_id: id, webhook_id }));
  });
}

function idOf(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new Error(`${value} is not a webhook id; GET /api/v2/company/webhooks shows the ids`);
}
