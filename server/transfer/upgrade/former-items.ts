import { setImmediate as othersTurn } from "node:timers/promises";
import { Failure } from "../../failure.ts";
import { freezes, type Freeze } from "../../storage/freeze.ts";
import { formerItems, LAYOUT, MARK_KEY, PROOF_KEY } from "../../storage/layout.ts";
import type { Reads } from "../../storage/session.ts";
import { tableNamed } from "../../tables.ts";
import { IDS, type Item, type Items } from "../item.ts";
import type { Work } from "../work.ts";
import { clicks, money } from "./layout-5.ts";
import { changed, item, type Changes, type Conversion } from "./conversion.ts";
import { MIGRATIONS, remadeSince } from "./migrations.ts";
import { sales } from "./layout-7.ts";

/**
 * Stores of layouts 5 to 12 were key-value stores: records, derived data, next ids and the mark. Keys begin with the account
 * and a name.
 */
export type Entry = [key: string, value: string];

/** Entries per query, and per commit of a removal. */
const CHUNK = 1_000;
const REMOVED = 50_000;

/** Kinds of records that only earlier releases had. They are read for conversions. */
export const FORMER_KINDS = ["balance"];

/** The proof of a key is not one of them. */
const IS_ENTRY = `key <> '${PROOF_KEY}'`;

/** All entries, in the order of their keys. */
export async function* entriesIn(reads: Reads): AsyncGenerator<Entry[]> {
  const table = await formerItems(reads);
  if (table === null) return;
  const text = `select key, value from ${table} where key > ${reads.dialect.value(1)} and ${IS_ENTRY} order by key limit ${CHUNK}`;
  for (let last = ""; ;) {
    const entries = (await reads.all({ text, values: [last] })) as Entry[];
    if (entries.length > 0) yield entries;
    if (entries.length < CHUNK) return;
    last = entries.at(-1)![0];
    await othersTurn();
  }
}

/** The records and next ids in a layout's entries, converted to this release. */
export function formerItemsIn(reads: Reads, layout: number): Items {
  const read = entryReader(layout);
  return converted(layout, async function* () {
    for await (const entries of entriesIn(reads)) {
      yield entries.map(read).filter((item): item is Item => item !== null);
    }
  });
}

/** How many entries there are, the mark included. */
export async function countEntries(reads: Reads): Promise<number> {
  const table = await formerItems(reads);
  if (table === null) return 0;
  const [row] = await reads.all({ text: `select count(*) from ${table} where ${IS_ENTRY}`, values: [] });
  return Number(row![0]);
}

export async function holdsFormer(reads: Reads): Promise<boolean> {
  return (await countEntries(reads)) > 1;
}

/** Removes all entries but the mark. */
export async function dropFormer(work: Work, onItems: (count: number) => void): Promise<void> {
  const table = await formerItems(work.engine.reads);
  if (table === null) return;
  const place = work.engine.dialect.value(1);
  const keys = `select key from ${table} where key <> ${place} order by key limit ${REMOVED}`;
  const statement = { text: `delete from ${table} where key in (${keys})`, values: [MARK_KEY] };
  const count = { removed: REMOVED };
  while (count.removed === REMOVED) {
    await work.commit(async (session) => {
      count.removed = await session.run(statement);
    });
    onItems(count.removed);
  }
}

/**
 * The conversions of each layout's records to the next layout, up to the introduction of tables. Most layouts only changed
 * derived data.
 */
const CONVERSIONS: Record<number, Conversion[]> = { 5: [clicks, money], 7: [sales], 12: [withoutHolds] };

/** Items of a layout, converted to this release. */
export function converted(layout: number, items: Items): Items {
  const conversions: Conversion[] = [];
  for (let each = layout; each < LAYOUT; each++) conversions.push(...(CONVERSIONS[each] ?? []));
  conversions.push(migrationsSince(layout));
  return conversions.reduce(changed, items);
}

