import type { Reader } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import type { Balance } from "./commission/balance.ts";
import { commissions, type Commission } from "./commission/commission.ts";
import type { Entity } from "../events/event-type.ts";
import type { Fact } from "../events/event.ts";
import { contractDocuments, type ContractDocument } from "../people/contract/document.ts";
import { leads, type Lead } from "../people/lead/lead.ts";
import { paymentsBatches, type PaymentsBatch } from "./payments-batch/batch.ts";
import { payoutMethods, type PayoutMethod } from "./payout-method/payout-method.ts";
import { payouts, type Payout } from "./payout/payout.ts";
import { promoCodes, type PromoCode } from "../people/promo-code/promo-code.ts";
import { promoterCampaigns, type PromoterCampaign } from "../people/promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../people/promoter/promoter.ts";

/** The record of each entity. */
interface EntityRecords {
  commission: Commission;
  contract_document: ContractDocument;
  payments_batch: PaymentsBatch;
  payout: Payout;
  payout_method: PayoutMethod;
  promo_code: PromoCode;
  promoter: Promoter;
  promoter_campaign: PromoterCampaign;
  referral: Lead;
}

/**
 * A change to one record. `before` is null if it is new, `after` if it was deleted. With a `balance`, the record is a
 * promoter and only the balance changed.
 */
export type RecordChange = {
  [E in Entity]: {
    entity: E;
    before: EntityRecords[E] | null;
    after: EntityRecords[E] | null;
    /** The balance of a promoter, before and after one commit. */
    balance?: { before: Balance; after: Balance };
  };
}[Entity];

const TABLES: { [E in Entity]: Table<EntityRecords[E]> } = {
  commission: commissions,
  contract_document: contractDocuments,
  payments_batch: paymentsBatches,
  payout: payouts,
  payout_method: payoutMethods,
  promo_code: promoCodes,
  promoter: promoters,
  promoter_campaign: promoterCampaigns,
  referral: leads,
};

/** The change described by a fact, with the whole record, or null if its record is gone. */
export async function recordChangeOf(reader: Reader, fact: Fact): Promise<RecordChange | null> {
  const { entity, before, after } = fact;
  // Facts are written with whole records.
  if (before !== null || after !== null) return fact as unknown as RecordChange;
  const made = await recordOf(reader, entity, fact);
  return made && ({ entity, before, after: made } as RecordChange);
}

function recordOf<E extends Entity>(
  reader: Reader,
  entity: E,
  { ownerId, entityId }: Fact,
): Promise<EntityRecords[E] | null> {
  return reader.get<EntityRecords[E]>(TABLES[entity], ownerId, entityId);
}
