import { systemChance } from "../../server/domain/context.ts";
import { createAccount, type NewAccount } from "../../server/domain/access/account-creation.ts";
import { findFirstAccount } from "../../server/domain/program/account/account.ts";
import {
  eraseLead as leadErased,
  erasePromoter as promoterErased,
} from "../../server/domain/privacy/erasure.ts";
import { storeRates } from "../../server/domain/ledger/rate.ts";
import { seed } from "../../server/domain/seed/seed.ts";
import { recordSetup } from "../../server/domain/people/sighting.ts";
import {
  countDeliveries as deliveryCounts,
  retryFailed as failedRetried,
} from "../../server/domain/events/webhook/backlog.ts";
import type { Store } from "../../server/storage/store.ts";
import type { TestApp } from "./app.ts";
import { recordsIn, storeAt, type Records } from "./records.ts";

// What the command line does, and a starting server, on the store of a test's app.

type OnApp = Pick<TestApp, "context" | "account_id">;

/** Works on the first account in the store at an address. */
export async function withStore<T>(
  url: string,
  work: (on: OnApp & { store: Store; records: Records }) => Promise<T>,
): Promise<T> {
  const store = await storeAt(url);
  try {
    const { id: accountId } = (await findFirstAccount(store))!;
    const context = { store, now: new Date(), chance: systemChance };
    return await work({ store, account_id: accountId, context, records: recordsIn(store, accountId) });
  } finally {
    await store.close();
  }
}

/** `tidemark seed` */
export async function fillWithExamples({ context, account_id }: OnApp, size: Parameters<typeof seed>[2]) {
  await seed(context, (await recordsIn(context.store, account_id).get("account", account_id))!, size);
}

/** `tidemark erase lead` */
export function eraseLead({ context, account_id }: OnApp, who: string) {
  return leadErased(context, account_id, who);
}

/** `tidemark erase promoter` */
export function erasePromoter({ context, account_id }: OnApp, who: string) {
  return promoterErased(context, account_id, who);
}

/** `tidemark account create`. Resolves to the account and its key. */
export function addAccount({ context }: OnApp, account: NewAccount) {
  return createAccount(context, account);
}

/** `tidemark rates`, for all accounts of the server. */
export function storeServerRates({ context }: OnApp, ...days: Parameters<typeof storeRates>[2]) {
  return storeRates(context, 0, days);
}

/** The set-up that a starting server records. */
export function startWith({ context }: OnApp, setup: Parameters<typeof recordSetup>[1]) {
  return recordSetup(context.store, setup);
}

/** `tidemark deliveries`: how many have each status. Without a webhook, the account's e-mails. */
export function countDeliveries({ context, account_id }: OnApp, webhookId: number | null) {
  return deliveryCounts(context.store, { account_id, webhook_id: webhookId });
}

/** `tidemark deliveries retry`. Resolves to how many are sent again. */
export function retryFailed({ context, account_id }: OnApp, webhookId: number | null) {
  return failedRetried(context, { account_id, webhook_id: webhookId });
}
