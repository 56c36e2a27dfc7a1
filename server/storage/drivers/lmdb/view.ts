import type { Database } from "lmdb";
import type { KnownTexts } from "./known-texts.ts";
import type { Source } from "./lists.ts";
import type { Log } from "./log.ts";

/** Where each commit leaves its stamp; before all encoded keys, so that the last of these grow at the tree's end. */
export const STAMP = "\u001f";

/** What a process has of a store. */
export interface Parts {
  db: Database<string, string>;
  log: Log;
  known: KnownTexts;
  /** Whether a key is logged before it is merged into the tree. */
  isLogged(key: string): boolean;
}

/** A store as it is now. */
export interface View {
  /** Begins a new moment where the present one is over; to be called before anything is read. */
  freshen(): void;
  /** Ends the present moment. */
  refresh(): void;
  read(key: string): string | null;
  /** What lists are read from, in the same turn. */
  now(): Source;
  /** The present moment, kept until its transaction is done. */
  hold(): Required<Source>;
}

/** What all who read in a process see; one moment for each turn of the event loop, unless a commit comes between. */
export function newView({ db, log, known, isLogged }: Parts): View {
  let isFresh = false;
  return { freshen, refresh, read, now, hold };

  /** lmdb holds on to a snapshot until a timer runs, while what asks for it may come from who has written since. */
  function freshen(): void {
    if (isFresh) return;
    isFresh = true;
    setImmediate(refresh);
    db.resetReadTxn();
    look();
  }

  function look(): void {
    known.see(db.get(STAMP));
    log.catchUp();
  }

  function refresh(): void {
    isFresh = false;
  }

  function read(key: string): string | null {
    freshen();
    const text = known.get(key);
    if (text !== undefined) return text;
    const logged = isLogged(key) ? log.get(key) : undefined;
    const stored = logged === undefined ? (db.get(key) ?? null) : logged;
    known.set(key, stored);
    return stored;
  }

  /** lmdb may have begun another snapshot since, by its timer: tree and log must be of the same one. */
  function now(): Source {
    if (isFresh) look();
    else freshen();
    return { db, logged: log };
  }

  function hold(): Required<Source> {
    return { ...now(), logged: log.hold(), transaction: db.useReadTransaction() };
  }
}
