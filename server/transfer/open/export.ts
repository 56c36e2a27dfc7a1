import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "../../domain/program/account/account.ts";
import { csvForPeople, type Line } from "../../csv.ts";
import { orderedJson } from "../../storage/digests.ts";
import type { View, Store } from "../../storage/store.ts";
import { finish } from "../../storage/whole-file.ts";
import {
  newPeople,
  OPEN_NOUNS,
  type OpenLine,
  type OpenValue,
  type Opening,
  type OpenNoun,
} from "./nouns.ts";
import { promoterName } from "../../domain/people/promoter/promoter.ts";
import { listLinkPairs, type LinkPair } from "../../domain/switch/switch.ts";

/** The files contain personal data, so only the owner may read them. */
const OWNER_ONLY = { file: 0o600, folder: 0o700 };

/** Makes the context of an export. */
export function opening(view: View, account: Account, hasPayoutDetails: boolean): Opening {
  return { view, account, hasPayoutDetails, people: newPeople(view, account) };
}

/** Files are written in this folder, and get their place when all of them are written. */
const UNFINISHED = "unfinished";

/**
 * Writes a CSV file and a JSON Lines file for each kind of record to a new or empty folder, piece by piece. Resolves to the
 * number of records of each kind.
 */
export async function writeOpenFiles(
  from: Opening,
  { folder, onRecords }: { folder: string; onRecords: (count: number) => void },
): Promise<Record<string, number>> {
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY.folder });
  if ((await readdir(folder)).some((name) => name !== UNFINISHED)) throw new Error(`${folder} is not empty`);
  const unfinished = join(folder, UNFINISHED);
  // A killed export may have left it.
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: OWNER_ONLY.folder });
  try {
    const counts: Record<string, number> = {};
    for (const noun of OPEN_NOUNS) {
      counts[noun.name] = await writePair(from, noun, { folder: unfinished, onRecords });
    }
    for (const name of await readdir(unfinished)) finish(join(unfinished, name), join(folder, name));
    return counts;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Yields every record as a line of JSON that begins with its kind. */
export async function* everything(from: Opening): AsyncGenerator<string> {
  for (const { name, lines } of OPEN_NOUNS) {
    for await (const chunk of lines(from)) {
      const texts = chunk.map((line) => jsonLine({ kind: name, ...line }));
      if (texts.length > 0) yield texts.join("");
    }
  }
}

async function writePair(
  from: Opening,
  { name, lines }: OpenNoun,
  { folder, onRecords }: { folder: string; onRecords: (count: number) => void },
): Promise<number> {
  const paths = ["csv", "jsonl"].map((ending) => join(folder, `${name}.${ending}`));
  const files = await Promise.all(paths.map((path) => open(path, "wx", OWNER_ONLY.file)));
  const [csv, json] = files;
  let count = 0;
  try {
    for await (const chunk of lines(from)) {
      if (chunk.length === 0) continue;
      await csv!.write(csvForPeople(chunk.map(cells), { header: count === 0 }));
      await json!.write(chunk.map(jsonLine).join(""));
      count += chunk.length;
      onRecords(chunk.length);
    }
  } finally {
    for (const file of files) await file.close();
  }
  // Without a line there is no header, so no file is written.
  if (count === 0) for (const path of paths) await rm(path);
  return count;
}

/** In a CSV file, lists and objects are JSON. */
function cells(line: OpenLine): Line {
  return Object.fromEntries(
    Object.entries(line).map(([name, value]) => [
      name,
      isObject(value) && !isDecimal(value) ? orderedJson(value) : (value as Line[string]),
    ]),
  );
}

/** In JSON, amounts are texts, because numbers could lose precision. */
function jsonLine(line: OpenLine): string {
  const fields = Object.entries(line).map(
    ([name, value]) => `"${name}":${orderedJson(isDecimal(value) ? value.decimal : value)}`,
  );
  return `{${fields.join(",")}}\n`;
}

function isDecimal(value: OpenValue): value is { decimal: string } {
  return isObject(value) && "decimal" in value;
}

function isObject(value: OpenValue): value is object {
  return typeof value === "object" && value !== null;
}

const COLUMNS = ["promoter_email", "promoter_name", "campaign", "state", "ref_id", "old_link", "new_link"];

/** The links of all promoters as a CSV file: old links and their replacements. */
export async function* linksCsv(
  store: Store,
  account: Account,
  oldStart: string | null,
): AsyncGenerator<string> {
  yield csvForPeople([], { columns: COLUMNS, header: true });
  for await (const pairs of listLinkPairs(store, account, oldStart)) {
    if (pairs.length > 0) yield csvForPeople(pairs.map(lineOf), { columns: COLUMNS });
  }
}

function lineOf({ promoter, promoterCampaign, campaign, ref_token, oldLink, newLink }: LinkPair): Line {
  return {
    promoter_email: promoter.email,
    promoter_name: promoterName(promoter),
    campaign: campaign.name,
    state: promoterCampaign.state,
    ref_id: ref_token,
    old_link: oldLink,
    new_link: newLink,
  };
}
