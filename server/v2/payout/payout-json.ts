import { z } from "zod";
import { PAYOUT_STATUSES, type Payout } from "../../domain/payout/payout.ts";
import { UNITS } from "../../domain/money/money.ts";
import type { Campaign } from "../../domain/campaign/campaign.ts";
import type { PayoutMethod } from "../../domain/payout-method/payout-method.ts";
import type { Promoter } from "../../domain/promoter/promoter.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import { payoutMethodAnswer, payoutMethodJson } from "./payout-method-json.ts";

const instant = z.iso.datetime();

/** @see docs/spec/v2.md "Payout" */
export const payoutAnswer = z
  .object({
    id: z.int(),
    status: z.enum(PAYOUT_STATUSES),
    amount: z.number(),
    payments_batch_id: z.int().nullable(),
    tax_rate: z.number(),
    unit: z.enum(UNITS),
    period_start: instant,
    period_end: instant,
    paid_at: instant.nullable(),
    processing_started_at: instant.nullable(),
    failed_at: instant.nullable(),
    error: z.string().nullable(),
    total_incl_tax: z.number(),
    created_at: instant,
    payout_method: payoutMethodAnswer.nullable(),
    promoter: embeddedPromoter,
    campaign: embeddedCampaign,
  })
  .meta({ id: "Payout" });

/** A payout with the other records that it shows. */
export interface PayoutParts {
  payout: Payout;
  promoter: Promoter;
  campaign: Campaign;
  /** null: the promoter has selected none. */
  method: PayoutMethod | null;
}

/** A payout. Amounts are cents of `cash`, or whole units of another kind. */
export function payoutJson({
  payout,
  promoter,
  campaign,
  method,
}: PayoutParts): z.output<typeof payoutAnswer> {
  return {
    id: payout.id,
    status: payout.status,
    amount: payout.amount,
    payments_batch_id: payout.paymentsBatchId,
    tax_rate: payout.taxRateHundredths / 100,
    unit: payout.unit,
    period_start: payout.periodStart,
    period_end: payout.periodEnd,
    paid_at: payout.paidAt,
    processing_started_at: payout.processingStartedAt,
    failed_at: payout.failedAt,
    error: payout.error,
    total_incl_tax: payout.totalInclTax,
    created_at: payout.createdAt,
    payout_method: method && payoutMethodJson(method),
    promoter: embeddedPromoterJson(promoter),
    campaign: embeddedCampaignJson(campaign),
  };
}
