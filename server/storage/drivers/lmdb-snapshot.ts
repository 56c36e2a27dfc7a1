import { setImmediate as othersTurn } from "node:timers/promises";
import type { Database } from "lmdb";
import { EVERYTHING } from "../snapshot.ts";

/** Sorts before all that may continue a key. */
const LEAST = " ";
/** Entries of a snapshot that are read before others get their turn. */
const CHUNK = 1_000;

/** All entries as they are at this moment, whatever is written meanwhile. */
export async function* snapshot(db: Database<string, string>): AsyncGenerator<[string, string][]> {
  const transaction = db.useReadTransaction();
  try {
    let start = EVERYTHING.from;
    for (;;) {
      const range = db.getRange({ transaction, start, limit: CHUNK });
      const entries = [...range].map(({ key, value }): [string, string] => [key, value]);
      yield entries;
      const last = entries.at(-1);
      if (entries.length < CHUNK || last === undefined) return;
      start = last[0] + LEAST;
      await othersTurn();
    }
  } finally {
    transaction.done();
  }
}
