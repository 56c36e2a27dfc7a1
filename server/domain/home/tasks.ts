import { lengthCounter } from "../../storage/collection.ts";
import type { Store } from "../../storage/store.ts";
import { SYSTEM } from "../account/record.ts";
import { commissions, PENDING_CENTS } from "../commission/commission.ts";
import { PROPOSED_LEADS, SUSPICIOUS_LEADS } from "../lead/lead-counts.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { countWaitingEvents, type WaitingCount } from "../sale/waiting.ts";
import { loadLate, type Backlog } from "../webhook/backlog.ts";
import { countEmails, deliveries } from "../webhook/delivery.ts";
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

/** Counts the tasks of an account. Their cost does not grow with its leads or commissions. */
export async function countTasks(store: Store, accountId: number, now: Date): Promise<Tasks> {
  const [promoters, proposed, suspicious, pending, cents, payouts, failing, waiting] = await Promise.all([
    store.sum(accountId, lengthCounter(promoterCampaigns, "state", ["pending"])),
    store.sum(accountId, PROPOSED_LEADS),
    store.sum(accountId, SUSPICIOUS_LEADS),
    store.sum(accountId, lengthCounter(commissions, "status", ["pending"])),
    store.sum(accountId, PENDING_CENTS),
    pendingPayouts(store, accountId),
    countFailingWebhooks(store, accountId),
    countWaitingEvents(store, accountId),
  ]);
  const late = await loadLate(store, accountId, now);
  const emails = await countEmails(store, accountId);
  return {
    pendingPromoters: { count: promoters },
    proposedLeads: { count: proposed },
    suspiciousLeads: { count: suspicious },
    pendingCommissions: { count: pending, cents },
    pendingPayouts: payouts,
    failingWebhooks: { count: failing },
    waitingEvents: waiting,
    lateDeliveries: late,
    heldEmails: { count: emails.held },
  };
}

async function pendingPayouts(store: Store, accountId: number): Promise<Tasks["pendingPayouts"]> {
  const found = { count: 0, centsInclTax: 0 };
  const inMoney = new Set<unknown>();
  for await (const sums of store.sums(accountId, ["payout.grouped", "pending"])) {
    for (const [[promoterId, , metric], sum] of sums) {
      if (metric === "count" || metric === "centsInclTax") found[metric] += sum;
      if (metric === "centsInclTax" && sum > 0) inMoney.add(promoterId);
    }
  }
  return { ...found, promotersCount: inMoney.size };
}

/** How many active webhooks fail. A webhook fails if its latest attempt did. */
export async function countFailingWebhooks(store: Store, accountId: number): Promise<number> {
  let count = 0;
  for await (const chunk of store.scan(webhooks, "id", accountId, [])) {
    for (const { id, isActive } of chunk) {
      if (!isActive) continue;
      const latest = await store.page(deliveries, "webhook", SYSTEM, [id], { limit: LOOKED_AT });
      const tried = latest.find(({ status }) => status !== "pending");
      if (tried?.status === "failed" || tried?.status === "retrying") count += 1;
    }
  }
  return count;
}
