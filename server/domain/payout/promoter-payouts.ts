import type { Payout, PayoutStatus } from "./record.ts";
import type { Store } from "../../storage/store.ts";
import { findPage, type Found, type Window } from "../../storage/listing/page-search.ts";
import { payouts } from "./payout.ts";

/** The conditions for listed payouts. null: any. */
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
export function listPayouts(
  store: Store,
  { accountId, scope, page }: { accountId: number; scope: PayoutScope; page: Window },
): Promise<Found<Payout>> {
  const { status, promoterId, campaignId } = scope;
  const filters = { status, promoter: promoterId, campaign: campaignId };
  const named = Object.entries(filters).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  const index = INDEXES[named.map(({ name }) => name).join(" ") as keyof typeof INDEXES];
  return findPage(store, payouts, { accountId, index, start: named.map(({ value }) => value), ...page });
}
