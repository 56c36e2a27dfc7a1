import type { Belonging } from "../promoter-campaign/record.ts";
import type { Payout } from "./record.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import type { PayoutTerms } from "./terms.ts";
import { payouts } from "./payout.ts";

/** A payout to be made. */
export interface NewPayout extends Pick<Payout, "id" | "runId" | "groupRef"> {
  terms: PayoutTerms;
  /** Choice: it belongs to the promoter campaign of its latest commission. */
  latest: Belonging;
}

/** Writes a pending payout. The caller puts its commissions into it. */
export async function insertPayout(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  given: NewPayout,
): Promise<Payout> {
  const payout = newPayout(context, given);
  await tx.insert(payouts, payout);
  await announce(tx, context, { entity: "payout", before: null, after: payout });
  return payout;
}

function newPayout({ now }: Pick<Context, "now">, { id, runId, groupRef, terms, latest }: NewPayout): Payout {
  return {
    accountId: latest.accountId,
    id,
    promoterCampaignId: latest.promoterCampaignId,
    promoterId: latest.promoterId,
    campaignId: latest.campaignId,
    status: "pending",
    ...terms,
    runId,
    groupRef,
    paymentsBatchId: null,
    payoutMethodId: null,
    error: null,
    paidAt: null,
    processingStartedAt: null,
    failedAt: null,
    createdAt: now.toISOString(),
  };
}
