import { scan } from "../../scan.ts";
import { EVERYTHING, type Entry } from "../../snapshot.ts";
import { list, type Source } from "./lists.ts";

/** All entries as they are at the moment that is held for it, whatever is written meanwhile. */
export async function* snapshot(hold: () => Required<Source>): AsyncGenerator<Entry[]> {
  const source = hold();
  try {
    yield* scan({ list: async (range) => list(source, range) }, EVERYTHING);
  } finally {
    source.transaction.done();
  }
}
