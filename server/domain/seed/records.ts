import type { Lead } from "../lead/record.ts";
import { PAYOUT_METHODS, type PayoutMethod, type PayoutMethodName } from "../payout-method/record.ts";
import { newLead } from "../lead/lead.ts";
import type { Promoter } from "../promoter/record.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import { newProfile } from "../promoter/profile.ts";
import { newPromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { COUNTRIES, FIRST_NAMES, LAST_NAMES, type Dice } from "./values.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SPREAD_DAYS = 365;

/** The account and the dice that a seeded program is made with. */
export interface SeedPlan {
  accountId: number;
  campaignId: number;
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
  ids: { id: number; promoterCampaignId: number; payoutMethodId: number; parentPromoterId: number | null },
): Member {
  const { accountId, campaignId, dice } = plan;
  const { id, promoterCampaignId, payoutMethodId, parentPromoterId } = ids;
  const firstName = dice.pick(FIRST_NAMES);
  const lastName = dice.pick(LAST_NAMES);
  const createdAt = daysAgo(plan, SPREAD_DAYS + dice.number(SPREAD_DAYS));
  return {
    promoter: newPromoter(plan, {
      id,
      email: `${firstName}.${lastName}.${id}@example.com`.toLowerCase(),
      parentPromoterId,
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
      ? {
          ...newPayoutMethod(plan, { firstName, lastName, id }),
          id: payoutMethodId,
          promoterId: id,
          createdAt,
        }
      : null,
  };
}

type Person = Pick<
  Promoter,
  "id" | "email" | "parentPromoterId" | "defaultPromoterCampaignId" | "profile" | "createdAt"
>;

function newPromoter({ accountId, dice }: SeedPlan, person: Person): Promoter {
  return {
    ...person,
    accountId,
    custId: dice.percent(50) ? `user_${person.id}` : null,
    note: null,
    tempPasswordHash: null,
    authToken: `seeded${String(person.id).padStart(26, "0")}`,
    parentPromoterId: person.parentPromoterId,
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
  return newLead({
    accountId,
    id: ids.id,
    promoterCampaignId: promoterCampaign.id,
    promoterId: promoterCampaign.promoterId,
    campaignId: promoterCampaign.campaignId,
    state: dice.percent(90) ? "signup" : dice.pick(["subscribed", "denied"]),
    email: `lead-${ids.id}@example.com`,
    uid: `cus_${ids.id}`,
    suspicion: dice.percent(3) ? "same_ip_suspicion" : "no_suspicion",
    signupEventId: ids.eventId,
    skipEmailNotification: true,
    createdAt: daysAgo(plan, 1 + dice.number(SPREAD_DAYS)),
  });
}

/** The IBAN of the documentation of IBANs, which no bank pays to. */
const IBAN = "DE89370400440532013000";

function newPayoutMethod(
  { accountId, dice }: SeedPlan,
  { firstName, lastName, id }: { firstName: string; lastName: string; id: number },
) {
  const method = dice.pick(PAYOUT_METHODS);
  const address = `${firstName}.${id}@example.com`.toLowerCase();
  const details: Record<PayoutMethodName, Record<string, string>> = {
    bank: { bank_country: "DE", account_holder_name: `${firstName} ${lastName}`, iban: IBAN },
    crypto: { wallet_address: `0x${String(id).padStart(40, "0")}`, crypto_currency: "USDC" },
    custom: {},
    paypal: { wallet_email: address },
    wise: { wise_email: address },
    dots: {},
  };
  return {
    accountId,
    method,
    details: details[method],
    meta: {},
    isSelected: true,
    isDisabled: dice.percent(5),
    isManaged: false,
  };
}

function daysAgo({ now }: SeedPlan, days: number): string {
  return new Date(now.getTime() - days * DAY_MS).toISOString();
}
