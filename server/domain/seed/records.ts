import { LEAD_STATES, type Lead } from "../lead/record.ts";
import { PAYOUT_METHODS, type PayoutMethod } from "../payout-method/record.ts";
import { PAYOUT_STATUSES, type Payout } from "../payout/record.ts";
import type { Commission } from "../commission/record.ts";
import { newCommission } from "../commission/commission.ts";
import { newLead } from "../lead/lead.ts";
import type { Promoter } from "../promoter/record.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import { newProfile } from "../promoter/profile.ts";
import { newPromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { COUNTRIES, FIRST_NAMES, LAST_NAMES, PLANS, type Dice } from "./values.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SPREAD_DAYS = 365;

/** The account and the dice that a seeded program is made with. */
export interface SeedPlan {
  accountId: number;
  campaignId: number;
  netPayoutDays: number;
  now: Date;
  dice: Dice;
}

/** A promoter with their promoter campaign and payout method. */
export interface Member {
  promoter: Promoter;
  promoterCampaign: PromoterCampaign;
  /** null: the promoter has set none. */
  payoutMethod: PayoutMethod | null;
}

/** Makes a believable promoter. */
export function newMember(
  plan: SeedPlan,
  ids: { id: number; promoterCampaignId: number; payoutMethodId: number },
): Member {
  const { accountId, campaignId, dice } = plan;
  const { id, promoterCampaignId, payoutMethodId } = ids;
  const firstName = dice.pick(FIRST_NAMES);
  const lastName = dice.pick(LAST_NAMES);
  const createdAt = daysAgo(plan, SPREAD_DAYS + dice.number(SPREAD_DAYS));
  return {
    promoter: newPromoter(plan, {
      id,
      email: `${firstName}.${lastName}.${id}@example.com`.toLowerCase(),
      defaultPromoterCampaignId: promoterCampaignId,
      profile: newProfile({ firstName, lastName, country: dice.pick(COUNTRIES) }),
      createdAt,
    }),
    promoterCampaign: newPromoterCampaign({
      accountId,
      id: promoterCampaignId,
      campaignId,
      promoterId: id,
      state: dice.percent(95) ? "accepted" : "pending",
      refToken: `${firstName}${id}`.toLowerCase(),
      createdAt,
    }),
    payoutMethod: dice.percent(80)
      ? { ...newPayoutMethod(plan), id: payoutMethodId, promoterId: id, createdAt }
      : null,
  };
}

type Person = Pick<Promoter, "id" | "email" | "defaultPromoterCampaignId" | "profile" | "createdAt">;

function newPromoter({ accountId, dice }: SeedPlan, person: Person): Promoter {
  return {
    ...person,
    accountId,
    custId: dice.percent(50) ? `user_${person.id}` : null,
    note: null,
    tempPasswordHash: null,
    authToken: `seeded${String(person.id).padStart(26, "0")}`,
    parentPromoterId: null,
    customFields: null,
    fraudSuspicions: dice.percent(4) ? ["same_ip_suspicion"] : [],
    trackAdTraffic: null,
    skipEmailNotification: true,
    invoiceDetailsStatus: dice.pick(["pending", "approved", "approved", "denied"]),
    netPayoutDays: null,
    taxRateHundredths: dice.pick([0, 0, 1_900, 2_000]),
    lastLoginAt: null,
    archivedAt: null,
  };
}

/** Makes a believable lead of one of the members, on a past day. As in real programs, few members bring many. */
export function leadOf(plan: SeedPlan, members: Member[], ids: { id: number; eventId: number }): Lead {
  const { dice, accountId } = plan;
  const { promoterCampaign } = members[
    Math.min(dice.number(members.length), dice.number(members.length))
  ] as Member;
  const createdAt = daysAgo(plan, 1 + dice.number(SPREAD_DAYS));
  const state = dice.pick(LEAD_STATES);
  const isCustomer = state === "active" || state === "cancelled";
  return newLead({
    accountId,
    id: ids.id,
    promoterCampaignId: promoterCampaign.id,
    promoterId: promoterCampaign.promoterId,
    campaignId: promoterCampaign.campaignId,
    state,
    email: `lead-${ids.id}@example.com`,
    uid: `cus_${ids.id}`,
    planName: isCustomer ? dice.pick(PLANS) : null,
    suspicion: dice.percent(3) ? "same_ip_suspicion" : "no_suspicion",
    signupEventId: ids.eventId,
    skipEmailNotification: true,
    customerSince: isCustomer ? createdAt : null,
    cancelledAt: state === "cancelled" ? createdAt : null,
    createdAt,
  });
}

/** Makes a believable payout of one of the members, for one of the last twelve months. */
export function newPayout(plan: SeedPlan, members: Member[], id: number): Payout {
  const { dice, accountId, now } = plan;
  const { promoter, promoterCampaign, payoutMethod } = dice.pick(members);
  const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - dice.number(12), 1) - 1);
  const status = dice.pick(PAYOUT_STATUSES);
  const amount = 500 + dice.number(100_000);
  const at = end.toISOString();
  return {
    accountId,
    id,
    promoterCampaignId: promoterCampaign.id,
    promoterId: promoter.id,
    campaignId: promoterCampaign.campaignId,
    status,
    unit: "cash",
    amount,
    taxRateHundredths: promoter.taxRateHundredths,
    totalInclTax: amount + Math.round((amount * promoter.taxRateHundredths) / 10_000),
    periodStart: new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth(), 1)).toISOString(),
    periodEnd: at,
    dueDate: new Date(end.getTime() + plan.netPayoutDays * DAY_MS).toISOString().slice(0, 10),
    hasOwnTerms: false,
    runId: null,
    groupRef: `run-${at.slice(0, 7)}`,
    paymentsBatchId: null,
    payoutMethodId: status === "pending" || status === "cancelled" ? null : (payoutMethod?.id ?? null),
    error: status === "failed" ? "The account does not exist" : null,
    paidAt: status === "completed" ? at : null,
    processingStartedAt: status === "processing" ? at : null,
    failedAt: status === "failed" ? at : null,
    createdAt: at,
  };
}

/** Makes the commission that earned the payout, on the last day of its period. */
export function commissionOf(payout: Payout, id: number): Commission {
  const { accountId, promoterCampaignId, promoterId, campaignId, unit, amount } = payout;
  return newCommission({
    accountId,
    id,
    promoterCampaignId,
    promoterId,
    campaignId,
    type: "sale",
    unit,
    amount,
    eventId: `seeded-${id}`,
    saleCents: 5 * amount,
    payoutId: payout.status === "cancelled" ? null : payout.id,
    createdAt: payout.periodEnd,
  });
}

function newPayoutMethod({ accountId, dice }: SeedPlan) {
  const method = dice.pick(PAYOUT_METHODS);
  return {
    accountId,
    method,
    details: {},
    meta: {},
    isSelected: true,
    isDisabled: dice.percent(5),
    isManaged: false,
  };
}

function daysAgo({ now }: SeedPlan, days: number): string {
  return new Date(now.getTime() - days * DAY_MS).toISOString();
}
