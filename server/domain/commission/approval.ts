import type { Account } from "../account/account.ts";
import { daysLater, timeZoneOf } from "../account/time-zone.ts";
import type { Lead } from "../lead/record.ts";
import type { Unit } from "../money/money.ts";
import type { Transaction } from "../../storage/store.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import type { Commission } from "./record.ts";

/** The facts that decide whether a new commission needs approval. */
interface NewEarning {
  account: Account;
  lead: Lead;
  campaignId: number;
  unit: Unit;
  /** Before it was split. The account's maximum is about what the sale earned, not about each part. */
  wholeAmount: number;
  /** When it was earned. */
  at: Date;
}

/**
 * Whether a new commission counts at once, waits for its day, or waits for somebody's approval.
 *
 * @see docs/spec/money.md "Approval"
 */
export async function approvalOf(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  { account, lead, campaignId, unit, wholeAmount, at }: NewEarning,
): Promise<Pick<Commission, "status" | "approveAt">> {
  const campaign = await loadCampaign(tx, account.id, campaignId);
  const { maxAutoApproveCents } = account;
  const isSuspect = lead.suspicion !== "no_suspicion";
  const isLarge = maxAutoApproveCents !== null && unit === "cash" && wholeAmount > maxAutoApproveCents;
  if (!campaign.autoApproveCommissions || isSuspect || isLarge) return { status: "pending", approveAt: null };
  const approveAt = daysLater(timeZoneOf(account), at, campaign.commissionHoldDays);
  const isHeld = campaign.commissionHoldDays > 0 && approveAt > now;
  return isHeld
    ? { status: "pending", approveAt: approveAt.toISOString() }
    : { status: "approved", approveAt: null };
}
