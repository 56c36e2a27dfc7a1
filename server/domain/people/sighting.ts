import type { Reader, Store } from "../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../storage/table.ts";
import { SYSTEM } from "../context.ts";

const SIGHTING_KINDS = [
  "refused-origin",
  "script",
  "host",
  "proxy",
  "server-call",
  "billing-event",
  "old-link",
] as const;

/**
 * The kinds of things that servers notice about their set-up. `refused-origin`: a site whose sign-ups were refused.
 * `script`: a site that loads the script. `host`: a name by which browsers reach the server. `proxy`: whether
 * addresses were forwarded although no proxy is trusted (`unexpected`), or not by all trusted ones (`missing`).
 * `server-call`: an operation by which a company's server tracks. `billing-event`: a provider whose event had the right
 * signature. `old-link`: a parameter of another program's links
 * that led to a promoter.
 */
export type SightingKind = (typeof SIGHTING_KINDS)[number];

export interface Sighting {
  value: string;
  /** Precise to an hour. */
  last_at: string;
}

const serverSetupFields = {
  public_url: text(),
  trust_proxy_hops: integer(),
  has_mail: flag(),
  started_at: time(),
};

/** The set-up of the server that started last. */
export type ServerSetup = RowOf<typeof serverSetupFields>;

/** The latest sightings of one kind, newest first. */
const sightingsFields = {
  kind: text<SightingKind>(),
  seen: json<Sighting[]>(),
};

export const sightings = table("sighting", sightingsFields, {
  key: ["kind"],
});

export const serverSetups = table("server-setup", serverSetupFields, {
  derived: {
    id: ["text", () => "last"],
  },
});

/** Only the newest are kept, because strangers may send any number of sites. */
const MOST_KEPT = 20;

/** Records sightings for `tidemark doctor`. Returns the earlier ones. */
export function recordSightings(
  store: Store,
  accountId: number,
  { kind, values, now }: { kind: SightingKind; values: string[]; now: Date },
): Promise<Sighting[]> {
  return store.transact(async (tx) => {
    const { seen } = (await tx.get(sightings, accountId, kind)) ?? { seen: [] };
    const latest = values.map((value) => ({ value, last_at: now.toISOString() }));
    const others = seen.filter(({ value }) => !values.includes(value));
    await tx.put(sightings, {
      account_id: accountId,
      kind,
      seen: [...latest, ...others].slice(0, MOST_KEPT),
    });
    return seen;
  });
}

/** The sightings of one kind, newest first. */
export async function findSightings(
  reader: Reader,
  accountId: number,
  kind: SightingKind,
): Promise<Sighting[]> {
  return (await reader.get(sightings, accountId, kind))?.seen ?? [];
}

/** Records the set-up of a starting server. */
export function recordSetup(store: Store, setup: Omit<ServerSetup, "account_id">): Promise<void> {
  return store.transact((tx) => tx.put(serverSetups, { account_id: SYSTEM, ...setup }));
}

/** The set-up of the server that started last, or null before the first start. */
export function findSetup(store: Store): Promise<ServerSetup | null> {
  return store.get(serverSetups, SYSTEM, "last");
}
