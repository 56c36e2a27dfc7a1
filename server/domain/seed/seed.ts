import { Failure } from "../../failure.ts";
import type { Store } from "../../storage/store.ts";
import { listAccounts, type Account } from "../program/account/account.ts";
import { SYSTEM, type Context } from "../context.ts";
import { firstStarts } from "../access/account-creation.ts";
import { renameAccount } from "../program/account/settings.ts";
import { withoutLog } from "../access/audit/audited-store.ts";
import { emailsOf, listCampaigns, loadCampaign } from "../program/campaign/campaign.ts";
import { leads, type Lead } from "../people/lead/lead.ts";
import { createPromoCode } from "../people/promo-code/changes.ts";
import { archivePromoter } from "../people/promoter/changes.ts";
import { promoters } from "../people/promoter/promoter.ts";
import { rewards } from "../program/reward/reward.ts";
import { visitors } from "../people/visitor/visitor.ts";
import { deliveries, newDelivery, type Delivery } from "../events/webhook/delivery.ts";
import { createWebhook, webhooks } from "../events/webhook/webhook.ts";
import { seedArrivals, seedLeads } from "./leads.ts";
import { seedPromoters, type SeedPromoter } from "./promoters.ts";
import { newDice, type SeedPlan } from "./plan.ts";
import { seedProgram } from "./program.ts";
import {
  customerChance,
  customerOf,
  seedDecisions,
  seedPayouts,
  seedSales,
  type SeedCustomer,
} from "./sales.ts";
import { DAY_MS } from "../span.ts";

/** Enough data for every page, and made in a few seconds. */
export const DEMO_SIZE = { promoters: 60, leads: 1_500, sales: 1_200 };

/**
 * Whether the store still needs its demo data. Refuses a store whose filling was interrupted, even if demo
 * data is not wanted, because half a program looks like a whole one.
 *
 * @throws Failure `refused`, also if the store has more than its first account
 */
