import type { Entity, EntityRecords, Fact, RecordChange } from "./event-type.ts";
import type { Table } from "../../storage/table.ts";
import type { Reader } from "../../storage/store.ts";
import { commissions } from "../commission/commission.ts";
import { leads } from "../lead/lead.ts";
import { paymentsBatches } from "../payments-batch/batch.ts";
import { payouts } from "../payout/payout.ts";
import { payoutMethods } from "../payout-method/payout-method.ts";
import { promoCodes } from "../promo-code/promo-code.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { promoters } from "../promoter/promoter.ts";

const COLLECTIONS: { [E in Entity]: Table<EntityRecords[E]> } = {
  commission: commissions,
  payments_batch: paymentsBatches,
  payout: payouts,
  payout_method: payoutMethods,
  promo_code: promoCodes,
  promoter: promoters,
  promoter_campaign: promoterCampaigns,
  referral: leads,
};

/** The change that a fact is about. null: its record is gone. */
export async function recordChangeOf(reader: Reader, fact: Fact): Promise<RecordChange | null> {
  const { entity, before, after } = fact;
  if (before !== null || after !== null) return fact as Fact & RecordChange;
  const made = await recordOf(reader, entity, fact);
  return made && ({ entity, before, after: made } as RecordChange);
}

function recordOf<E extends Entity>(
  reader: Reader,
  entity: E,
  { ownerId, entityId }: Fact,
): Promise<EntityRecords[E] | null> {
  return reader.get<EntityRecords[E]>(COLLECTIONS[entity], ownerId, entityId);
}
