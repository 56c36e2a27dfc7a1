import { accessSync, constants, createReadStream } from "node:fs";
import { basename } from "node:path";
import { Option, type Command } from "commander";
import { loadAccount, type Account } from "../domain/program/account/account.ts";
import { systemChance } from "../domain/context.ts";
import { storeOn } from "../storage/open.ts";
import type { Store } from "../storage/store.ts";
import { onCopy } from "../transfer/copy.ts";
import type { MatchedColumn } from "../transfer/csv/columns.ts";
import { importRows, NO_LINES, sumOf, type Kind, type Outcome } from "../transfer/csv/import.ts";
import { KINDS, KIND_NAMES, previewOf, type KindName, type PreviewedLine } from "../transfer/csv/kinds.ts";
import { drawPlan, readRows, type DrawnPlan, type FoundWord, type Saying } from "../transfer/csv/plan.ts";
import { readHeader, type CsvFile } from "../transfer/csv/read.ts";
import { DATE_ORDERS, type DateOrder } from "../transfer/csv/writing.ts";
import { print, tell, withEngine } from "./store.ts";

/** How many unknown column titles are shown. */
const MAX_TITLES = 20;
const MAX_TITLE_LENGTH = 60;
/** How many bad lines are shown for each reason. */
const MOST_ALIKE = 10;

type Options = {
  dryRun: boolean;
  delimiter?: string;
  dates?: DateOrder;
  column: [title: string, field: string | null][];
  word: [word: string, meaning: string][];
} & Partial<Record<KindName, string>>;

/** Adds the command that imports another program's CSV exports. */
export function csvCommand(program: Command): void {
  const command = program
    .command("import-csv <account-id>")
    .description("import CSV exports of another program; known records stay unchanged")
    .option("--dry-run", "show what was understood and what would happen, and write nothing", false)
    .option("--delimiter <character>", "the separator between columns; detected by default", oneCharacter)
    .addOption(
      new Option("--dates <order>", "whether 5/6/2024 begins with day or month").choices(DATE_ORDERS),
    )
    .option(
      "--column <title=field>",
      'what a column is, or "title=" to ignore it; may be repeated',
      oneColumn,
      [],
    );
  command.option(
    "--word <word=meaning>",
    'what a state means, such as "Ausgezahlt=paid"; may be repeated',
    oneWord,
    [],
  );
  for (const name of KIND_NAMES) command.option(`--${name} <file>`, `a file of ${name}`);
  command.action(takeOver);
}

/** A file to import, and what is in it. */
interface Given {
  name: KindName;
  kind: Kind;
  path: string;
  file: CsvFile;
}

async function takeOver(accountId: string, options: Options): Promise<void> {
  const files = KIND_NAMES.flatMap((name): Given[] => {
    const path = options[name];
    if (path === undefined) return [];
    return [{ name, kind: KINDS[name], path, file: () => createReadStream(path) }];
  });
  if (files.length === 0) throw new Error(`Name a file: --${KIND_NAMES.join(", --")}`);
  // Checked first, because a file that can't be opened would end the process half way.
  for (const { name, path } of files) requireReadable(`--${name}`, path);
  await withEngine(async (engine) => {
    const store = await storeOn(engine);
    const account = await loadAccount(store, accountId);
    const results = options.dryRun
      ? await onCopy(store, account, (copy) => importAll(copy, account, { files, options }))
      : await importAll(store, account, { files, options });
    print({ dry_run: options.dryRun, ...results });
    if (Object.values(results).some(({ bad }) => bad > 0)) process.exitCode = 1;
  });
}

/** The result of a file. Columns and preview are shown before the import. */
type Result = Outcome & { columns?: MatchedColumn[]; words?: FoundWord[]; preview?: PreviewedLine[] };

