import { accounts, SYSTEM } from "../account/account.ts";
import { commissions, isUnpaid, type Commission } from "../commission/commission.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { loadPromoter, promoters } from "../promoter/promoter.ts";
import { payoutTerms } from "./terms.ts";
import { insertPayout } from "./creation.ts";
import { unpaidOf } from "./unpaid.ts";

/**
 * Makes a payout for one approved commission in another unit than money, so that it is on the company's list of things
 * to fulfil. Write the commission first. Nothing happens for other commissions.
 *
 * Choice: while refunds have taken back more than the promoter has, the commission waits for the next run, which
 * pays the difference.
 */
export async function ensureNonCashPayout(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  commission: Commission,
): Promise<Commission> {
  const { accountId, promoterId, unit, amount, createdAt } = commission;
  if (unit === "cash" || amount <= 0 || !isUnpaid(commission)) return commission;
  if (await isIndebted(tx, commission)) return commission;
  const account = await tx.get(accounts, SYSTEM, accountId);
  if (account === null) throw new Error(`Account ${accountId} is gone`);
  const promoter = await loadPromoter(tx, accountId, promoterId);
  const now = context.now.toISOString();
  const period = { start: createdAt, end: now > createdAt ? now : createdAt };
  const terms = payoutTerms({ unit, amount }, period, { ...account, promoter });
  const { id: payoutId } = await insertPayout(tx, context, {
    id: await context.store.nextId("payout"),
    runId: null,
    groupRef: null,
    terms: { ...terms, hasOwnTerms: true },
    latest: commission,
  });
  const inside = { ...commission, payoutId };
  await tx.put(commissions, inside);
  return inside;
}

/** Whether a refund took back an amount that no payout has subtracted yet. Nobody pays the promoter meanwhile. */
async function isIndebted(tx: Transaction, commission: Commission): Promise<boolean> {
  const { accountId, promoterId, campaignId, unit } = commission;
  await tx.lock(promoters, accountId, promoterId);
  const debts = unpaidOf(tx.view, accountId)
    .where("promoter_id", "=", promoterId)
    .where("campaign_id", "=", campaignId)
    .where("unit", "=", unit)
    .where("amount", "<", 0);
  const [debt] = await tx.view.rows(debts.select("id").limit(1));
  return debt !== undefined;
}
