import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import pLimit from "p-limit";
import { isOutage, reasonOf, Failure, LOST_RACE } from "../../../failure.ts";
import type { EngineOptions } from "../../open.ts";
import type { Engine, StoreSize, Session } from "../../session.ts";
import { POSTGRES } from "../../sql.ts";
import { DEMANDED_STANDBY } from "./statements.ts";
import {
  isWithoutStandby,
  unavailable,
  sqlState,
  deadlineIn,
  withRetries,
  isPassing,
  raceIn,
} from "./faults.ts";
import { newCommit, newMarks } from "./committer.ts";
import { isShared } from "./pool.ts";
import { newReads, newRows, READ_MS, openSnapshot } from "./rows.ts";
import { LIMITS_TABLE, prepareTables } from "./schema.ts";
import { openServers, type Servers } from "./servers.ts";
import { inTime, withinLimit, type IsLate } from "../../request-limit.ts";
import { blockLength, firstOfBlock } from "../../id-blocks.ts";
import { newSession, type OpenSession, type Place } from "./session.ts";

const OPEN_MS = 5_000;
const DISK_FULL = "53100";

/**
 * Keeps everything in a Postgres database, which any number of processes on any machines may share.
 * Settings: STORAGE_URL=postgres://user:password@host/database (`?sslmode=…` as usual). Of several hosts
 * (`@a,b:5433/database`) the one that accepts writes is used, and another one after a failover. The
 * database's encoding must be UTF8, `DateStyle` ISO and `synchronous_commit` on; these are the defaults.
 * STORAGE_CONNECTIONS (10, at least 2) limits the connections of each process. Half of them are for
 * transactions; rate limits use two more. The role creates tables in its schema once; later it only reads and
 * writes rows.
 *
 * The engine speaks plain SQL with unnamed statements and keeps no session state after a transaction, so
 * poolers in transaction mode work. PgBouncer must let the timeouts below pass, by
 * `ignore_startup_parameters`. Other engines that speak Postgres' protocol may work, but none is tested.
 */
export async function postgresEngine(
  url: string,
  { tables, makes = "store", connections, requiresStandby = false, notify = () => {} }: EngineOptions,
): Promise<Engine> {
  const servers = openServers(url, { connections, notify });
  const prepare = async () => prepareTables(servers.reads(), { tables, makes });
  await withRetries(prepare, deadlineIn(OPEN_MS)).catch(async (error: unknown) => {
    await servers.close();
    throw new Error(reasonOf(error), { cause: error });
  });
  const rows = newRows(servers.reads);
  const { writes } = servers;
  const needsStandby = requiresStandby === "always";
  const marks = newMarks(writes, { needsStandby });
  const transactor = newTransactor({ rows, writes, marks, commit: newCommit(writes, marks) });
  const nextId = newIdSource(servers, { needsStandby });
  let lacksRoom = false;
  let closing: Promise<void> | null = null;
  return {
    dialect: POSTGRES,
    reads: newReads(rows),
    snapshot: () => withRetries(async () => openSnapshot(servers.reads()), deadlineIn(READ_MS)),
    async transact(work) {
      try {
        const { result, hasWritten } = await inTime((isLate) => transactor.transact(work, isLate));
        if (hasWritten) lacksRoom = false;
        return result;
      } catch (error) {
        if (isOutage(error)) lacksRoom = sqlState(error.cause) === DISK_FULL;
        throw error;
      }
    },
    nextId: (kind) => inTime(() => nextId(kind)),
    lacksRoom: () => lacksRoom,
    isShared: () => withRetries(async () => isShared(servers.reads()), deadlineIn(READ_MS)),
    weaknesses: () =>
      withRetries(
        async () => readWeaknesses(servers.reads(), { requiresStandby: requiresStandby !== false }),
        deadlineIn(READ_MS),
      ),
    needsStandby,
    handleInTime: withinLimit,
    refusedHosts: servers.refusals,
    // The log belongs to the whole cluster, and only its superuser may read its size.
    size: () => sizeOf(servers.reads()),
    // Without statement names, because poolers in transaction mode don't support them.
    limits: {
      table: LIMITS_TABLE,
      query: async ({ text, values }) => servers.limits().query({ text, values }),
    },
    close: () => (closing ??= close()),
  };

  async function close(): Promise<void> {
    await marks.close();
    await servers.close();
  }
}

