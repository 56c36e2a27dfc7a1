import { randomUUID } from "node:crypto";
import { auditedStore } from "../domain/audit/audited-store.ts";
import { PROCESS } from "../domain/audit/audit.ts";
import { runDuePayouts } from "../domain/payout-run/generate.ts";
import { approveHeldCommissions } from "../domain/commission/review.ts";
import { finishErasures } from "../domain/erasure/erasure.ts";
import { makeInstalments } from "../domain/sale/instalment.ts";
import { recordAllWaiting } from "../billing/waiting-run.ts";
import { sweepSessions } from "../domain/session/session.ts";
import { sweepVisitors } from "../domain/visitor/visitor.ts";
import { newLease } from "./lease.ts";
import type { Services } from "../request/services.ts";
import { newScheduler, type Scheduler } from "./scheduler.ts";

/** How long the other processes wait before they take over from one that died. */
const LEASE_MS = 60_000;
const MINUTE_MS = 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;

/** The periodic jobs of a store. `elapsedMs` never goes back. */
export function newJobs(
  {
    store,
    clock,
    chance,
    log,
    logOutage,
  }: Pick<Services, "store" | "clock" | "chance" | "log" | "logOutage">,
  elapsedMs = () => performance.now(),
): Scheduler {
  const lease = newLease({ store, elapsedMs }, { name: "jobs", holder: randomUUID(), durationMs: LEASE_MS });
  const run = { store, clock, guard: lease.guard };
  const audited = { ...run, store: auditedStore(store, { actor: PROCESS, clock }) };
  return newScheduler({ lease, log, logOutage, elapsedMs }, [
    { name: "visitors", restMs: HOUR_MS, begin: () => sweepVisitors(run) },
    { name: "sessions", restMs: HOUR_MS, begin: () => sweepSessions(run) },
    { name: "held commissions", restMs: MINUTE_MS, begin: () => approveHeldCommissions(audited) },
    { name: "payouts", restMs: HOUR_MS, begin: () => runDuePayouts(audited) },
    { name: "waiting events", restMs: MINUTE_MS, begin: () => recordAllWaiting({ ...run, chance }) },
    { name: "erasures", restMs: MINUTE_MS, begin: () => finishErasures(run) },
    { name: "instalments", restMs: MINUTE_MS, begin: () => makeInstalments(run) },
  ]);
}
