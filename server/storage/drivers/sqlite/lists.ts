import type { Range } from "../../driver.ts";
import type { Entry } from "../../listing/snapshot.ts";
import type { Database } from "./database.ts";

/** Returns a function that lists the entries of a range as a connection sees them. */
export function newList(db: Database): (range: Range) => Entry[] {
  const entries = "select key, value from items where key >= ? and key < ? order by key";
  const forward = db.prepare(`${entries} limit ? offset ?`);
  const backward = db.prepare(`${entries} desc limit ? offset ?`);
  return ({ from, before, limit, offset = 0, reverse = false }) =>
    (reverse ? backward : forward).all(from, before, limit, offset) as Entry[];
}
