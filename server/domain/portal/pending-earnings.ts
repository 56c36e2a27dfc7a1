import type { Balance } from "../commission/balance.ts";
import { pendingCounter } from "../commission/commission.ts";
import { UNITS } from "../money/unit.ts";
import type { View } from "../../storage/store.ts";

/** The sums of a promoter's commissions that wait for approval, or for their day, as earnings. */
export async function loadPendingEarnings(
  view: Pick<View, "sum">,
  accountId: number,
  promoterId: number,
): Promise<Balance> {
  const units: Balance["units"] = {};
  for (const unit of UNITS) {
    const earnings = await view.sum(accountId, pendingCounter(promoterId, unit));
    if (earnings !== 0) units[unit] = { earnings, current: 0, paid: 0 };
  }
  return { units };
}
