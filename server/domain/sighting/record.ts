import type { SYSTEM } from "../account/account.ts";

const SIGHTING_KINDS = ["refused-origin", "script", "host", "proxy"] as const;

/**
 * The kinds of things that servers notice about their set-up. `refused-origin`: a site whose sign-ups were refused.
 * `script`: a site that loads the script. `host`: a name by which browsers reach the server. `proxy`: whether
 * addresses were forwarded although no proxy is trusted (`unexpected`), or not by all trusted ones (`missing`).
 */
export type SightingKind = (typeof SIGHTING_KINDS)[number];

/** The latest sightings of one kind, newest first. */
export interface Sightings {
  /** The account whose sites they are. SYSTEM: they concern the server. */
  accountId: number;
  kind: SightingKind;
  seen: Sighting[];
}

export interface Sighting {
  value: string;
  /** Exact to an hour. */
  lastAt: string;
}

/** The set-up of the server that started last. */
export interface ServerSetup {
  accountId: typeof SYSTEM;
  publicUrl: string;
  trustProxyHops: number;
  hasMail: boolean;
  startedAt: string;
}
