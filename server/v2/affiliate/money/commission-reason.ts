import type { Commission } from "../../../domain/ledger/commission/commission.ts";
import { formatAmount } from "../../../domain/money.ts";

/** What a commission's reason is made of. */
export interface ReasonParts {
  commission: Commission;
  /** The masked address of the lead, or null if there is none. */
  who: string | null;
  /** The account's currency. */
  currency: string;
}

/** Explains in one sentence what a commission is for. */
export function commissionReason({ commission, who, currency }: ReasonParts): string {
  const { terms, takesBackId, refundId, amount, saleCents, tierLevel, rewardName } = commission;
  const { externalNote, isReplaced } = commission;
  const sale = `a sale of ${formatAmount(saleCents, "cash", currency)}${who === null ? "" : ` to ${who}`}`;
  const buyer = who === null ? "" : ` to ${who}`;
  if (takesBackId !== null && isReplaced)
    return `Taken back, because an earlier sale${buyer} has got this reward.`;
  if (takesBackId !== null && refundId === null)
    return `Corrected, because the exact amount of a sale${buyer} became known.`;
  if (takesBackId !== null && amount > 0) return `Given back, because a dispute of a sale${buyer} was won.`;
  if (takesBackId !== null) return `Taken back, because a sale${buyer} was refunded.`;
  if (terms === null) return customReason(commission, sale);
  const source = tierLevel > 1 ? `${sale} that a promoter below you made (level ${tierLevel})` : sale;
  const share = terms.isFlat
    ? `“${rewardName ?? "Reward"}” for`
    : `${terms.amountTenThousandths / 10_000}% of`;
  const note = externalNote === null ? "" : ` ${externalNote}`;
  return `${share} ${source}${splitNote(commission)}.${note}`;
}

function customReason({ type, saleCents, externalNote, rewardName }: Commission, sale: string): string {
  if (externalNote !== null) return externalNote;
  if (rewardName !== null) return `“${rewardName}”.`;
  if (type === "sale" || saleCents > 0) return `For ${sale}.`;
  return "Given to you by hand.";
}

function splitNote({ splitTenThousandths: share }: Commission): string {
  return share === null ? "" : `, of which your share is ${share / 10_000}%`;
}