async function importAll(
  store: Store,
  account: Account,
  { files, options }: { files: Given[]; options: Options },
): Promise<Record<string, Result>> {
  const results: Record<string, Result> = {};
  const { delimiter = null, dates: dateOrder = null } = options;
  const headers = await Promise.all(files.map(({ file }) => readHeader(file, delimiter)));
  for (const [title] of options.column) {
    if (!headers.some(({ titles }) => titles.includes(title)))
      throw new Error(`No file has a column ${JSON.stringify(title)}`);
  }
  requireMeanings(files, options.word);
  for (const [at, { name, kind, path, file }] of files.entries()) {
    const chosen = new Map(options.column.filter(([title]) => headers[at]!.titles.includes(title)));
    const saying: Saying = { delimiter, dateOrder, chosen, words: wordsFor(kind, options.word) };
    const drawn = await drawPlan(store, account, { file, kind, saying });
    tellColumns(basename(path), drawn);
    if (drawn.faults.length > 0) throw new Error(`${basename(path)}: ${drawn.faults.join(". ")}`);
    const rows = () => readRows(file, drawn.plan, account);
    const preview = await previewOf(kind, account, rows());
    const complaints = newComplaints(basename(path));
    let outcome = NO_LINES;
    const context = { store, now: new Date(), chance: systemChance };
    for await (const part of importRows(context, account, { kind, rows: rows() })) {
      outcome = sumOf(outcome, part.outcome);
      for (const { line, reason } of part.faults) complaints.add(line, reason);
    }
    complaints.sumUp();
    const { columns, words } = drawn;
    const hasWords = words.length > 0;
    results[name] = options.dryRun ? { ...outcome, columns, ...(hasWords && { words }), preview } : outcome;
  }
  return results;
}
/** Reports how columns were understood, unless it is obvious. */
function tellColumns(file: string, { columns }: DrawnPlan): void {
  const unknown = columns.filter(({ title, certainty }) => title !== "" && certainty === null);
  if (unknown.length > 0)
    tell(`${file}:1: skipped unknown columns: ${listed(unknown.map(({ title }) => title))}`);
  for (const { title, field, certainty, reason } of columns) {
    if (field === null || (certainty !== "likely" && certainty !== "guess")) continue;
    tell(`${file}:1: read ${listed([title])} as ${field} (${certainty}: ${reason})`);
  }
}

/**
 * Reports the bad lines of a file. For each reason, the first lines are shown and the others counted.
 */
function newComplaints(file: string): { add: (line: number, reason: string) => void; sumUp: () => void } {
  const repeats = new Map<string, { count: number; last: number }>();
  return {
    add(line, reason) {
      const count = (repeats.get(reason)?.count ?? 0) + 1;
      repeats.set(reason, { count, last: line });
      if (count <= MOST_ALIKE) tell(`${file}:${line}: ${reason}`);
    },
    sumUp() {
      for (const [reason, { count, last }] of repeats) {
        const more = count - MOST_ALIKE;
        if (more > 0) tell(`${file}: ${more} more such lines, the last is line ${last}: ${reason}`);
      }
    },
  };
}

/** Some titles in quotes, so that they can't contain control characters for the terminal. */
function listed(titles: string[]): string {
  const shown = titles.slice(0, MAX_TITLES).map((title) => JSON.stringify(title.slice(0, MAX_TITLE_LENGTH)));
  return shown.join(", ") + (titles.length > MAX_TITLES ? ` and ${titles.length - MAX_TITLES} more` : "");
}

function requireReadable(option: string, file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new Error(`${option} ${file} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The words that may mean something in a kind of file. */
function wordsFor({ words = {} }: Kind, said: Options["word"]): Map<string, string> {
  const possible = new Set(Object.values(words).flatMap((meanings) => Object.values(meanings)));
  return new Map(said.filter(([, meaning]) => possible.has(meaning)));
}

function requireMeanings(files: Given[], said: Options["word"]): void {
  const known = new Set(files.flatMap(({ kind }) => [...wordsFor(kind, said).keys()]));
  for (const [word, meaning] of said)
    if (!known.has(word)) throw new Error(`--word ${word}=${meaning}: no file has a state ${meaning}`);
}

/** `Ausgezahlt=paid`. @throws Error */
function oneWord(value: string, others: Options["word"]): Options["word"] {
  const at = value.lastIndexOf("=");
  if (at < 1) throw new Error(`--word ${value} is not like "Ausgezahlt=paid"`);
  return [
    ...others,
    [
      value.slice(0, at),
      value
        .slice(at + 1)
        .trim()
        .toLowerCase(),
    ],
  ];
}

/** `Their title=ref_id`. @throws Error */
function oneColumn(
  value: string,
  others: [title: string, field: string | null][],
): [title: string, field: string | null][] {
  const at = value.lastIndexOf("=");
  if (at < 1) throw new Error(`--column ${value} is not like "Their title=ref_id"`);
  const field = value.slice(at + 1).trim();
  return [...others, [value.slice(0, at), field === "" ? null : field]];
}

function oneCharacter(value: string): string {
  if (value === "\\t") return "\t";
  if (value.length === 1) return value;
  throw new Error(`--delimiter ${value} is not one character`);
}
