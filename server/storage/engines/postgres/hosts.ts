/** A URL in libpq's format: hosts are separated by commas, each with an optional port. */
const LIST = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;

/** A server that a `STORAGE_URL` names. */
export interface Host {
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
  /** The newest timeline that Tidemark has recorded in this server's data, or 0. */
  recordedTimeline: number;
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
 */
export function choosePrimary(
  reports: ServerReport[],
  last: Primary | null,
): { primary: Primary | null; refusals: string[] } {
  const [first] = reports;
  const system = last?.system ?? first?.system;
  const strangers = reports.filter((other) => other.system !== system);
  if (last === null && strangers.length > 0) {
    return { primary: null, refusals: [`${namesOf(reports)} hold different databases`] };
  }
  const own = reports.filter((report) => !strangers.includes(report));
  const timelines = own.flatMap(({ timeline, recordedTimeline }) => [timeline ?? 0, recordedTimeline]);
  const newest = Math.max(last?.timeline ?? 0, ...timelines);
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

function isPrimary(report: ServerReport): report is Primary {
  return report.timeline !== null;
}

function namesOf(reports: ServerReport[]): string {
  return reports.map(({ host }) => host.name).join(" and ");
}
