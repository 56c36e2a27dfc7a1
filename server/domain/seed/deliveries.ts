import type { Email } from "../email/email.ts";
import type { Lead } from "../lead/lead.ts";
import { deliveries, newDelivery } from "../webhook/delivery.ts";
import { createWebhook, type Delivery } from "../webhook/webhook.ts";
import type { Member } from "./members.ts";
import { DAY_MS, type SeedPlan } from "./plan.ts";

/** Deliveries are kept for 30 days. */
const KEPT_DAYS = 28;
/** The most deliveries to the webhook, and the most e-mails. */
const MOST = 24;
/** A webhook gives up after so many attempts. */
const ATTEMPTS = 10;

/**
 * Makes a webhook with its latest deliveries, and the e-mails of that time. All of them are finished, so none is sent.
 * The webhook's host is one that nobody can register.
 */
export async function seedDeliveries(
  plan: SeedPlan,
  { members, leads }: { members: Member[]; leads: Lead[] },
): Promise<void> {
  const { store, now } = plan.context;
  const webhook = await createWebhook(plan.context, plan.account.id, {
    url: "https://hooks.acme.example/tidemark",
    description: "CRM",
    eventTypes: ["referral.created"],
  });
  const since = new Date(now.getTime() - KEPT_DAYS * DAY_MS).toISOString();
  const recent = leads.filter(({ createdAt }) => createdAt > since).slice(-MOST);
  const finished = await Promise.all([
    ...recent.map((lead) => webhookDelivery(plan, webhook.id, lead)),
    ...recent.map((lead) => mailDelivery(plan, lead, members)),
  ]);
  await store.transact(async (tx) => {
    for (const delivery of finished) await tx.put(deliveries, delivery);
  });
}

async function webhookDelivery(
  { context, dice }: SeedPlan,
  webhookId: number,
  lead: Lead,
): Promise<Delivery> {
  const { id: entityId, email, uid, state, accountId, createdAt: at } = lead;
  const isDelivered = dice.percent(75);
  const delivery = newDelivery({
    id: await context.store.nextId("delivery"),
    ownerId: accountId,
    webhookId,
    lane: `referral/${entityId}`,
    createdAt: at,
    message: {
      format: "v2",
      eventId: context.chance.uuid(),
      type: "referral.created",
      action: "created",
      entity: "referral",
      entityId,
      changes: {},
      data: { id: entityId, email, uid, state, created_at: at },
      at,
    },
  });
  return isDelivered
    ? { ...delivered(delivery), responseCode: 200, responseBody: "ok" }
    : {
        ...delivery,
        status: "failed",
        attempts: ATTEMPTS,
        responseCode: 503,
        responseBody: "Service Unavailable",
        lastError: "The receiver answered 503",
        finishedAt: at,
      };
}

async function mailDelivery(
  { context: { store } }: SeedPlan,
  { id, accountId, promoterId, createdAt }: Lead,
  members: Member[],
): Promise<Delivery> {
  const to = members.find(({ promoter }) => promoter.id === promoterId)?.promoter.email ?? "";
  const email: Email = { kind: "new_referral", promoterId, to, values: {} };
  const delivery = newDelivery({
    id: await store.nextId("delivery"),
    ownerId: accountId,
    lane: `referral/${id}`,
    createdAt,
    email,
  });
  return delivered(delivery);
}

function delivered(delivery: Delivery): Delivery {
  const { createdAt } = delivery;
  return { ...delivery, status: "delivered", attempts: 1, deliveredAt: createdAt, finishedAt: createdAt };
}
