import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Account } from "../../server/domain/program/account/account.ts";
import type { Context } from "../../server/domain/context.ts";
import type { ChosenColumns, MatchedColumn } from "../../server/transfer/csv/columns.ts";
import { importRows, NO_LINES, sumOf, type Kind, type Outcome } from "../../server/transfer/csv/import.ts";
import { drawPlan, readRows } from "../../server/transfer/csv/plan.ts";
import type { TestApp } from "./app.ts";

interface Import {
  kind: Kind;
  file: string;
  delimiter?: string;
  chosen?: ChosenColumns;
  words?: ReadonlyMap<string, string>;
  onUnknown?: (titles: string[]) => void;
  onColumns?: (columns: MatchedColumn[]) => void;
  onBad: (line: number, reason: string) => void;
}

/** Imports a file as the command line does. */
export async function importCsv(context: Context, account: Account, given: Import): Promise<Outcome> {
  const { kind } = given;
  const file = () => createReadStream(given.file);
  const { delimiter = null, chosen = new Map(), words = new Map() } = given;
  const saying = { delimiter, dateOrder: null, chosen, words };
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

/** Imports the lines of a file, of which all must be right. */
export async function importLines(app: TestApp, kind: Kind, lines: string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  const file = join(folder, "file.csv");
  writeFileSync(file, lines.join("\n"));
  const account = await app.records.get("account", app.account_id);
  const bad: string[] = [];
  const onBad = (line: number, reason: string) => void bad.push(`${line}: ${reason}`);
  await importCsv(app.context, account!, { kind, file, delimiter: ",", onBad });
  expect(bad).toEqual([]);
  rmSync(folder, { recursive: true });
}
