import { sql, type SqlBool } from "kysely";
import type { Schema } from "../storage/query.ts";
import type { Store } from "../storage/store.ts";
import type { Account } from "./program/account/account.ts";
import { isNamed } from "./program/account/brand.ts";
import { SYSTEM } from "./context.ts";
import { campaigns } from "./program/campaign/campaign.ts";
import { commissions } from "./ledger/commission/commission.ts";
import { leads } from "./people/lead/lead.ts";
import { payments } from "./ledger/payment/payment.ts";
import { payoutHolds } from "./ledger/payout-method/changes.ts";
import type { payouts } from "./ledger/payout/payout.ts";
import { promoterCampaigns } from "./people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "./people/promoter/promoter.ts";
import { loadAccountStats } from "./people/daily.ts";
import { countWaitingEvents, type WaitingCount } from "./ledger/sale/waiting.ts";
import { findSetup, findSightings } from "./people/sighting.ts";
import { visitors } from "./people/visitor/visitor.ts";
import { countHeld, loadLate, type Backlog } from "./events/webhook/backlog.ts";
import { deliveries } from "./events/webhook/delivery.ts";
import { webhooks } from "./events/webhook/webhook.ts";

/** The tasks that wait for the company. Amounts are cash, in cents. */
export interface Tasks {
  pendingPromoters: { count: number };
  proposedLeads: { count: number };
  suspiciousLeads: { count: number };
  pendingCommissions: { count: number; cents: number };
  /**
   * `promotersCount`: those who wait for money. Payouts in other units are counted, but they are no money.
   */
  pendingPayouts: { count: number; promotersCount: number; cents: number; centsInclTax: number };
  failingWebhooks: { count: number };
  waitingEvents: WaitingCount;
  /** Events and e-mails that have waited for longer than usual. */
  lateDeliveries: Backlog;
  /** Payments whose outcome is unknown. */
  undecidedPayments: { count: number };
  /** Promoters who say that someone else has changed their payout method. */
  heldPayouts: { count: number };
  /** E-mails held until mail is set up. */
  heldEmails: { count: number };
}

/** Counts the tasks of an account. Indexes contain the waiting records, so that no others are read. */
export async function countTasks(store: Store, accountId: number, now: Date): Promise<Tasks> {
  const [promoters, proposed, suspicious, pending, cents, payouts, failing, waiting] = await Promise.all([
    store.count(promoterCampaigns, "state", accountId, ["pending"]),
    store.count(leads, "proposals", accountId, []),
    store.count(leads, "suspicious", accountId, []),
    store.count(commissions, "pending", accountId, []),
    pendingCents(store, accountId),
    pendingPayouts(store, accountId),
    countFailingWebhooks(store, accountId),
    countWaitingEvents(store, accountId),
  ]);
  const late = await loadLate(store, accountId, now);
  return {
    pendingPromoters: { count: promoters },
    proposedLeads: { count: proposed },
    suspiciousLeads: { count: suspicious },
    pendingCommissions: { count: pending, cents },
    pendingPayouts: payouts,
    failingWebhooks: { count: failing },
    waitingEvents: waiting,
    lateDeliveries: late,
    undecidedPayments: { count: await store.count(payments, "review", accountId, []) },
    heldPayouts: { count: await store.count(payoutHolds, "open", accountId, []) },
    heldEmails: { count: await countHeld(store, accountId) },
  };
}

/** The number of a webhook's newest deliveries to check. */
const LOOKED_AT = 20;

/** How many active webhooks fail. A webhook fails if its latest attempt did. */
export async function countFailingWebhooks(store: Store, accountId: number): Promise<number> {
  let count = 0;
  for await (const chunk of store.scan(webhooks, "id", accountId, [])) {
    for (const { id, is_active } of chunk) {
      if (!is_active) continue;
      const latest = await store.page(deliveries, "webhook", SYSTEM, [id], {
        limit: LOOKED_AT,
        reverse: true,
      });
      const tried = latest.find(({ status }) => status !== "pending");
      if (tried?.status === "failed" || tried?.status === "retrying") count += 1;
    }
  }
  return count;
}