/** The migrations' changes to records of exports and of stores without tables. */
function migrationsSince(layout: number): Conversion {
  const changes = remadeSince(layout, MIGRATIONS).map(({ table, change }) => [
    table.name,
    (record: never) => [item(table, change(record))],
  ]);
  return async () => Object.fromEntries(changes) as Changes;
}

/** Drops locks of accounts, because the processes that held them have ended. */
async function withoutHolds(): ReturnType<Conversion> {
  const isHeld = (freeze: Omit<Freeze, "state"> & { state: string }) => freeze.state === "held";
  return { [freezes.name]: (freeze: Freeze) => (isHeld(freeze) ? [] : [item(freezes, freeze)]) };
}

/** Makes the reader of a layout's entries. It returns null for anything but records and next ids. */
export function entryReader(layout: number): (entry: Entry) => Item | null {
  if (layout === 5) return itemOfLayout5;
  return layout === 6 ? itemOfLayout6 : itemOf;
}

/** Escapes of characters that were not allowed in keys, with their hexadecimal codes. */
const ESCAPED = /[+@_][0-9a-f]{2}|~[0-9a-f]{4}/g;

/** A part of a key: a text, or a non-negative integer. */
function decoded(part: string): string | number {
  if (!part.startsWith("s")) return Number.parseInt(part.slice(1), 36);
  return part
    .slice(1, -1)
    .replace(ESCAPED, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
}

/** Decoded names by encoded form. There are only few, because they come from the code. */
const names = new Map<string, string>();

/** Reads an entry of layouts 7 to 12. @throws Failure `malformed` for an unknown kind of record */
function itemOf([key, text]: Entry): Item | null {
  const [account, second = "", third = ""] = key.split(":", 3);
  let name = names.get(second);
  if (name === undefined) names.set(second, (name = String(decoded(second))));
  // Claims, index entries and counters.
  if (/[./=]/.test(name) || key === MARK_KEY) return null;
  if (name === IDS && decoded(account!) === 0) return idsOf(String(decoded(third)), text);
  if (!isRecord(name)) throw new Failure("malformed", `This release does not know ${name} records`);
  return { collection: name, text };
}

function idsOf(kind: string, text: string): Item {
  const { next } = JSON.parse(text) as { next: number };
  return { collection: IDS, text: JSON.stringify({ kind, next }) };
}

function isRecord(name: string): boolean {
  return tableNamed(name) !== null || FORMER_KINDS.includes(name);
}

/** Abbreviations of the most frequent kinds of records in keys of layouts 5 and 6. */
const SHORT_NAMES = new Map([
  ["t", "promoter"],
  ["tb", "commission"],
  ["tf", "visitor"],
  ["z", "lead"],
]);
/** Abbreviations in keys for a promoterCampaign's days, and for its clicks on a day. */
const [DAILY, CLICKS] = ["u", "ta"];

function itemOfLayout6([key, text]: Entry): Item | null {
  const [, second = "", third = ""] = key.split(":");
  const name = longName(second);
  if (name === IDS) return idsOf(longName(third), text);
  return isRecord(name) ? { collection: name, text } : null;
}

/**
 * Layout 5 counted clicks by day, apart from visitors, which expire. So each day's counter becomes a record of past clicks,
 * and the conversion then subtracts the clicks of visitors that still exist.
 */
function itemOfLayout5(entry: Entry): Item | null {
  const [account = "", second, third = "", fourth = "", fifth] = entry[0].split(":");
  if (second !== DAILY || fifth !== CLICKS) return itemOfLayout6(entry);
  const [accountId, day, promoterCampaignId] = [account, third, fourth].map((part) => Number(decoded(part)));
  const { sum: count } = JSON.parse(entry[1]) as { sum: number };
  const owner = { accountId, promoterCampaignId, promoterId: 0, campaignId: 0 };
  return { collection: "past-clicks", text: JSON.stringify({ ...owner, day: dayText(day ?? 0), count }) };
}

function longName(segment: string): string {
  return SHORT_NAMES.get(segment) ?? String(decoded(segment));
}

function dayText(day: number): string {
  return String(day).replace(/(\d\d)(\d\d)$/, "-$1-$2");
}
