import type { Account } from "../account/record.ts";
import type { Balance } from "../commission/balance.ts";
import { listCommissions } from "../commission/search.ts";
import type { Context } from "../context.ts";

/** More commissions of one promoter than anybody leaves waiting. */
const MOST_PENDING = 10_000;

/**
 * The sums of a promoter's commissions that wait for approval, as earnings. No counter keeps them: they are few, because
 * they wait for somebody.
 */
export async function loadPendingEarnings(
  context: Context,
  account: Account,
  promoterId: number,
): Promise<Balance> {
  const filter = { status: "pending", promoterId } as const;
  const page = { limit: MOST_PENDING, offset: 0 };
  const { records } = await listCommissions(context, account, { filter, sorting: [], ...page });
  const units: Balance["units"] = {};
  for (const { unit, amount } of records) {
    const known = units[unit]?.earnings ?? 0;
    units[unit] = { earnings: known + amount, current: 0, paid: 0 };
  }
  return { units };
}