/** Null for an engine that only speaks Postgres' protocol and lacks this function. */
async function sizeOf(pool: Pool): Promise<StoreSize | null> {
  try {
    const { rows } = await pool.query<{ bytes: string }>(
      "select pg_database_size(current_database()) as bytes",
    );
    return { bytes: Number(rows[0]?.bytes), logBytes: null };
  } catch {
    return null;
  }
}

/** Asks a server about its commits. A role without the right to see the standbys gets empty states. */
const STATE = `select current_setting('synchronous_commit') as waits, current_setting('synchronous_standby_names') as names,
  (select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum')) > 0 as "hasStandby",
  (select count(*) from pg_stat_replication where sync_state is null) > 0 as "is_hidden"`;

interface State {
  waits: string;
  names: string;
  hasStandby: boolean;
  is_hidden: boolean;
}

/** Asks a server why its commits are less durable than promised, in sentences. */
export async function readWeaknesses(pool: Pool, options: { requiresStandby: boolean }): Promise<string[]> {
  try {
    const { rows } = await pool.query<State>(STATE);
    return weaknessesOf(rows[0]!, options);
  } catch (error) {
    if (isPassing(error)) throw error;
    return [`the durability of commits is unknown: ${(error as Error).message}`]; // not Postgres itself
  }
}

/** `requiresStandby`: whether the operator requires a synchronous standby. */
export function weaknessesOf(
  { waits, names, hasStandby, is_hidden }: State,
  { requiresStandby }: { requiresStandby: boolean },
): string[] {
  const found: string[] = [];
  const wantsStandby = requiresStandby || names !== "";
  if (waits === "off")
    found.push("synchronous_commit is off: a crash of the database loses its latest commits");
  if (waits === "local" && wantsStandby)
    found.push("synchronous_commit is local: commits do not wait for the standby");
  if (requiresStandby && names === "")
    found.push("synchronous_standby_names is empty: commits wait for no standby");
  if (names === "" || hasStandby) return found;
  if (is_hidden) found.push("the standbys can't be seen: grant pg_monitor to the role of STORAGE_URL");
  else found.push("no synchronous standby is connected: every write waits for one");
  return found;
}

const TAKE_MS = 5_000;

const TAKE = `insert into ids (kind, next) values ($1, 1 + ${blockLength("1", "least", "greatest")})
  on conflict (kind) do update set next = ids.next + ${blockLength("ids.next", "least", "greatest")}
  returning next`;
/** The insertion waits for a standby, even for one that is gone. */
const TAKE_WITH_STANDBY = `${TAKE}, ${DEMANDED_STANDBY}`;

interface Block {
  next: number;
  end: number;
  /**
   * The timeline of the database that issued the block. After a failover, the new primary may not know of the
   * block and issue the same ids again.
   */
  timeline: number;
}

/** Issues ids that no other process issues, from blocks reserved in the database. */
export function newIdSource(
  { reads, timeline }: Servers,
  { needsStandby }: { needsStandby: boolean },
): (kind: string) => Promise<number> {
  const blocks = new Map<string, Promise<Block>>();

  async function take(kind: string): Promise<Block> {
    return withRetries(async () => {
      const taken = timeline();
      const text = needsStandby ? TAKE_WITH_STANDBY : TAKE;
      const { rows } = await reads().query<{ next: number | string }>(text, [kind]);
      const end = Number(rows[0]!.next);
      return { next: firstOfBlock(end), end, timeline: taken };
    }, deadlineIn(TAKE_MS)).catch((error: unknown) => {
      throw isWithoutStandby(error) ? unavailable(error) : error;
    });
  }

  return async function nextId(kind) {
    for (;;) {
      const current = blocks.get(kind) ?? begin(kind);
      const block = await current;
      if (block.next < block.end && block.timeline === timeline()) return block.next++;
      if (blocks.get(kind) === current) begin(kind);
    }
  };

  function begin(kind: string): Promise<Block> {
    const taken = take(kind);
    blocks.set(kind, taken);
    // After a short outage, later callers must not get the old error.
    taken.catch(() => blocks.delete(kind));
    return taken;
  }
}

