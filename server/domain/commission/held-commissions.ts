import { servedAccounts } from "../account/account.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { commissions } from "./commission.ts";
import { setCommissionStatus } from "./status.ts";

/** Commits between two pauses, in which other jobs take their turn. */
const APPROVED_AT_ONCE = 100;

/** The parameters of a run. */
interface Run {
  store: Store;
  clock: () => Date;
  /** Ties a commit to the right to run. */
  guard: (tx: Transaction) => Promise<void>;
}

/**
 * Approves the held commissions whose day has come, one commit for each. An interrupted run leaves the others for the
 * next one, and one that was missed comes late.
 */
export async function* approveHeldCommissions(run: Run): AsyncGenerator<void> {
  const { store, clock } = run;
  let approvedCount = 0;
  for await (const { id: accountId } of servedAccounts(store)) {
    for await (const chunk of store.scan(commissions, "due", accountId, [])) {
      const due = chunk.filter(({ approveAt }) => isDue(approveAt, clock()));
      for (const { id } of due) {
        await approve(run, accountId, id);
        if (++approvedCount % APPROVED_AT_ONCE === 0) yield;
      }
      if (due.length < chunk.length) break;
    }
  }
}

async function approve(run: Run, accountId: number, id: number): Promise<void> {
  const { store, clock, guard } = run;
  await store.transact(async (tx) => {
    await guard(tx);
    const now = clock();
    const commission = await tx.get(commissions, accountId, id);
    // Somebody may have decided meanwhile.
    if (commission?.status !== "pending" || !isDue(commission.approveAt, now)) return;
    // One that takes another back is approved with that one. Its id is lower if another process made it.
    const { takesBackId } = commission;
    if (takesBackId !== null && (await tx.get(commissions, accountId, takesBackId)) !== null) return;
    await setCommissionStatus(tx, { store, now }, { commission, status: "approved" });
  });
}

function isDue(approveAt: string | null, now: Date): boolean {
  return approveAt !== null && Date.parse(approveAt) <= now.getTime();
}
