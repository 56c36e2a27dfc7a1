import type { Pool } from "pg";
import { sqlState } from "./faults.ts";
import { choosePrimary, type Host, type Primary, type ServerReport } from "./hosts.ts";
import { newPool } from "./pool.ts";

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

/** The name of the current log file contains the timeline. The control file would lag behind a promotion. */
const STATE = `select cast(system_identifier as text) as system,
  case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as "walFile"
  from pg_control_system()`;

/**
 * Standbys get this record as well, so one of them can tell a new process that an old primary is outdated.
 */
const RECORDED = "select timeline from tidemark_timelines where system = $1";

/** Callbacks of a watch. */
export interface WatchReports {
  /** The primary has changed. Null: there is none, for the given reason, which may change. */
  onChange(primary: Primary | null, reason: string): void;
  /** Reports a sentence for the operator. */
  notify(notice: string): void;
}

/**
 * Checks several servers periodically, over a connection to each, and reports the one to write to. If the
 * connection to the primary breaks, nothing is written until the next check has found a primary.
 *
 * @returns a function that ends the watch
 */
export function watchHosts(hosts: Host[], { onChange, notify }: WatchReports): () => Promise<void> {
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
    const { primary: chosen, refusals } = choosePrimary(reports, last);
    for (const refusal of refusals) if (!reported.includes(refusal)) notify(`Refused: ${refusal}`);
    reported = refusals;
    const reasons = answers.flatMap((answer, at) => reasonOf(answer, hosts[at]!));
    settle(chosen, [...refusals, ...reasons].join("; "));
    if (chosen !== null) await recordTimeline(chosen);
  }

  function settle(chosen: Primary | null, reason: string): void {
    if (chosen !== null && chosen.host === primary?.host && chosen.timeline === primary.timeline) return;
    if (chosen === null && primary !== null) notify(`No host accepts writes: ${reason}`);
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
  const { rows } = await pool.query<{ system: string; walFile: string | null }>(STATE);
  const { system, walFile } = rows[0]!;
  const timeline = walFile === null ? null : Number.parseInt(walFile.slice(0, 8), 16);
  return { host, system, timeline, recordedTimeline: await readTimeline(pool, system) };
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
  return async ({ host, system, timeline, recordedTimeline }) => {
    if (tried === timeline) return;
    tried = timeline;
    if (recordedTimeline >= timeline) return;
    try {
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
