import type { Lead } from "../lead/record.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { settlementOf, withdrawFromPayouts } from "../payout/withdrawal.ts";
import { commissions } from "./commission.ts";
import type { Commission } from "./record.ts";

/**
 * Moves the commissions that a lead earned for its promoter to another promoter campaign. They leave their pending
 * payouts. Paid ones, and those whose money may be on its way, never move.
 *
 * Choice: a commission that was paid stays together with those that take it back. Otherwise the new promoter would pay
 * back money that the former one got.
 *
 * @see docs/spec/money.md "Refunds, cancellations and moves"
 */
export async function moveCommissions(
  tx: Transaction,
  context: Context,
  { lead, target }: { lead: Lead; target: PromoterCampaign },
): Promise<void> {
  const moving = await movableCommissions(tx, lead);
  const freed = await withdrawFromPayouts(tx, context, moving);
  for (const [at, before] of moving.entries()) {
    const after = {
      ...freed[at]!,
      promoterCampaignId: target.id,
      promoterId: target.promoterId,
      campaignId: target.campaignId,
    };
    await tx.put(commissions, after);
    await announce(tx, context, { entity: "commission", before, after });
  }
}

async function movableCommissions(
  tx: Transaction,
  { accountId, id, promoterId }: Lead,
): Promise<Commission[]> {
  const earned = await tx.view.list(commissions, "lead", accountId, [id]);
  const settled = new Set<number>();
  for (const each of earned) {
    if ((await settlementOf(tx, each)) !== null) settled.add(familyOf(each));
  }
  return earned.filter(
    (each) => each.promoterId === promoterId && isOwn(each) && !settled.has(familyOf(each)),
  );
}

/** Whether it was earned as the lead's own promoter: not as a parent, and not as one who shares in another's lead. */
export function isOwn({ tierLevel, staysOnMove }: Commission): boolean {
  return tierLevel === 1 && staysOnMove !== true;
}

/** A commission and those that take it back share this id. */
function familyOf({ id, takesBackId }: Commission): number {
  return takesBackId ?? id;
}
