import type { Pool } from "pg";
import { isPassing } from "./faults.ts";

/** Asks a server about its commits. A role without the right to see the standbys gets empty states. */
const STATE = `select current_setting('synchronous_commit') as waits, current_setting('synchronous_standby_names') as names,
  (select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum')) > 0 as "hasStandby",
  (select count(*) from pg_stat_replication where sync_state is null) > 0 as "isHidden"`;

interface State {
  waits: string;
  names: string;
  hasStandby: boolean;
  isHidden: boolean;
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
  { waits, names, hasStandby, isHidden }: State,
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
  if (isHidden) found.push("the standbys can't be seen: grant pg_monitor to the role of STORAGE_URL");
  else found.push("no synchronous standby is connected: every write waits for one");
  return found;
}
