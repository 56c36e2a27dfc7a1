import { table } from "../storage/table.ts";

/** A long CSV file that is imported piece by piece, and removed when the import is complete. */
export interface CsvImport {
  accountId: number;
  /** The id of its batch. */
  id: number;
  /** Such as `promoters`. */
  kind: string;
  /** Whether nothing is written. */
  isDryRun: boolean;
  /** The import's mapping from lines to values. */
  plan: object;
  /** The last line known to be imported. Later ones may have been imported, too. */
  lastLine: number;
  partCount: number;
  createdAt: string;
}

export const csvImports = table<CsvImport>()({
  name: "csv-import",
  columns: { id: "integer" },
});

/** A piece of such a file. */
export interface CsvPart {
  accountId: number;
  importId: number;
  /** From 0. */
  number: number;
  text: string;
}

export const csvParts = table<CsvPart>()({
  name: "csv-part",
  key: ["import_id", "number"],
  columns: { import_id: "integer", number: "integer" },
});
