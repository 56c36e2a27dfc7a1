import type { Pool } from "pg";
import { openPools, type Pools, newPool } from "./pool.ts";
import { sqlState } from "./faults.ts";

/** The pools of the server that currently accepts writes. */
export interface Servers {
  /** @throws Error (retryable) if no server accepts writes */
  reads(): Pool;
  /** @throws Error like `reads` */
  writes(): Pool;
  /** @throws Error like `reads` */
  limits(): Pool;
  /** Changes with the primary. */
  timeline(): number;
  /** Why hosts that accept writes are not written to, in sentences. */
  refusals(): string[];
  close(): Promise<void>;
}

/**
 * Opens the servers of a `STORAGE_URL`. If there are several, they are watched, and the pools follow the
 * primary.
 */
export function openServers(
  url: string,
  { connections, notify }: { connections: number | undefined; notify: WatchReports["notify"] },
): Servers {
  const hosts = readHosts(url);
  let pools: Pools | null = null;
  let timeline = 0;
  let reason = "none has answered yet";
  let refused: string[] = [];
  let endWatch = async () => {};
  if (hosts.length === 1) pools = openPools(url, connections);
  else {
    endWatch = watchHosts(hosts, {
      notify,
      onRefusals: (refusals) => (refused = refusals),
      onChange(primary, why) {
        pools?.cut();
        pools = primary === null ? null : openPools(primary.host.url, connections);
        timeline = primary?.timeline ?? timeline;
        reason = why;
      },
    });
  }

  function current(): Pools {
    if (pools === null) throw new Error(`No host accepts writes: ${reason}`);
    return pools;
  }

  return {
    reads: () => current().reads,
    writes: () => current().writes,
    limits: () => current().limits,
    timeline: () => timeline,
    refusals: () => refused,
    async close() {
      await endWatch();
      await pools?.end();
    },
  };
}

/** The pause between checks of all servers, and while none accepts writes. */
const LOOK_MS = 1_000;
const SEARCH_MS = 200;
/** A server that takes longer to answer counts as down. */
const ANSWER_MS = 2_000;
/** One connection to each server, which stays open. */
const LIMITS = {
  max: 1,
  idleTimeoutMillis: 0,
  connectionTimeoutMillis: ANSWER_MS,
  query_timeout: ANSWER_MS,
};
const UNDEFINED_TABLE = "42P01";

/**
 * The name of the current log file contains a primary's timeline. The control file would lag behind a promotion. It has
 * that of a standby's last checkpoint, and the receiver the one that the standby follows, if the role may see it.
 */
const STATE = `select cast(system_identifier as text) as system,
  case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as "walFile",
  greatest((select timeline_id from pg_control_checkpoint()), (select received_tli from pg_stat_wal_receiver),
    (select min_recovery_end_timeline from pg_control_recovery())) as followed
  from pg_control_system()`;

/**
 * Standbys get this record as well, so one of them can tell a new process that an old primary is outdated.
 */
const RECORDED = "select timeline from tidemark_timelines where system = $1";

/** Callbacks of a watch. */
interface WatchReports {
  /** The primary has changed. Null: there is none, for the given reason, which may change. */
  onChange(primary: Primary | null, reason: string): void;
  /** Why servers that accept writes are refused now, in sentences. */
  onRefusals(refusals: string[]): void;
  /** Reports a sentence for the operator. */
  notify(notice: string): void;
}

/**
 * Checks several servers periodically, over a connection to each, and reports the one to write to. If the
 * connection to the primary breaks, nothing is written until the next check has found a primary.
 *
 * @returns a function that ends the watch
 */
