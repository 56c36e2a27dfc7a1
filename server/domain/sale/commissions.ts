import type { Account } from "../account/account.ts";
import type { Lead } from "../lead/lead.ts";
import type { Transaction } from "../../storage/store.ts";
import { approvalOf } from "../commission/review.ts";
import {
  commissions,
  newCommission,
  type Commission,
  type CommissionNotes,
} from "../commission/commission.ts";
import type { Earning } from "../commission/earnings.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { ensureNonCashPayout } from "../payout/creation.ts";
import { loadPromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import type { Sale } from "./record.ts";

/** The sale that earns commissions, and when it does so. */
export interface EarningEvent {
  account: Account;
  lead: Lead;
  sale: Sale;
  /** The sale's instant, or that of a later instalment. */
  at: Date;
  /** Notes on each commission. */
  notes?: CommissionNotes | undefined;
  /** Whether promoters get no e-mail about the commissions. */
  isSilent?: boolean;
}

/** Writes the commissions of a sale, each with the terms that made it and with what is left of the sale. */
export async function addCommissions(
  tx: Transaction,
  context: Pick<Context, "store" | "now" | "isHistory">,
  { earnings, ...event }: EarningEvent & { earnings: Earning[] },
): Promise<Commission[]> {
  const added: Commission[] = [];
  for (const earning of earnings) {
    const id = await context.store.nextId("commission");
    const commission = await commissionOf(tx, context, { ...event, earning, id });
    await tx.insert(commissions, commission);
    await announce(tx, context, { entity: "commission", before: null, after: commission });
    added.push(await ensureNonCashPayout(tx, context, commission));
  }
  return added;
}

async function commissionOf(
  tx: Transaction,
  context: Pick<Context, "store" | "now" | "isHistory">,
  event: EarningEvent & { earning: Earning; id: number },
): Promise<Commission> {
  const { lead, sale, earning, at } = event;
  const { accountId } = sale;
  const owner = await loadPromoterCampaign(tx, accountId, earning.promoterCampaignId);
  return newCommission({
    accountId,
    id: event.id,
    promoterCampaignId: owner.id,
    promoterId: owner.promoterId,
    campaignId: owner.campaignId,
    leadId: lead.id,
    type: "sale",
    unit: earning.unit,
    amount: earning.amount,
    saleId: sale.id,
    origin: sale.origin,
    eventId: sale.eventId,
    saleCents: sale.amountCents - sale.refundedCents,
    originalSaleAmount: sale.originalAmount - sale.refundedOriginalAmount,
    originalSaleCurrency: sale.originalCurrency,
    planId: sale.planId,
    billingPeriod: sale.billingPeriod,
    tierLevel: earning.tierLevel,
    rewardId: earning.reward.id,
    rewardName: earning.reward.name,
    terms: earning.terms,
    ...(earning.targetRules && { targetRules: earning.targetRules }),
    splitTenThousandths: earning.splitTenThousandths,
    ...(earning.isShare && { staysOnMove: true as const }),
    suspicion: lead.suspicion,
    isSelfReferral: lead.suspicion === "same_promoter_email",
    createdAt: at.toISOString(),
    ...(event.isSilent && { isSilent: true as const }),
    ...event.notes,
    ...(await approvalOf(tx, context, { ...event, ...earning, campaignId: owner.campaignId })),
  });
}
