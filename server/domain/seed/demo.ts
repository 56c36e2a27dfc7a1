import { Failure } from "../../failure.ts";
import { listAccounts, SYSTEM, type Account } from "../account/account.ts";
import { renameAccount } from "../account/settings.ts";
import { firstStarts } from "../account/creation.ts";
import { listCampaigns } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { rewards } from "../reward/reward.ts";
import type { Store } from "../../storage/store.ts";
import { visitors } from "../visitor/visitor.ts";
import { webhooks } from "../webhook/webhook.ts";
import { hasPeople, seed } from "./seed.ts";

/** Enough that every page has something to show, and made in a few seconds. */
export const DEMO_SIZE = { promoters: 60, leads: 1_500, sales: 1_200 };

/**
 * Whether the store still needs its demo data. Refuses a store whose filling was interrupted, whether or not demo data
 * is wanted, because half a program looks like a whole one.
 *
 * @throws Failure `refused`, also if the store holds more than its first account
 */
export async function needsDemoData(store: Store, isWanted: boolean): Promise<boolean> {
  const first = await store.get(firstStarts, SYSTEM, 1);
  if (first?.demoData === "begun") {
    throw new Failure(
      "refused",
      "Filling the store of STORAGE_URL with demo data was interrupted: delete that store, and start again",
    );
  }
  if (!isWanted || first?.demoData === "complete") return false;
  if (!(await holdsMoreThanAnAccount(store))) return true;
  throw new Failure(
    "refused",
    "Demo data can only fill an empty store, and that of STORAGE_URL holds more than its first account",
  );
}

/** Fills the store of a new account with a year of a program. `onProgress` gets a number from 0 to 1. */
export async function fillDemo(
  context: Context,
  account: Account,
  onProgress: (share: number) => void,
): Promise<void> {
  await mark(context.store, account, "begun");
  await renameAccount(context, account.id, "Acme");
  await seed(context, account, { ...DEMO_SIZE, onProgress });
  await mark(context.store, account, "complete");
}

function mark(store: Store, { id: ownerId }: Account, demoData: "begun" | "complete"): Promise<void> {
  return store.transact((tx) => tx.put(firstStarts, { accountId: SYSTEM, ownerId, demoData }));
}

async function holdsMoreThanAnAccount(store: Store): Promise<boolean> {
  const [account, ...others] = await listAccounts(store);
  if (account === undefined) return false;
  if (others.length > 0 || (await hasPeople(store, account))) return true;
  if ((await listCampaigns(store, account.id)).length > 1) return true;
  const ofAccount = ["id", account.id, [], { limit: 1 }] as const;
  const some = [
    ...(await store.page(rewards, ...ofAccount)),
    ...(await store.page(webhooks, ...ofAccount)),
    ...(await store.page(visitors, ...ofAccount)),
  ];
  return some.length > 0;
}
