import { table } from "../../storage/table.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Earning } from "../commission/earnings.ts";
import type { Sale } from "./record.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Choice: ten years of weeks, or forty of months. A daily plan of a sale that was made decades ago would otherwise earn
 * thousands of commissions at once.
 */
const MOST_INSTALMENTS = 520;

/** The commissions that a client wants later, without further sales. */
export interface InstalmentPlan {
  /** Days from the sale to the first commission. null: it comes at once. */
  startInDays: number | null;
  /** Days between two commissions. null: only one comes. */
  everyDays: number | null;
  /** How many follow the first. null: until the customer leaves, at most MOST_INSTALMENTS. */
  maxCount: number | null;
}

/** The commissions of a sale that are still to come, with the terms of the sale. */
export interface Instalments {
  accountId: number;
  saleId: number;
  leadId: number;
  earnings: Earning[];
  nextAt: string;
  everyDays: number | null;
  /** How many are left. */
  leftCount: number;
}

export const instalments = table<Instalments>()({
  name: "instalment",
  key: ["sale_id"],
  columns: { sale_id: "integer", lead_id: "integer", next_at: "text" },
  indexes: { due: { on: ["next_at"] } },
});

/** Whether a sale's earning waits for the first instalment. A target is reached once, with the sale itself. */
export function comesLater(earning: Earning, plan: InstalmentPlan | null): boolean {
  return plan !== null && plan.startInDays !== null && !isTarget(earning);
}

function isTarget({ reward }: Earning): boolean {
  return reward.promoterRewardType === "target";
}

/** Records the commissions that come later. */
export async function addInstalments(
  tx: Transaction,
  { sale, plan, earnings, at }: { sale: Sale; plan: InstalmentPlan | null; earnings: Earning[]; at: Date },
): Promise<void> {
  if (plan === null || earnings.length === 0) return;
  const { startInDays, everyDays, maxCount } = plan;
  const waitDays = startInDays ?? everyDays;
  if (waitDays === null) return;
  const firstCount = startInDays === null ? 0 : 1;
  const wanted = everyDays === null ? firstCount : (maxCount ?? MOST_INSTALMENTS) + firstCount;
  const leftCount = Math.min(wanted, MOST_INSTALMENTS);
  if (leftCount === 0) return;
  await tx.insert(instalments, {
    accountId: sale.accountId,
    saleId: sale.id,
    leadId: sale.leadId,
    earnings: earnings.filter((earning) => !isTarget(earning)),
    nextAt: laterBy(at, waitDays).toISOString(),
    everyDays,
    leftCount,
  });
}

/** An instant some days later. */
export function laterBy(at: Date, days: number): Date {
  return new Date(at.getTime() + days * DAY_MS);
}
