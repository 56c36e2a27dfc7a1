import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Storage } from "unstorage";
import { recordAllWaiting } from "../billing/waiting-run.ts";
import { auditedStore } from "../domain/access/audit/audited-store.ts";
import { PROCESS } from "../domain/access/audit/audit.ts";
import { approveHeldCommissions } from "../domain/ledger/commission/review.ts";
import { sweepReceived } from "../domain/ledger/billing/received.ts";
import { finalizeDrafts, invoiceDue } from "../domain/ledger/invoice/changes.ts";
import { finishErasures } from "../domain/privacy/erasure.ts";
import { runDuePayouts } from "../domain/ledger/payout-run/payout-run.ts";
import { makeInstalments } from "../domain/ledger/sale/instalment.ts";
import { sweepSessions } from "../domain/access/session.ts";
import { sendDigests } from "../domain/people/mailing/digest.ts";
import { continueBroadcasts, releasePlanned } from "../domain/people/mailing/broadcast.ts";
import { sendOnConditions } from "../domain/people/mailing/conditions.ts";
import { movePromotersUp } from "../domain/people/promoter-campaign/upgrade.ts";
import { checkDueVatNumbers } from "../domain/people/vat-number.ts";
import { sweepVisitors } from "../domain/people/visitor/visitor.ts";
import { isOutage } from "../failure.ts";
import { continueImports } from "../transfer/csv/run.ts";
import { askOpenPayments, type PaymentFault } from "../payments/send.ts";
import type { OutageLog, Services } from "../request/services.ts";
import { newLease, type Lease } from "./lease.ts";
import { runMigrations, type MigrationRun } from "./migrations.ts";

/** How long other processes wait before they replace one that died. */
const LEASE_MS = 60_000;
const MINUTE_MS = 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;
/** A recorded but unsent payment is sent soon after a kill. */
const PAYMENTS_REST_MS = 20 * 1_000;
/** Each round looks at all promoters of the campaigns. */
const CONDITIONS_REST_MS = 10 * MINUTE_MS;

/**
 * The periodic jobs of a store. `elapsedMs` is monotonic. Without a place for archives there are no migrations.
 */
export function newJobs(
  {
    store,
    clock,
    chance,
    seal,
    vies,
    log,
    logOutage,
    public_url,
  }: Pick<Services, "store" | "clock" | "chance" | "seal" | "vies" | "log" | "logOutage" | "public_url">,
  elapsedMs = () => performance.now(),
  archives: Storage | null = null,
): Scheduler {
  const lease = newLease({ store, elapsedMs }, { name: "jobs", holder: randomUUID(), durationMs: LEASE_MS });
  const run = { store, clock, guard: lease.guard };
  const audited = { ...run, store: auditedStore(store, { actor: PROCESS, clock }) };
  const newFaultLog = paymentFaultLogs({ log, logOutage });
  return newScheduler({ lease, log, logOutage, elapsedMs }, [
    { name: "visitors", restMs: HOUR_MS, begin: () => sweepVisitors(run) },
    { name: "sessions", restMs: HOUR_MS, begin: () => sweepSessions(run) },
    { name: "received events", restMs: HOUR_MS, begin: () => sweepReceived(run) },
    { name: "held commissions", restMs: MINUTE_MS, begin: () => approveHeldCommissions(audited) },
    { name: "payouts", restMs: HOUR_MS, begin: () => runDuePayouts(audited) },
    {
      name: "payments",
      restMs: PAYMENTS_REST_MS,
      begin: () => askOpenPayments({ ...audited, chance, seal }, newFaultLog()),
    },
    { name: "invoices", restMs: MINUTE_MS, begin: () => invoiceDue(audited) },
    { name: "drafts of invoices", restMs: HOUR_MS, begin: () => finalizeDrafts(audited) },
    { name: "waiting events", restMs: MINUTE_MS, begin: () => recordAllWaiting({ ...run, chance }) },
    { name: "erasures", restMs: MINUTE_MS, begin: () => finishErasures(run) },
    { name: "imports", restMs: 0, begin: () => continueImports({ ...run, chance }) },
    { name: "planned e-mails", restMs: 0, begin: () => releasePlanned({ ...run, public_url }) },
    { name: "digests of new leads", restMs: MINUTE_MS, begin: () => sendDigests({ ...run, public_url }) },
    { name: "broadcasts", restMs: 0, begin: () => continueBroadcasts({ ...run, public_url }) },
    {
      name: "e-mails on conditions",
      restMs: CONDITIONS_REST_MS,
      begin: () => sendOnConditions({ ...run, public_url }),
    },
    {
      name: "promoters who reach the next campaign",
      restMs: CONDITIONS_REST_MS,
      begin: () => movePromotersUp({ ...audited, chance }),
    },
    { name: "instalments", restMs: MINUTE_MS, begin: () => makeInstalments(run) },
    ...(vies === null
      ? []
      : [{ name: "VAT numbers", restMs: HOUR_MS, begin: () => checkDueVatNumbers({ ...run, vies }) }]),
    ...(archives === null ? [] : [migrationsJob({ store, clock, log, archives })]),
  ]);
}

