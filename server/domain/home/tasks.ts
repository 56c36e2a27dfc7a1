import { sql, type SqlBool } from "kysely";
import type { Schema } from "../../storage/query.ts";
import type { Store } from "../../storage/store.ts";
import { SYSTEM } from "../account/account.ts";
import { commissions } from "../commission/commission.ts";
import type { payouts } from "../payout/payout.ts";
import { leads } from "../lead/lead.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { countWaitingEvents, type WaitingCount } from "../sale/waiting.ts";
import { loadLate, type Backlog } from "../webhook/backlog.ts";
import { deliveries } from "../webhook/delivery.ts";
import { countHeld } from "../webhook/failed-deliveries.ts";
import { webhooks } from "../webhook/webhooks.ts";

/** The newest deliveries of a webhook that are looked at. */
const LOOKED_AT = 20;

/** The tasks that wait for somebody of the company. Amounts are cash, in cents. */
export interface Tasks {
  pendingPromoters: { count: number };
  proposedLeads: { count: number };
  suspiciousLeads: { count: number };
  pendingCommissions: { count: number; cents: number };
  /** `promotersCount`: those who wait for money. Payouts in other units are counted, but they are no money. */
  pendingPayouts: { count: number; promotersCount: number; centsInclTax: number };
  failingWebhooks: { count: number };
  waitingEvents: WaitingCount;
  /** Events and e-mails that have waited for longer than usual. */
  lateDeliveries: Backlog;
  /** E-mails that wait until the server can send any. */
  heldEmails: { count: number };
}

/** Counts the tasks of an account. Indexes hold those that wait, so it reads no others. */
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
    heldEmails: { count: await countHeld(store, accountId) },
  };
}

async function pendingPayouts(store: Store, accountId: number): Promise<Tasks["pendingPayouts"]> {
  const inclTax = sql`case when unit = 'cash' then total_incl_tax else 0 end`;
  const question = store
    .question<Schema<{ payouts: typeof payouts }>>()
    .selectFrom("payouts")
    .select([
      sql<number>`count(*)`.as("length"),
      sql<number>`coalesce(sum(${inclTax}), 0)`.as("incl_tax"),
      sql<number>`count(distinct case when ${inclTax} > 0 then promoter_id end)`.as("promoters"),
    ])
    .where("account_id", "=", accountId)
    .where("status", "=", "pending");
  const [found] = await store.rows(question);
  return {
    count: Number(found?.length),
    promotersCount: Number(found?.promoters),
    centsInclTax: Number(found?.incl_tax),
  };
}

/** The cash that waits for approval, in cents. */
async function pendingCents(store: Store, accountId: number): Promise<number> {
  const question = store
    .question<Schema<{ commissions: typeof commissions }>>()
    .selectFrom("commissions")
    .select(sql<number>`coalesce(sum(amount), 0)`.as("cents"))
    .where("account_id", "=", accountId)
    .where(sql<SqlBool>`status = 'pending'`)
    .where("unit", "=", "cash");
  const [found] = await store.rows(question);
  return Number(found?.cents);
}

/** How many active webhooks fail. A webhook fails if its latest attempt did. */
export async function countFailingWebhooks(store: Store, accountId: number): Promise<number> {
  let count = 0;
  for await (const chunk of store.scan(webhooks, "id", accountId, [])) {
    for (const { id, isActive } of chunk) {
      if (!isActive) continue;
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
