import { createReadStream } from "node:fs";
import type { Account } from "../../server/domain/program/account/account.ts";
import type { Context } from "../../server/domain/context.ts";
import type { ChosenColumns, MatchedColumn } from "../../server/transfer/csv/columns.ts";
import { importRows, NO_LINES, sumOf, type Kind, type Outcome } from "../../server/transfer/csv/import.ts";
import { drawPlan, readRows } from "../../server/transfer/csv/plan.ts";

interface Import {
  kind: Kind;
  file: string;
  delimiter?: string;
  chosen?: ChosenColumns;
  onUnknown?: (titles: string[]) => void;
  onColumns?: (columns: MatchedColumn[]) => void;
  onBad: (line: number, reason: string) => void;
}

/** Imports a file as the command line does. */
export async function importCsv(context: Context, account: Account, given: Import): Promise<Outcome> {
  const { kind } = given;
  const file = () => createReadStream(given.file);
  const saying = { delimiter: given.delimiter ?? null, dateOrder: null, chosen: given.chosen ?? new Map() };
  const { plan, columns, faults } = await drawPlan(context.store, account, { file, kind, saying });
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const unknown = columns.filter(({ title, certainty }) => certainty === null && title !== "");
  if (unknown.length > 0) given.onUnknown?.(unknown.map(({ title }) => title));
  given.onColumns?.(columns);
  let outcome = NO_LINES;
  for await (const part of importRows(context, account, { kind, rows: readRows(file, plan, account) })) {
    outcome = sumOf(outcome, part.outcome);
    for (const { line, reason } of part.faults) given.onBad(line, reason);
  }
  return outcome;
}
