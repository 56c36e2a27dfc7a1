import { keyOf } from "../../storage/sql.ts";
import type { Table } from "../../storage/table.ts";
import type { Transaction } from "../../storage/store.ts";

/** Providers repeat an event for three days, and list those of thirty days. */
const KEPT_MS = 40 * 24 * 60 * 60 * 1_000;
/** Each new one makes room for itself, so that events about people whom nobody referred never pile up. */
const SWEPT_AT_ONCE = 5;

/** An event that waits for the payment that it is about. */
interface Waiting {
  accountId: number;
  keptAt: string;
}

/**
 * Keeps an event until its payment is recorded, and drops the oldest ones whose time is over. `isNeeded`: whether one must
 * be kept for longer.
 */
export async function keepWaiting<R extends Waiting>(
  tx: Transaction,
  into: Table<R, never, "age">,
  { event, now, isNeeded }: { event: R; now: Date; isNeeded?: (event: R) => Promise<boolean> },
): Promise<void> {
  await tx.put(into, event);
  const oldest = await tx.view.page(into, "age", event.accountId, [], { limit: SWEPT_AT_ONCE });
  for (const each of oldest) {
    if (now.getTime() - Date.parse(each.keptAt) < KEPT_MS) continue;
    // It begins its time again, so that it does not hide others from the sweep.
    if (await isNeeded?.(each)) await tx.put(into, { ...each, keptAt: now.toISOString() });
    else await tx.remove(into, each.accountId, ...keyOf(into, each));
  }
}
