import { SYSTEM } from "../../server/domain/context.ts";
import { leases } from "../../server/process/lease.ts";
import { openStore } from "../../server/storage/open.ts";
import { TABLES } from "../../server/tables.ts";
import { TEST_SEAL } from "./memory-engine.ts";

/** Ends the outbox's lease of a process that was killed, so that no test waits ten seconds for its expiry. */
export async function endLease(url: string): Promise<void> {
  const store = await openStore(url, { tables: TABLES, seal: TEST_SEAL });
  await store.transact((tx) => tx.remove(leases, SYSTEM, "outbox"));
  await store.close();
}
