import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../server/storage/session.ts";
import { sqlName } from "../../server/storage/sql.ts";
import { TABLES } from "../../server/tables.ts";
import { exportFolder } from "../../server/transfer/export.ts";
import { importFolder } from "../../server/transfer/import.ts";

type Options = Partial<Omit<Parameters<typeof exportFolder>[1], "folder">>;

export const TABLE_NAMES: ReadonlySet<string> = new Set(TABLES.map(sqlName));

/** Exports a store to a new folder, with its secrets unless told otherwise. */
export async function exported(engine: Engine, options: Options = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  await exportFolder(engine, { onProgress: () => {}, secrets: "plain", ...options, folder });
  return folder;
}

/** Fills an empty store with an export. */
export const imported = (engine: Engine, folder: string) =>
  importFolder(engine, { folder, onProgress: () => {}, resumes: false, isForced: false });

/** The files of a folder, by name. */
export function textsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