const MAX_DELAY_MS = 50;
/**
 * How long a transaction is retried while others keep changing its reads, or the database is down. A clean
 * stop waits slightly longer, and the locks of a cut connection are released earlier.
 */
const TRY_MS = 8_000;

/** The limit of concurrent retries, so that transactions of one process can't keep failing each other. */
const RETRIES = 8;

/** Runs transactions. */
interface Transactor {
  /** `isLate`: whether the caller has been refused, so that nothing may be sent any more. */
  transact<T>(work: (session: Session) => Promise<T>, isLate?: IsLate): Promise<Done<T>>;
}

interface Done<T> {
  result: T;
  hasWritten: boolean;
}

type Outcome<T> = Done<T> | { error: unknown } | { lost: Error };

export function newTransactor(place: Place): Transactor {
  const inTurn = pLimit(RETRIES);

  return {
    async transact(work, isLate = () => false) {
      const deadline = deadlineIn(TRY_MS);
      const first = await tryFor(work, { isCareful: false, isLate, deadline });
      if (!("lost" in first)) return settle(first);
      return settle(await inTurn(() => retry(work, { isLate, deadline, lost: first.lost })));
    },
  };

  /** Waiting transactions have about the same deadline, so they give up soon after the first. */
  async function retry<T>(
    work: (session: Session) => Promise<T>,
    { isLate, deadline, lost }: { isLate: IsLate; deadline: number; lost: Error },
  ): Promise<Exclude<Outcome<T>, { lost: Error }>> {
    for (let tries = 1; performance.now() < deadline; tries++) {
      const next = await tryFor(work, { isCareful: true, isLate, deadline });
      if (!("lost" in next)) return next;
      await sleep(Math.random() * Math.min(2 ** tries, MAX_DELAY_MS));
    }
    const failure = new Failure("unavailable", "Other requests kept changing the same records; try again");
    failure.cause = lost;
    throw failure;
  }

  /**
   * Retries until the database answers.
   *
   * @throws Failure `unavailable`
   */
  function tryFor<T>(
    work: (session: Session) => Promise<T>,
    { isCareful, isLate, deadline }: { isCareful: boolean; isLate: IsLate; deadline: number },
  ): Promise<Outcome<T>> {
    return withRetries(async () => {
      const session = newSession(place, { isCareful, isLate });
      try {
        return await run(session, work);
      } finally {
        await session.abandon();
      }
    }, deadline);
  }

  async function run<T>(session: OpenSession, work: (session: Session) => Promise<T>): Promise<Outcome<T>> {
    let result: T;
    try {
      result = await work(session);
    } catch (error) {
      if (session.fault() !== null) return faultOf(session.fault());
      // A result or error based on outdated reads must be decided again. During an outage this can't be
      // checked.
      return isOutage(error) || (await session.stands()) ? { error } : { lost: LOST_RACE };
    }
    if (session.fault() !== null) return faultOf(session.fault());
    const hasWritten = session.hasChanges();
    try {
      if (hasWritten) await session.commit();
    } catch (fault) {
      return faultOf(fault);
    }
    return { result, hasWritten };
  }
}

/** @throws the fault if a retry may help */
function faultOf(fault: unknown): { error: unknown } | { lost: Error } {
  const lost = raceIn(fault);
  if (lost !== null) return { lost };
  if (isPassing(fault)) throw fault;
  return { error: fault };
}

function settle<T>(outcome: Done<T> | { error: unknown }): Done<T> {
  if ("error" in outcome) throw outcome.error;
  return outcome;
}
