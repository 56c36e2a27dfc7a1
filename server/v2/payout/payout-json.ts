import { z } from "zod";
import { PAYOUT_STATUSES, type Payout } from "../../domain/ledger/payout/payout.ts";
import { UNITS } from "../../domain/money.ts";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import type { PayoutMethod } from "../../domain/ledger/payout-method/payout-method.ts";
import type { Promoter } from "../../domain/people/promoter/promoter.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import { payoutMethodAnswer, payoutMethodJson } from "./payout-method-json.ts";
import { field, recordId } from "../../http/fields.ts";

const instant = z.iso.datetime();

/** @see docs/spec/v2.md "Payout" */
export const payoutAnswer = z
  .object({
    id: recordId,
    status: field(z.enum(PAYOUT_STATUSES), "State of the record."),
    amount: field(z.number(), "The amount: cents for `cash`, whole units otherwise.", 2000),
    payments_batch_id: field(
      z.int().nullable(),
      "Id of the payments batch that it is part of, or null if it is in none.",
      null,
    ),
    tax_rate: field(z.number(), "Tax in percent.", 19),
    unit: field(z.enum(UNITS), "Unit of the amount.", "cash"),
    period_start: field(instant, "First moment of the period that is paid for."),
    period_end: field(instant, "Last moment of the period that is paid for."),
    paid_at: field(instant.nullable(), "When it was paid, or null if it was not yet."),
    processing_started_at: field(instant.nullable(), "When the payment began, or null if it has not."),
    failed_at: field(instant.nullable(), "When the payment failed, or null if it did not."),
    error: field(z.string().nullable(), "Why the payment failed, or null if it did not.", null),
    total_incl_tax: field(z.number(), "The amount with tax.", 2380),
    created_at: field(instant, "When the record was created.", "2026-03-01T09:30:00.000Z"),
    payout_method: field(
      payoutMethodAnswer.nullable(),
      "How the promoter is paid, or null if they have not chosen yet.",
    ),
    promoter: field(embeddedPromoter, "The promoter, or null if they were deleted."),
    campaign: field(embeddedCampaign, "The campaign, or null if it was deleted."),
  })
  .meta({ id: "Payout" });

/** A payout with its related records. */
export interface PayoutParts {
  payout: Payout;
  promoter: Promoter;
  campaign: Campaign;
  /** Null if the promoter has selected none. */
  method: PayoutMethod | null;
}

/** A payout. Amounts are cents of `cash`, or whole units otherwise. */
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
