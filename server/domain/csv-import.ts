import { table } from "../storage/table.ts";

/** A long CSV file that is imported bit by bit. It is gone when all of it is imported. */
export interface CsvImport {
  accountId: number;
  /** That of its batch. */
  id: number;
  /** Such as `promoters`. */
  kind: string;
  /** Whether it is only tried. */
  isDryRun: boolean;
  /** How its lines become values, as the import has drawn it. */
  plan: object;
  /** The last line that was imported. Those after it may have been, too. */
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
