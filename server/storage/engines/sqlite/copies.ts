import { backup } from "@photostructure/sqlite";
import { connect, makeFile, type Database } from "./database.ts";
import type { Snapshot } from "../../session.ts";
import { isDamage, refusalOf } from "./faults.ts";
import { guardedReads } from "./statements.ts";

/**
 * More pages than any file has, so a backup is one step. One of several steps restarts whenever another
 * connection commits between them.
 */
const ALL_PAGES = 2 ** 31 - 1;

/** Copies the present state of a store into another folder, unaffected by writes meanwhile. */
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

/** Opens reads of the present moment, on a connection of their own. */
export async function openSnapshot(file: string): Promise<Snapshot> {
  const db = connect(file);
  const reads = guardedReads(db, file);
  db.exec("begin");
  // The first read fixes the moment.
  reads.all({ text: "select key from items limit 1", values: [] });
  return {
    ...reads,
    async close() {
      // A closed connection keeps its transaction open until its statements are garbage-collected.
      db.exec("rollback");
      db.close();
    },
  };
}

/** Lists the damage that SQLite finds in a file, one line each. It reads the whole file. */
export function damageIn(db: Database): string[] {
  try {
    const rows = db.prepare("pragma integrity_check").all() as [string][];
    return rows.map(([line]) => line).filter((line) => line !== "ok");
  } catch (error) {
    // Some damage aborts the check itself.
    if (isDamage(error)) return [(error as Error).message];
    throw error;
  }
}