/** The log of each round of the payments. A fault that was in the round before is not logged again. */
function paymentFaultLogs({
  log,
  logOutage,
}: Pick<Services, "log" | "logOutage">): () => (fault: PaymentFault) => void {
  let latest = new Set<string>();
  return () => {
    const former = latest;
    const found = new Set<string>();
    latest = found;
    return ({ error, account, payer }) => {
      if (isOutage(error)) return logOutage(error);
      const name = `${account} ${payer} ${String(error)}`;
      found.add(name);
      if (former.has(name)) return;
      log.error({ err: error, account, provider: payer }, "payments can't be sent or asked about");
    };
  };
}

/** A user is waiting for it. */
function migrationsJob(run: MigrationRun): Job {
  return { name: "migrations", restMs: IDLE_PAUSE_MS / 2, begin: () => runMigrations(run) };
}

/** The pause between two steps of a running job, so that requests come first. */
const STEP_PAUSE_MS = 1_000;
/** The pause between two checks whether a job is due. */
const IDLE_PAUSE_MS = 10_000;

/**
 * Work that is repeated in small steps. Among the processes that share a store, only one does it at a time.
 */
interface Job {
  name: string;
  /** The rest between the end of one round, or its failure, and the start of the next. */
  restMs: number;
  begin(): AsyncIterator<unknown>;
}

/** Runs the jobs of a store in the process that holds the lease. */
export interface Scheduler {
  /** Runs one step of each job that is running or due. Tests call it with a clock of their own. */
  pass(): Promise<void>;
  start(): void;
  /** Starts nothing more and leaves the jobs to the next process. */
  stop(): Promise<void>;
}

/** The state of a job. */
interface Round {
  /** Null if no round is running. */
  steps: AsyncIterator<unknown> | null;
  due_at: number;
}

interface SchedulerParts {
  lease: Lease;
  log: Logger;
  logOutage: OutageLog;
  elapsedMs: () => number;
}

/** Makes a scheduler. It does nothing until it is started. */
function newScheduler({ lease, log, logOutage, elapsedMs }: SchedulerParts, jobs: Job[]): Scheduler {
  const rounds = new Map(jobs.map((job): [Job, Round] => [job, { steps: null, due_at: -Infinity }]));
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  function report(error: unknown, message: string): void {
    if (isOutage(error)) logOutage(error);
    else log.error({ err: error }, message);
  }

  async function step(job: Job, round: Round): Promise<void> {
    if (round.steps === null && elapsedMs() < round.due_at) return;
    round.steps ??= job.begin();
    if ((await isOver(job, round.steps)) === false) return;
    round.steps = null;
    round.due_at = elapsedMs() + job.restMs;
  }

  async function isOver({ name }: Job, steps: AsyncIterator<unknown>): Promise<boolean> {
    try {
      return (await steps.next()).done === true;
    } catch (error) {
      report(error, `the job ${name} failed and starts again later`);
      return true;
    }
  }

  async function pass(): Promise<void> {
    for (const [job, round] of rounds) if (await lease.take()) await step(job, round);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pass().catch((error: unknown) => report(error, "the scheduler failed; it tries again"));
      const isUnderWay = [...rounds.values()].some(({ steps }) => steps !== null);
      const pauseMs = isUnderWay ? STEP_PAUSE_MS : IDLE_PAUSE_MS;
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {}); // stopped
    }
  }

  return {
    pass,
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
      // A lease that can't be released expires by itself.
      await lease
        .release()
        .catch((error: unknown) => report(error, "the scheduler could not release its lease"));
    },
  };
}
