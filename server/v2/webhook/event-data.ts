import { z } from "zod";
import { ENTITIES, EVENT_MEANINGS, EVENT_TYPES, type Entity } from "../../domain/events/event-type.ts";
import { commissionAnswer } from "../commission/commission-json.ts";
import { documentAnswer } from "../contract/contract-json.ts";
import { embeddedPromoter, embeddedPromoterCampaign } from "../embedded-json.ts";
import { eventBody } from "./event-json.ts";
import { paymentsBatchAnswer } from "../payments-batch/payments-batch-json.ts";
import { payoutAnswer } from "../payout/payout-json.ts";
import { payoutMethodAnswer } from "../payout/payout-method-json.ts";
import { promoCodeAnswer } from "../promo-code/promo-codes.ts";
import { promoterCampaignAnswer } from "../promoter-campaign/promoter-campaign-json.ts";
import { promoterAnswer } from "../promoter/promoter-json.ts";
import { referralAnswer } from "../referral/referral-json.ts";
import { field } from "../../http/fields.ts";
import { custId } from "../../input/common-fields.ts";

/** The promoter of a record, or null if deleted. */
const owner = field(
  embeddedPromoter
    .extend({
      cust_id: custId,
    })
    .meta({ id: "EventPromoter" })
    .nullable(),
  "The promoter, or null if they were deleted.",
);

const ownerCampaign = embeddedPromoterCampaign.extend({ promoter: owner });

/** The form of `data` for each kind of record: as V2 shows it, with the promoter's `cust_id`. */
const EVENT_DATA: Record<Entity, z.ZodObject> = {
  commission: commissionAnswer
    .extend({ promoter_campaign: field(ownerCampaign, "The promoter campaign that earned it.") })
    .meta({ id: "CommissionEventData" }),
  contract_document: documentAnswer.extend({ promoter: owner }).meta({ id: "ContractDocumentEventData" }),
  promoter: promoterAnswer,
  promoter_campaign: promoterCampaignAnswer
    .extend({ promoter: owner })
    .meta({ id: "PromoterCampaignEventData" }),
  referral: referralAnswer
    .extend({ promoter_campaign: field(ownerCampaign, "The promoter campaign that the lead belongs to.") })
    .meta({ id: "ReferralEventData" }),
  promo_code: promoCodeAnswer.extend({ promoter: owner }).meta({ id: "PromoCodeEventData" }),
  payments_batch: paymentsBatchAnswer,
  payout: payoutAnswer.extend({ promoter: owner }).meta({ id: "PayoutEventData" }),
  payout_method: payoutMethodAnswer.extend({ promoter: owner }).meta({ id: "PayoutMethodEventData" }),
};

/** The event types and their bodies, for the OpenAPI document. */
export const EVENTS = { types: EVENT_TYPES, bodyOf, meaningOf: (type: string) => EVENT_MEANINGS[type] };

function bodyOf(type: string): z.ZodObject {
  const entity = type.replace(/\..*/, "");
  const known = ENTITIES.find((each) => each === entity);
  return eventBody.extend({
    event_type: field(z.literal(type), "What happened."),
    entity_type: field(z.literal(entity), "What kind of record it happened to."),
    data: field(
      known === undefined ? eventBody.shape.data : EVENT_DATA[known],
      "The record, as V2 shows it.",
    ),
  });
}
