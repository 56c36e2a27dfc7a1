import type { Store } from "../../storage/store.ts";
import { commissions } from "../commission/commission.ts";
import type { Unit } from "../money/unit.ts";
import type { UnpaidGroup } from "../payout/creation.ts";

/** The keys of the `unpaid` index. */
type UnpaidKey = [promoterId: number, campaignId: number, unit: Unit, createdAtMs: number, id: number];

/** Groups the unpaid commissions made until an instant. They are listed by promoter, campaign and unit. */
export async function* unpaidGroups(
  store: Store,
  accountId: number,
  untilMs: number,
): AsyncGenerator<UnpaidGroup> {
  let group: UnpaidGroup | null = null;
  for await (const keys of store.scanKeys(commissions, "unpaid", accountId, [])) {
    for (const [promoterId, campaignId, unit, createdAtMs, id] of keys as UnpaidKey[]) {
      if (createdAtMs > untilMs) continue;
      if (group === null || !isIn(group, { promoterId, campaignId, unit })) {
        if (group !== null) yield group;
        group = { promoterId, campaignId, unit, commissionIds: [] };
      }
      group.commissionIds.push(id);
    }
  }
  if (group !== null) yield group;
}

type Owner = Omit<UnpaidGroup, "commissionIds">;

function isIn(group: Owner, { promoterId, campaignId, unit }: Owner): boolean {
  return group.promoterId === promoterId && group.campaignId === campaignId && group.unit === unit;
}
