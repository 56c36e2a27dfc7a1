/** A URL as libpq writes it: several hosts stand between commas, each perhaps with a port of its own. */
const LIST = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;

/** A server that a `STORAGE_URL` names. */
export interface Host {
  /** Its name for people: the host and the port, without user and password. */
  name: string;
  /** Its own URL. */
  url: string;
}

/** A server's answer about itself. */
export interface Sighting {
  host: Host;
  /** The database cluster. A standby has the same one as its primary. */
  system: string;
  /** Postgres counts it up with each promotion. null: the server is a standby. */
  timeline: number | null;
  /** The newest timeline that Tidemark has recorded in this server's data; 0 for none. */
  recordedTimeline: number;
}

/** The server that commits go to. */
export interface Primary extends Sighting {
  timeline: number;
}

/** The servers of a `STORAGE_URL`, in its order. */
export function readHosts(url: string): Host[] {
  const [, before = "", names = "", after = ""] = LIST.exec(url) ?? [];
  return names.split(",").map((name) => ({ name, url: `${before}${name}${after}` }));
}

/**
 * Chooses the server to write to, and says why others that accept writes are refused. `last` is the latest one that
 * was written to.
 *
 * A promotion begins a new timeline. A server on an older one was the primary before: no other server would get what
 * is written to it now, so it is never written to again.
 */
export function choosePrimary(
  sightings: Sighting[],
  last: Primary | null,
): { primary: Primary | null; refusals: string[] } {
  const [first] = sightings;
  const system = last?.system ?? first?.system;
  const strangers = sightings.filter((other) => other.system !== system);
  if (last === null && strangers.length > 0) {
    return { primary: null, refusals: [`${namesOf(sightings)} hold different databases`] };
  }
  const own = sightings.filter((sighting) => !strangers.includes(sighting));
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
  // Both were promoted, and each has commits that the other lacks. Only people can tell which one counts.
  const kept = current.find(({ host }) => host.name === last?.host.name) ?? null;
  return {
    primary: kept,
    refusals: [...refusals, `${namesOf(current)} both accept writes on timeline ${newest}`],
  };
}

function isPrimary(sighting: Sighting): sighting is Primary {
  return sighting.timeline !== null;
}

function namesOf(sightings: Sighting[]): string {
  return sightings.map(({ host }) => host.name).join(" and ");
}
