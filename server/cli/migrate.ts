import { statSync } from "node:fs";
import { access, constants, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Command } from "commander";
import { readConfig } from "../config.ts";
import { loadAccount, type Account } from "../domain/program/account/account.ts";
import { systemChance } from "../domain/context.ts";
import { openConfiguredFiles } from "../process/configured-store.ts";
import { storeOn } from "../storage/open.ts";
import { makeWhole } from "../storage/whole-file.ts";
import { openArchive } from "../transfer/migration/archive.ts";
import { migrate, SOURCES, type Migrated } from "../transfer/migration/migrate.ts";
import { SOURCE_NAMES, type Source, type SourceName } from "../transfer/migration/model.ts";
import { proofCsv } from "../transfer/migration/proof.ts";
import { readGivenFile, webAddress } from "./options.ts";
import { newProgressView } from "./progress.ts";
import { print, tell, withEngine } from "./store.ts";

/** How many remarks and promoters with differences are shown. */
const MOST_SHOWN = 100;

interface Options {
  keyFile?: string;
  fromArchive: boolean;
  dryRun: boolean;
  baseUrl?: string;
  report?: string;
}

/** Adds the command that imports another program by its API. */
export function migrateCommand(program: Command): void {
  program
    .command("migrate <account-id> <program>")
    .description(
      `import everything from ${SOURCE_NAMES.join(", ")}; run it as often as you like, also beside a running server`,
    )
    .option("--key-file <file>", "the program's API key; if it has two parts, one on each line")
    .option("--from-archive", "don't ask the program, but import what it answered last", false)
    .option("--dry-run", "show what would happen, and write nothing into the store", false)
    .option("--base-url <url>", "the address of the program's API, for example of a proxy", webAddress)
    .option("--report <file>", "write the comparison of all promoters into a CSV file")
    .action(takeOver);
}

async function takeOver(accountId: string, name: string, options: Options): Promise<void> {
  const source = sourceNamed(name);
  const key = await keyOf(options);
  if (options.report !== undefined) await requirePlace(options.report);
  await withEngine(async (engine) => {
    const store = await storeOn(engine);
    const account = await loadAccount(store, accountId);
    const files = openConfiguredFiles(readConfig());
    const archive = openArchive(files.migrations, account.id, source.name);
    const view = newProgressView(process.stderr);
    const context = { store, now: new Date(), chance: systemChance };
    const { baseUrl, dryRun: isDryRun } = options;
    const given = { source, archive, key, baseUrl, is_dry_run: isDryRun, onProgress: view.show };
    const migrated = await migrate(context, account, given).finally(() => {
      view.end();
      return files.close();
    });
    await report(migrated, account, options);
  });
}

function sourceNamed(name: string): Source {
  const source = SOURCES[name as SourceName];
  if (Object.hasOwn(SOURCES, name) && source !== undefined) return source;
  throw new Error(`${name} is not one of ${Object.keys(SOURCES).join(", ")}`);
}

/** Null if the archive is used. */
async function keyOf({ keyFile, fromArchive }: Options): Promise<string | null> {
  if (fromArchive) return null;
  if (keyFile === undefined)
    throw new Error("Name the file of the API key with --key-file, or add --from-archive");
  const key = (await readGivenFile(keyFile)).trim();
  if (key === "") throw new Error(`${keyFile} is empty`);
  return key;
}

/** Refuses a report that can't be written, before hours of work. @throws Error in one sentence */
async function requirePlace(file: string): Promise<void> {
  try {
    await access(dirname(file), constants.W_OK);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error("It is a folder");
  } catch {
    throw new Error(
      `The report can't be written to ${file}: its folder is missing, or you may not write there`,
    );
  }
}

/** Replaces the report of an earlier run. */
async function writeReport(file: string, csv: string): Promise<void> {
  await rm(file, { force: true });
  await makeWhole(file, (path) => writeFile(path, csv));
}

/** Ends with exit code 1 if one cent or one person differs. */
async function report(
  { counts, remarks, proof }: Migrated,
  account: Account,
  options: Options,
): Promise<void> {
  for (const remark of remarks.slice(0, MOST_SHOWN)) tell(remark);
  if (remarks.length > MOST_SHOWN) tell(`and ${remarks.length - MOST_SHOWN} more remarks`);
  const differing = proof.rows.filter(({ differences }) => differences.length > 0);
  for (const { email, differences } of differing.slice(0, MOST_SHOWN))
    tell(`${email}: ${differences.join("; ")}`);
  if (options.report !== undefined) await writeReport(options.report, proofCsv(proof, account.currency));
  print({
    dry_run: options.dryRun,
    ...counts,
    remarks: remarks.length,
    promoters_compared: proof.rows.length,
    promoters_that_differ: proof.differing_count,
  });
  if (proof.differing_count > 0) process.exitCode = 1;
}
