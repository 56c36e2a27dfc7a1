import { lstat, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Storage } from "unstorage";
import { assets, type Asset } from "../domain/people/asset.ts";
import { accounts, type Account } from "../domain/program/account/account.ts";
import { giveToFolderOwner, makeFolder } from "../storage/owner.ts";
import { sqlName } from "../storage/sql.ts";
import { UPLOADS } from "./export.ts";
import { linesOf } from "./import.ts";

/** How many files were copied, and the names of those that could not be found. */
interface Copied {
  count: number;
  missing: string[];
}

/** Copies the banners, logos and icons that the records of an export name into the export. */
export async function exportUploads(uploads: Storage, folder: string): Promise<Copied> {
  const target = join(folder, UPLOADS);
  makeFolder(target);
  return copy(await namesIn(folder), async (name) => {
    const bytes = await uploads.getItemRaw<Uint8Array | Error>(name);
    // unstorage's fs driver returns its errors.
    if (bytes instanceof Error || bytes === null || bytes === undefined) return false;
    await writeFile(join(target, name), bytes, { mode: 0o600, flush: true });
    giveToFolderOwner(join(target, name));
    return true;
  });
}

/** Copies the files of an export back. */
export async function importUploads(folder: string, uploads: Storage): Promise<Copied> {
  const source = join(folder, UPLOADS);
  return copy(await namesIn(folder), async (name) => {
    const file = join(source, name);
    // What a link leads to would become public.
    if ((await lstat(file).catch(() => null))?.isFile() !== true) return false;
    await uploads.setItemRaw(name, await readFile(file));
    return true;
  });
}

async function copy(names: string[], copyOne: (name: string) => Promise<boolean>): Promise<Copied> {
  const missing: string[] = [];
  for (const name of names) if (!(await copyOne(name))) missing.push(name);
  return { count: names.length - missing.length, missing };
}

/** An export may come from strangers, so a name is never a path. */
const FILE_NAME = /^[\w-]+\.\w+$/;

async function namesIn(folder: string): Promise<string[]> {
  const names = new Set<string>();
  for await (const record of recordsOf<Account>(folder, sqlName(accounts)))
    for (const file of [record.brand?.logo, record.brand?.favicon]) if (file) names.add(file.name);
  for await (const { file } of recordsOf<Asset>(folder, sqlName(assets))) if (file) names.add(file.name);
  return [...names].filter((name) => FILE_NAME.test(name)).sort();
}

async function* recordsOf<R>(folder: string, table: string): AsyncGenerator<R> {
  const file = join(folder, `${table}.jsonl`);
  if ((await stat(file).catch(() => null)) === null) return;
  for await (const { text } of linesOf(file)) yield JSON.parse(text) as R;
}
