import type { Payout, PayoutStatus } from "../records.ts";
import type { Key } from "../storage/keys.ts";
import type { Store } from "../storage/store.ts";
import { payouts } from "./payout.ts";
import type { Listed } from "./scope.ts";

/** Which payouts are asked for; null: any. */
export interface PayoutScope {
  status: PayoutStatus | null;
  promoterId: number | null;
  campaignId: number | null;
}

const INDEXES = {
  "": "id",
  status: "status",
  promoter: "promoter",
  campaign: "campaign",
  "status promoter": "statusPromoter",
  "status campaign": "statusCampaign",
  "promoter campaign": "promoterAndCampaign",
  "status promoter campaign": "statusPromoterAndCampaign",
} as const;

/** A page of payouts, oldest first. */
export async function listPayouts(
  store: Store,
  {
    accountId,
    scope,
    page,
  }: { accountId: number; scope: PayoutScope; page: { limit: number; offset: number } },
): Promise<Listed<Payout>> {
  const { status, promoterId, campaignId } = scope;
  const filters = { status, promoter: promoterId, campaign: campaignId };
  const named = Object.entries(filters).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  const index = INDEXES[named.map(({ name }) => name).join(" ") as keyof typeof INDEXES];
  const start: Key = named.map(({ value }) => value);
  const total = await store.tally(payouts, accountId, index === "id" ? ["all"] : [index, ...start]);
  return { records: await store.page(payouts, index, accountId, start, { ...page, total }), total };
}
