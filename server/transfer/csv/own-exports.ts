import { Failure } from "../../failure.ts";
import { TABLES, type AnyTable } from "../../tables.ts";

/** The columns of a table's CSV file. */
export function csvColumns({ fields }: AnyTable): string[] {
  return ["account_id", ...Object.keys(fields)];
}

/** Columns of the list of payouts, which no other program's file has together. */
const PAYOUT_LIST = ["period_end", "total_incl_tax"];

/**
 * Refuses our own exports. Such a file has a part of the program: an import of it would lose links, codes and states, and owe
 * again what was paid.
 *
 * @throws Failure `malformed` with the right command
 */
export function refuseOwnExport(titles: readonly string[]): void {
  const isTable = TABLES.some((table) => csvColumns(table).join() === titles.join());
  if (!isTable && !PAYOUT_LIST.every((name) => titles.includes(name))) return;
  throw new Failure(
    "malformed",
    `The file is one of Tidemark's own exports, and has only a part of the program. ${RIGHT_COMMANDS}`,
  );
}

const RIGHT_COMMANDS = "`tidemark export FOLDER` and `tidemark import FOLDER` copy all of it";

/** Refuses JSON lines, which our own exports are, too. @throws Failure `malformed` */
export function refuseJson(firstLine: string): void {
  if (!/^\uFEFF?\s*[{[]/.test(firstLine)) return;
  throw new Failure(
    "malformed",
    `The file is JSON, not CSV. If it is an export of Tidemark: ${RIGHT_COMMANDS}`,
  );
}
