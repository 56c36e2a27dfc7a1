import { backup } from "@photostructure/sqlite";
import { scan } from "../../listing/scan.ts";
import { EVERYTHING, type Entry } from "../../listing/snapshot.ts";
import { connect, makeFile, type Database } from "./database.ts";
import { isDamage, refusalOf } from "./faults.ts";
import { newList } from "./view.ts";

/**
 * More pages than any file has: a backup in several steps starts again whenever somebody commits between
 * them.
 */
const ALL_PAGES = 2 ** 31 - 1;

/** Yields all entries as they are now, whatever is written meanwhile. */
export async function* snapshot(file: string): AsyncGenerator<Entry[]> {
  const db = connect(file);
  try {
    db.exec("begin");
    const list = newList(db);
    yield* scan({ list: async (range) => list(range) }, EVERYTHING);
  } finally {
    // The binding closes a connection, and its transaction, only when its statements are collected.
    if (db.isTransaction) db.exec("rollback");
    db.close();
  }
}

/** Copies a store as it is now into another folder, whatever is written meanwhile. */
export async function backUp(file: string, folder: string): Promise<void> {
  const db = connect(file);
  try {
    await backup(db, makeFile(folder), { rate: ALL_PAGES });
  } catch (error) {
    throw refusalOf(error, { file, what: "written to" });
  } finally {
    db.close();
  }
}

/** Lists the damage that SQLite finds in a file, a line each. It reads the whole file at once. */
export function damageIn(db: Database): string[] {
  try {
    const rows = db.prepare("pragma integrity_check").all() as [string][];
    return rows.map(([line]) => line).filter((line) => line !== "ok");
  } catch (error) {
    // Some damage ends the check itself.
    if (isDamage(error)) return [(error as Error).message];
    throw error;
  }
}
