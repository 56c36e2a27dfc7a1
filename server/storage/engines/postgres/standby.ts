import type { Pool } from "pg";
import type { AgedReads } from "../../session.ts";
import { readHosts } from "./hosts.ts";
import { openReadPool } from "./pool.ts";
import { newReads, newRows } from "./rows.ts";

/** The primary's current log position. */
const POSITION = `select cast(system_identifier as text) as system, cast(pg_current_wal_lsn() as text) as position
  from pg_control_system()`;

/**
 * A standby that has replayed up to the primary's position is up to date. Otherwise it has everything
 * committed before the last commit that it replayed.
 */
const AGE = `select pg_is_in_recovery() as "isStandby", cast(system_identifier as text) as system,
  case when pg_last_wal_replay_lsn() >= cast($1 as pg_lsn) then 0
    else cast(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) as double precision)
  end as "ageSeconds"
  from pg_control_system()`;

/** The standbys of a `STORAGE_READ_URL`. */
export interface Standbys {
  /**
   * The reads of the first standby that is fresh enough, or null if none is, or if the primary can't report
   * its position.
   */
  find(): Promise<AgedReads | null>;
  close(): Promise<void>;
}

/** Opens standbys. Connections are made on demand, so the standbys need not be reachable yet. */
export function openStandbys(
  url: string,
  { primary, maxAgeSeconds }: { primary: () => Pool; maxAgeSeconds: number },
): Standbys {
  const standbys = readHosts(url).map((host) => {
    const pool = openReadPool(host.url);
    return { pool, reads: newReads(newRows(() => pool)) };
  });

  /** Null if it is no standby of this primary. */
  async function ageOf(pool: Pool, { system, position }: Position): Promise<number | null> {
    const { rows } = await pool.query<Age>(AGE, [position]);
    const found = rows[0]!;
    return found.isStandby && found.system === system ? found.ageSeconds : null;
  }

  async function positionOf(): Promise<Position> {
    return (await primary().query<Position>(POSITION)).rows[0]!;
  }

  return {
    async find() {
      const position = await positionOf().catch(() => null); // a read of the primary will report the error
      if (position === null) return null;
      for (const { pool, reads } of standbys) {
        const ageSeconds = await ageOf(pool, position).catch(() => null); // it can't be reached
        if (ageSeconds !== null && ageSeconds <= maxAgeSeconds)
          return { reads, ageSeconds: Math.max(0, Math.ceil(ageSeconds)) };
      }
      return null;
    },
    async close() {
      await Promise.all(standbys.map(({ pool }) => pool.end()));
    },
  };
}

interface Position {
  system: string;
  position: string;
}

interface Age {
  isStandby: boolean;
  system: string;
  /** Null if it has replayed no commit since it was started. */
  ageSeconds: number | null;
}