function watchHosts(hosts: Host[], { onChange, onRefusals, notify }: WatchReports): () => Promise<void> {
  const pools = new Map(hosts.map((host): [Host, Pool] => [host, openPool(host)]));
  const recordTimeline = newTimelineRecorder(pools, notify);
  const pause = newPause();
  /** The current primary. */
  let primary: Primary | null = null;
  /** The latest primary. Its timeline is remembered while no server accepts writes. */
  let last: Primary | null = null;
  let reported: string[] = [];
  /** Servers whose connections were lost during a check. Their earlier answers are discarded. */
  const lost = new Set<Host>();
  const ending = new AbortController();

  function openPool(host: Host): Pool {
    const pool = newPool(host.url, LIMITS);
    pool.on("error", () => {
      lost.add(host);
      if (primary?.host === host) settle(null, `the connection to ${host.name} was lost`);
      pause.end();
    });
    return pool;
  }

  async function look(): Promise<void> {
    lost.clear();
    const answers = await Promise.allSettled(hosts.map((host) => ask(pools.get(host)!, host)));
    if (ending.signal.aborted) return;
    const reports = answers
      .flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []))
      .filter(({ host }) => !lost.has(host));
    const { primary: chosen, refusals } = choosePrimary(reports, last, reports.length === hosts.length);
    const notices = refusals.map((refusal) => `Refused: ${refusal}`);
    for (const notice of notices) if (!reported.includes(notice)) notify(notice);
    reported = notices;
    onRefusals(notices);
    const reasons = answers.flatMap((answer, at) => reasonOf(answer, hosts[at]!));
    settle(chosen, [...refusals, ...reasons].join("; "));
    if (chosen !== null) await recordTimeline(chosen);
  }

  function settle(chosen: Primary | null, reason: string): void {
    if (chosen !== null && chosen.host === primary?.host && chosen.timeline === primary.timeline) return;
    if (chosen === null && primary !== null) notify(`No host accepts writes: ${reason}`);
    if (chosen !== null && last !== null && chosen.timeline < last.timeline)
      notify(`Timeline ${last.timeline} is lost with all that was recorded on it alone: no host has it`);
    if (chosen !== null && last !== null)
      notify(`Writes go to ${chosen.host.name}, on timeline ${chosen.timeline}`);
    primary = chosen;
    last = chosen ?? last;
    onChange(chosen, reason);
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      await look();
      await pause.begin(primary === null ? SEARCH_MS : LOOK_MS);
    }
  }

  const running = run();
  return async () => {
    ending.abort();
    pause.end();
    await running;
    await Promise.all([...pools.values()].map((pool) => pool.end()));
  };
}

/** A pause that can be ended early. */
function newPause() {
  let end = () => {};
  return {
    begin: (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        end = () => (clearTimeout(timer), resolve());
      }),
    end: () => end(),
  };
}

async function ask(pool: Pool, host: Host): Promise<ServerReport> {
  const { rows } = await pool.query<{ system: string; walFile: string | null; followed: number }>(STATE);
  const { system, walFile, followed } = rows[0]!;
  const timeline = walFile === null ? null : Number.parseInt(walFile.slice(0, 8), 16);
  const recorded = await readTimeline(pool, system);
  return { host, system, timeline, knownTimeline: Math.max(recorded, followed, timeline ?? 0) };
}

/** Why a server is not the primary. */
function reasonOf(answer: PromiseSettledResult<ServerReport>, { name }: Host): string[] {
  if (answer.status === "fulfilled") return answer.value.timeline === null ? [`${name} is a standby`] : [];
  const { message, code } = answer.reason as Error & { code?: string };
  return [`${name}: ${message || code}`];
}

/**
 * Records the timeline of a new primary. It is tried once, because a role that may not create the table would
 * fail each second.
 */
function newTimelineRecorder(
  pools: ReadonlyMap<Host, Pool>,
  notify: WatchReports["notify"],
): (primary: Primary) => Promise<void> {
  let tried = 0;
  return async ({ host, system, timeline }) => {
    if (tried === timeline) return;
    tried = timeline;
    try {
      if ((await readTimeline(pools.get(host)!, system)) >= timeline) return;
      await writeTimeline(pools.get(host)!, { system, timeline });
    } catch (error) {
      notify(`Timeline ${timeline} could not be recorded on ${host.name}: ${(error as Error).message}`);
    }
  };
}

