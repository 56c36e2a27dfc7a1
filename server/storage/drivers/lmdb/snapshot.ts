import { setImmediate as othersTurn } from "node:timers/promises";
import { EVERYTHING, type Entry } from "../../snapshot.ts";
import { list, type Source } from "./lists.ts";

/** Sorts before all that may continue a key. */
const LEAST = " ";
/** Entries of a snapshot that are read before others get their turn. */
const CHUNK = 1_000;

/** All entries as they are at the moment that `source` is of, whose transaction is given back at the end. */
export async function* snapshot(hold: () => Required<Source>): AsyncGenerator<Entry[]> {
  const source = hold();
  try {
    let from = EVERYTHING.from;
    for (;;) {
      const entries = list(source, { from, before: EVERYTHING.before, limit: CHUNK });
      yield entries;
      const last = entries.at(-1);
      if (entries.length < CHUNK || last === undefined) return;
      from = last[0] + LEAST;
      await othersTurn();
    }
  } finally {
    source.transaction.done();
  }
}
