import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import type { Campaign } from "./record.ts";
import { table } from "../../storage/table.ts";
import type { Reader, Store, Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { productsNamed } from "../reward/entry.ts";
import { findPage, type Found, type Schema, type Window } from "../../storage/query.ts";

/** The parameter in links if the campaign names none. */
const DEFAULT_REF_PARAM = "via";

export const campaigns = table<Campaign>()({
  name: "campaign",
  columns: {
    id: "integer",
    name: "text",
    upgrade_campaign_id: ["integer", ({ upgrade }) => upgrade?.campaignId],
    is_private: "integer",
    rewarded_products: [
      "text",
      ({ rewardsForPromoters, rewardsForReferrals }) =>
        productsNamed([...rewardsForPromoters, ...rewardsForReferrals]),
    ],
    created_at: "text",
  },
  indexes: {
    upgrade: { on: ["upgrade_campaign_id"], where: "upgrade_campaign_id is not null" },
  },
});

/** The settings of a new campaign. Those left out get their usual values. */
export type NewCampaign = Pick<Campaign, "name" | "landingUrl"> &
  Partial<Omit<Campaign, "accountId" | "id" | "createdAt">>;

/** Makes a campaign. */
export async function createCampaign(
  context: Context,
  accountId: number,
  input: NewCampaign,
): Promise<Campaign> {
  const id = await context.store.nextId("campaign");
  return context.store.transact((tx) => putCampaign(tx, context.now, { ...input, accountId, id }));
}

/** Writes a new campaign as part of a larger change. */
export async function putCampaign(
  tx: Transaction,
  now: Date,
  input: NewCampaign & Pick<Campaign, "accountId" | "id">,
): Promise<Campaign> {
  const campaign = newCampaign(now, input);
  await tx.put(campaigns, campaign);
  return campaign;
}

/** Makes a campaign's record without writing it. */
export function newCampaign(now: Date, input: NewCampaign & Pick<Campaign, "accountId" | "id">): Campaign {
  return {
    accountId: input.accountId,
    id: input.id,
    name: input.name,
    color: input.color ?? "#2563eb",
    landingUrl: input.landingUrl,
    refParams: input.refParams ?? [],
    visitorCookieDays: input.visitorCookieDays ?? 60,
    autoApprovePromoters: input.autoApprovePromoters ?? true,
    autoApproveCommissions: input.autoApproveCommissions ?? true,
    commissionHoldDays: input.commissionHoldDays ?? 0,
    attribution: input.attribution ?? "last",
    allowedOrigins: input.allowedOrigins ?? [],
    trackAdTraffic: input.trackAdTraffic ?? "pending",
    isPrivate: input.isPrivate ?? false,
    promotersMayAddLeads: input.promotersMayAddLeads,
    promotersMayMakePromoCodes: input.promotersMayMakePromoCodes,
    links: input.links ?? [],
    upgrade: input.upgrade ?? null,
    rewardsForPromoters: input.rewardsForPromoters ?? [],
    rewardsForReferrals: input.rewardsForReferrals ?? [],
    emails: input.emails ?? [],
    ...(input.signup && { signup: input.signup }),
    createdAt: now.toISOString(),
  };
}

/** A page of an account's campaigns, oldest first. */
export function findCampaigns(store: Store, accountId: number, window: Window): Promise<Found<Campaign>> {
  const question = store
    .question<Schema<{ campaigns: typeof campaigns }>>()
    .selectFrom("campaigns")
    .where("account_id", "=", accountId)
    .orderBy("id");
  return findPage(store, campaigns, { question, ...window });
}

/** Every campaign of an account, oldest first. */
export function listCampaigns(store: Store, accountId: number): Promise<Campaign[]> {
  return store.list(campaigns, "id", accountId, []);
}

/** @throws Failure `not_found` */
export async function loadCampaign(reader: Reader, accountId: number, id: number): Promise<Campaign> {
  const campaign = await reader.get(campaigns, accountId, id);
  if (campaign === null) throw new Failure("not_found", "Campaign not found.");
  return campaign;
}

/** The named campaign, or the account's default one. @throws Failure `not_found` */
export function loadCampaignOrDefault(
  reader: Reader,
  account: Account,
  id: number | null,
): Promise<Campaign> {
  return loadCampaign(reader, account.id, id ?? account.defaultCampaignId);
}

/** The name of the URL parameter that carries the ref token in this campaign's links. */
export function refParam(campaign: Campaign): string {
  return campaign.refParams[0] ?? DEFAULT_REF_PARAM;
}