async function readTimeline(pool: Pool, system: string): Promise<number> {
  try {
    const { rows } = await pool.query<{ timeline: number }>(RECORDED, [system]);
    return rows[0]?.timeline ?? 0;
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/** Waits for no standby, because a server that was just promoted has none yet. */
async function writeTimeline(
  pool: Pool,
  { system, timeline }: { system: string; timeline: number },
): Promise<void> {
  // A query without values is one message, so no pooler can split it.
  await pool.query(`begin;
    set local synchronous_commit = local;
    create table if not exists tidemark_timelines (system text primary key, timeline integer not null);
    insert into tidemark_timelines as known (system, timeline) values ('${BigInt(system)}', ${timeline})
      on conflict (system) do update set timeline = greatest(known.timeline, excluded.timeline);
    commit`);
}

/** A URL in libpq's format: hosts are separated by commas, each with an optional port. */
const LIST = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;

/** A server that a `STORAGE_URL` names. */
interface Host {
  /** Its display name: host and port, without user and password. */
  name: string;
  /** The URL of this host alone. */
  url: string;
}

/** A server's report about itself. */
export interface ServerReport {
  host: Host;
  /** The database cluster, which a standby shares with its primary. */
  system: string;
  /** Postgres increments it with each promotion. Null for a standby. */
  timeline: number | null;
  /** The newest timeline that this server's data descends from, or that Tidemark has recorded in it. */
  knownTimeline: number;
}

/** The server that receives commits. */
export interface Primary extends ServerReport {
  timeline: number;
}

/** The servers of a `STORAGE_URL`, in order. */
export function readHosts(url: string): Host[] {
  const [, before = "", names = "", after = ""] = LIST.exec(url) ?? [];
  return names.split(",").map((name) => ({ name, url: `${before}${name}${after}` }));
}

/**
 * Chooses the server to write to, and explains why others that accept writes are refused. `last` is the
 * latest primary.
 *
 * A promotion begins a new timeline. A server on an older timeline is a former primary: no other server would
 * get its writes, so it is never written to again.
 *
 * Unless the newer timeline is lost: every server answers (`isComplete`), and none has it or descends from it. While
 * one is missing, it may be the one that was promoted.
 */
export function choosePrimary(
  reports: ServerReport[],
  latest: Primary | null,
  isComplete: boolean,
): { primary: Primary | null; refusals: string[] } {
  const [first] = reports;
  const isLost = isComplete && reports.every((report) => isOlder(report, latest));
  const last = isLost ? null : latest;
  const system = last?.system ?? first?.system;
  const strangers = reports.filter((other) => other.system !== system);
  if (last === null && strangers.length > 0) {
    return { primary: null, refusals: [`${namesOf(reports)} hold different databases`] };
  }
  const own = reports.filter((report) => !strangers.includes(report));
  const newest = Math.max(last?.timeline ?? 0, ...own.map(({ knownTimeline }) => knownTimeline));
  const believing = own.filter(isPrimary);
  const current = believing.filter(({ timeline }) => timeline === newest);
  const old = believing.filter(({ timeline }) => timeline < newest);
  const refusals = [
    ...strangers.map(({ host }) => `${host.name} holds another database`),
    ...old.map(
      ({ host, timeline }) =>
        `${host.name} accepts writes on timeline ${timeline}, which ended: timeline ${newest} has begun elsewhere`,
    ),
  ];
  if (current.length <= 1) return { primary: current[0] ?? null, refusals };
  // Both were promoted, and each has commits that the other lacks. Only the operator can decide which one
  // counts.
  const kept = current.find(({ host }) => host.name === last?.host.name) ?? null;
  return {
    primary: kept,
    refusals: [...refusals, `${namesOf(current)} both accept writes on timeline ${newest}`],
  };
}

/** Whether a server of the same database has never heard of the latest primary's timeline. */
function isOlder({ system, knownTimeline }: ServerReport, latest: Primary | null): boolean {
  return latest !== null && system === latest.system && knownTimeline < latest.timeline;
}

function isPrimary(report: ServerReport): report is Primary {
  return report.timeline !== null;
}

function namesOf(reports: ServerReport[]): string {
  return reports.map(({ host }) => host.name).join(" and ");
}
