import { setImmediate as othersTurn } from "node:timers/promises";
import type { Database } from "lmdb";

/** Sorts before all that may continue a key. */
const LEAST = " ";
/** Entries of a snapshot that are read before others get their turn. */
const CHUNK = 1_000;

/** All entries before a key as they are at this moment, whatever is written meanwhile. */
export async function* snapshot(
  db: Database<string, string>,
  end: string,
): AsyncGenerator<[string, string][]> {
  const transaction = db.useReadTransaction();
  try {
    let start = "";
    for (;;) {
      const range = db.getRange({ transaction, start, end, limit: CHUNK });
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