/** The steps of setting up an account. True: done. */
interface SetupSteps {
  /** A page on another site loads the script. */
  script: boolean;
  /** The company has chosen the name that promoters see. */
  name: boolean;
  /** A campaign leads to a page other than the demo. */
  landingPage: boolean;
  /** A campaign gives its promoters a reward. */
  reward: boolean;
  promoter: boolean;
  click: boolean;
  lead: boolean;
  sale: boolean;
  webhook: boolean;
  /** The server can send e-mails. */
  mail: boolean;
}

/** The set-up steps that an account has done. */
export async function findSetupSteps(
  store: Store,
  account: Account,
  publicUrl: string,
): Promise<{ steps: SetupSteps; hasCustomer: boolean }> {
  const { id } = account;
  const [stats, scripts, setup, someVisitors, someWebhooks, somePromoters, done] = await Promise.all([
    loadAccountStats(store, id),
    findSightings(store, SYSTEM, "script"),
    findSetup(store),
    store.page(visitors, "id", id, [], { limit: 1 }),
    store.page(webhooks, "id", id, [], { limit: 1 }),
    store.page(promoters, "archived", id, [0], { limit: 1 }),
    stepsOfCampaigns(store, id, publicUrl),
  ]);
  const steps = {
    script: scripts.length > 0,
    name: isNamed(account),
    ...done,
    promoter: somePromoters.length > 0,
    // A lead came by a click or needs none.
    click: someVisitors.length > 0 || stats.referrals > 0,
    lead: stats.referrals > 0,
    sale: stats.sales > 0,
    webhook: someWebhooks.length > 0,
    mail: setup?.has_mail ?? false,
  };
  return { steps, hasCustomer: stats.customers > 0 };
}

/** Pending commissions in cash, in cents. */
async function pendingCents(store: Store, accountId: number): Promise<number> {
  const query = store
    .query<Schema<{ commissions: typeof commissions }>>()
    .selectFrom("commissions")
    .select(sql<number>`coalesce(sum(amount), 0)`.as("cents"))
    .where("account_id", "=", accountId)
    .where(sql<SqlBool>`status = 'pending'`)
    .where("unit", "=", "cash");
  const [found] = await store.rows(query);
  return Number(found?.cents);
}

async function pendingPayouts(store: Store, accountId: number): Promise<Tasks["pendingPayouts"]> {
  const inclTax = sql`case when unit = 'cash' then total_incl_tax else 0 end`;
  const query = store
    .query<Schema<{ payouts: typeof payouts }>>()
    .selectFrom("payouts")
    .select([
      sql<number>`count(*)`.as("length"),
      sql<number>`coalesce(sum(case when unit = 'cash' then amount else 0 end), 0)`.as("cents"),
      sql<number>`coalesce(sum(${inclTax}), 0)`.as("incl_tax"),
      sql<number>`count(distinct case when ${inclTax} > 0 then promoter_id end)`.as("promoters"),
    ])
    .where("account_id", "=", accountId)
    .where("status", "=", "pending");
  const [found] = await store.rows(query);
  return {
    count: Number(found?.length),
    promotersCount: Number(found?.promoters),
    cents: Number(found?.cents),
    centsInclTax: Number(found?.incl_tax),
  };
}

/** The set-up steps that the account's campaigns have done. */
async function stepsOfCampaigns(
  store: Store,
  accountId: number,
  publicUrl: string,
): Promise<Pick<SetupSteps, "landingPage" | "reward">> {
  const done = { landingPage: false, reward: false };
  for await (const chunk of store.scan(campaigns, "id", accountId, [])) {
    done.landingPage ||= chunk.some(({ landing_url }) => landing_url !== `${publicUrl}/demo`);
    done.reward ||= chunk.some(({ rewards_for_promoters }) => rewards_for_promoters.length > 0);
    if (done.landingPage && done.reward) break;
  }
  return done;
}
