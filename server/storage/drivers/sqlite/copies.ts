import { backup } from "@photostructure/sqlite";
import { scan } from "../../listing/scan.ts";
import { EVERYTHING, type Entry } from "../../listing/snapshot.ts";
import { connect, makeFile, type Database } from "./database.ts";
import { isDamage, isPassing, unavailable } from "./faults.ts";
import { newList } from "./lists.ts";

/** More pages than any file has: a copy in several steps begins anew whenever somebody commits between them. */
const ALL_PAGES = 2 ** 31 - 1;

/** All entries as they stand now, whatever is written meanwhile. */
export async function* snapshot(file: string): AsyncGenerator<Entry[]> {
  const db = connect(file);
  try {
    db.exec("begin");
    const list = newList(db);
    yield* scan({ list: async (range) => list(range) }, EVERYTHING);
  } finally {
    // The binding closes a connection only when its statements are collected, and its transaction with it.
    if (db.isTransaction) db.exec("rollback");
    db.close();
  }
}

/** Copies a store into another folder as it stands now, whatever is written meanwhile. */
export async function backUp(file: string, folder: string): Promise<void> {
  const db = connect(file);
  try {
    await backup(db, makeFile(folder), { rate: ALL_PAGES });
  } catch (error) {
    throw isPassing(error) ? unavailable(error) : error;
  } finally {
    db.close();
  }
}

/** What SQLite finds damaged in a file, a line each. Reads all of it at once. */
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
