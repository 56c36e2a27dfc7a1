import type { Commission } from "./record.ts";
import { collection, listCounts, type Count } from "../../storage/collection.ts";
import { balanceCounts } from "./balance.ts";
import { BELONGING_INDEXES } from "../promoter-campaign/belonging.ts";
import { factCounts, type Fact } from "../report/stats.ts";

export const commissions = collection<Commission>()({
  name: "commission",
  id: (commission) => [commission.id],
  claims: {},
  indexes: {
    ...BELONGING_INDEXES,
    lead: ({ leadId }) => (leadId === null ? null : [leadId]),
  },
  counts: (commission) => [
    ...(commission.leadId === null ? [] : listCounts("commission", { lead: [commission.leadId] })),
    ...factCounts(commission, commissionFacts(commission)),
    ...earned(commission),
  ],
});

/**
 * The counts of a commission in the reports. There are no records of sales yet, so the commission also counts its
 * sale. A payout counts what it paid by itself.
 */
function commissionFacts(commission: Commission): Fact[] {
  const { createdAt: at, conversionCents, amount } = commission;
  const facts: Fact[] = [{ metric: "commissions", at: null }];
  if (conversionCents > 0) {
    facts.push({ metric: "sales", at }, { metric: "salesCents", at, amount: conversionCents });
  }
  if (commission.status !== "approved" || commission.unit !== "cash") return facts;
  facts.push({ metric: "earningsCents", at, amount });
  if (commission.isPaidElsewhere) facts.push({ metric: "paidCents", at, amount });
  return facts;
}

function earned(commission: Commission): Count[] {
  const { status, amount, isPaidElsewhere } = commission;
  if (status !== "approved") return [];
  return balanceCounts(commission, { earnings: amount, paid: isPaidElsewhere ? amount : 0 });
}