export async function needsDemoData(store: Store, isWanted: boolean): Promise<boolean> {
  const first = await store.get(firstStarts, SYSTEM, 1);
  if (first?.demo_data === "begun") {
    throw new Failure(
      "refused",
      "Filling the store of STORAGE_URL with demo data was interrupted: delete that store, and start again",
    );
  }
  if (!isWanted || first?.demo_data === "complete") return false;
  if (!(await holdsMoreThanAnAccount(store))) return true;
  throw new Failure(
    "refused",
    "Demo data can only fill an empty store, and the store of STORAGE_URL has more than its first account",
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

/** The number of records of each kind. */
export interface SeedSize {
  promoters: number;
  leads: number;
  /** An approximate number; none if there are no leads. */
  sales: number;
  /**
   * How many payments are recorded concurrently. With one, every store gives the same ids. Absent: enough to
   * be fast.
   */
  paymentsAtOnce?: number;
}

/** The number of records, and a callback for the progress: a number from 0 to 1. */
export type SeedOptions = SeedSize & { onProgress?: (share: number) => void };

/**
 * Refuses to mix made-up people with real ones, because they can't be told apart later.
 *
 * @throws Failure `refused`
 */
export async function requireNoPeople(store: Store, account: Account): Promise<void> {
  if (!(await hasPeople(store, account))) return;
  const fault = `Account ${account.public_id} already has people: seed another one, or pass --force`;
  throw new Failure("refused", fault);
}

/** The share of the work before the sales. */
const EARLY_SHARE = 0.2;
const SALES_SHARE = 0.6;

/**
 * Fills an account with a believable program: campaigns, promoters, some of them parents of others, their
 * leads, and these people's payments in the year that ends now, by the rules of real sales, up to the
 * payouts. The same moment, store and size give the same people and amounts. Without promoters nothing is
 * made. No notifications are sent, because this is history.
 */
export async function seed(
  given: Context,
  account: Account,
  { onProgress = () => {}, ...size }: SeedOptions,
): Promise<void> {
  if (size.promoters === 0) return;
  const context = { ...withoutLog(given), isHistory: true };
  const campaigns = await seedProgram(context, account);
  const plan: SeedPlan = { context, account, campaigns, dice: newDice(size.promoters) };
  const seeded = await seedPromoters(plan, size.promoters);
  await seedPromoCodes(plan, seeded);
  const arrivals = await seedArrivals(
    context,
    await loadCampaign(context.store, account.id, account.default_campaign_id),
  );
  const chance = customerChance(size);
  const customers: SeedCustomer[] = [];
  let latest: Lead[] = [];
  for await (const made of seedLeads(plan, size.leads, { seeded, arrivals })) {
    latest = made;
    for (const lead of made) {
      const customer = plan.dice.percent(chance) ? customerOf(plan.dice, lead, context.now) : null;
      if (customer !== null) customers.push(customer);
    }
  }
  onProgress(EARLY_SHARE);
  for await (const share of seedSales(plan, customers, size.paymentsAtOnce)) {
    onProgress(EARLY_SHARE + SALES_SHARE * share);
  }
  await seedDecisions(plan);
  await seedPayouts(plan);
  await seedDeliveries(plan, latest);
  await archiveSome(plan, seeded);
  onProgress(1);
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

/** Whether the account has promoters or leads. */
async function hasPeople(store: Store, { id }: Account): Promise<boolean> {
  const somePromoters = await store.page(promoters, "id", id, [], { limit: 1 });
  const someLeads = await store.page(leads, "id", id, [], { limit: 1 });
  return somePromoters.length + someLeads.length > 0;
}

function mark(store: Store, { id: ownerId }: Account, demoData: "begun" | "complete"): Promise<void> {
  return store.transact((tx) =>
    tx.put(firstStarts, { account_id: SYSTEM, owner_id: ownerId, demo_data: demoData }),
  );
}

/** The number of promoters with a code. */
const PROMO_CODES = 12;

/** Gives the first promoters codes. */
async function seedPromoCodes({ context, account }: SeedPlan, seeded: SeedPromoter[]): Promise<void> {
  const [reward] = await context.store.page(rewards, "scope", account.id, ["referrals"], { limit: 1 });
  if (reward === undefined) return;
  for (const { promoterCampaign } of seeded.slice(0, PROMO_CODES)) {
    const { id: promoterCampaignId, ref_token } = promoterCampaign;
    const promoCode = {
      code: `${ref_token.toUpperCase()}-10`,
      reward_id: reward.id,
      promoter_campaign_id: promoterCampaignId,
      description: null,
      metadata: null,
      details: null,
    };
    await context.store.transact((tx) => createPromoCode(tx, context, account.id, promoCode));
  }
}

/** Deliveries are kept for 30 days. */
const KEPT_DAYS = 28;
/** The maximum of deliveries to the webhook, and of e-mails. */
const MOST = 24;

/**
 * Makes a webhook with its latest deliveries. All of them are finished, so none is sent. The webhook's host
 * can't be registered.
 */
async function seedDeliveries(plan: SeedPlan, leads: Lead[]): Promise<void> {
  const { store, now } = plan.context;
  const webhook = await store.transact((tx) =>
    createWebhook(tx, plan.context, plan.account.id, {
      emailsOf,
      url: "https://hooks.acme.example/tidemark",
      description: "CRM",
      event_types: ["referral.created"],
    }),
  );
  const since = new Date(now.getTime() - KEPT_DAYS * DAY_MS).toISOString();
  const recent = leads.filter(({ created_at }) => created_at > since).slice(-MOST);
  const finished = await Promise.all(recent.map((lead) => webhookDelivery(plan, webhook.id, lead)));
  await store.transact(async (tx) => {
    for (const delivery of finished) await tx.put(deliveries, delivery);
  });
}

/** The number of attempts before a webhook's delivery fails for good. */
const ATTEMPTS = 10;

async function webhookDelivery(
  { context, dice }: SeedPlan,
  webhookId: number,
  lead: Lead,
): Promise<Delivery> {
  const { id: entityId, email, uid, state, account_id, created_at: at } = lead;
  const isDelivered = dice.percent(75);
  const delivery = newDelivery({
    id: await context.store.nextId("delivery"),
    owner_id: account_id,
    webhook_id: webhookId,
    lane: `referral/${entityId}`,
    created_at: at,
    message: {
      format: "v2",
      event_id: context.chance.uuid(),
      type: "referral.created",
      action: "created",
      entity: "referral",
      entity_id: entityId,
      changes: {},
      data: { id: entityId, email, uid, state, created_at: at },
      at,
    },
  });
  return isDelivered
    ? { ...delivered(delivery), response_code: 200, response_body: "ok" }
    : {
        ...delivery,
        status: "failed",
        attempts: ATTEMPTS,
        response_code: 503,
        response_body: "Service Unavailable",
        last_error: "The receiver answered 503",
        finished_at: at,
      };
}

function delivered(delivery: Delivery): Delivery {
  const { created_at } = delivery;
  return { ...delivery, status: "delivered", attempts: 1, delivered_at: created_at, finished_at: created_at };
}

/** One in so many promoters was archived. */
const PER_ARCHIVED = 25;

/** Archives a few promoters. */
async function archiveSome({ context, account }: SeedPlan, seeded: SeedPromoter[]): Promise<void> {
  for (let at = PER_ARCHIVED - 1; at < seeded.length; at += PER_ARCHIVED) {
    await context.store.transact((tx) => archivePromoter(tx, context, account.id, seeded[at]!.promoter.id));
  }
}
