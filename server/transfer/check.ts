import { derivedOf, recordKey, type Pointer } from "../storage/collection.ts";
import { readSum, type AtomicDriver } from "../storage/driver.ts";
import { decodeKey } from "../storage/keys.ts";
import { snapshot, type Entry } from "../storage/listing/snapshot.ts";
import { kindOf, type AnyCollection, type AnyRecord } from "./collections.ts";
import { counting, type Progress } from "./progress.ts";

/** A counter's stored value, and the sum over the records. */
type Counters = Map<string, { said: number; counted: number }>;

/**
 * Compares all claims, index entries and counters of a store with its records, and yields a sentence for
 * each one that is missing, wrong or belongs to no record. Nobody may write to the store meanwhile.
 *
 * Only the counters of one account are in memory at a time.
 */
export async function* findFaults(
  driver: AtomicDriver,
  onProgress: Progress = () => {},
): AsyncGenerator<string> {
  const progress = counting("checked", onProgress);
  let counters: Counters = new Map();
  let account = "";
  for await (const entries of snapshot(driver)) {
    for (const entry of entries) {
      const owner = entry[0].slice(0, entry[0].indexOf(":"));
      // Entries are in the order of their accounts.
      if (owner !== account) yield* wrongCounters(counters);
      if (owner !== account) counters = new Map();
      account = owner;
      count(entry, counters);
    }
    const faults = await Promise.all(entries.map((entry) => faultsOf(driver, entry)));
    yield* faults.flat();
    progress(entries.length);
  }
  yield* wrongCounters(counters);
}

function count([key, text]: Entry, counters: Counters): void {
  const sorted = kindOf(key);
  if (sorted.kind === "counter") counterOf(counters, key).said += readSum(text);
  if (sorted.kind !== "record") return;
  const { sums } = derivedOf(sorted.from, JSON.parse(text) as AnyRecord);
  for (const [counter, amount] of sums) counterOf(counters, counter).counted += amount;
}

function counterOf(counters: Counters, key: string) {
  let counter = counters.get(key);
  if (counter === undefined) counters.set(key, (counter = { said: 0, counted: 0 }));
  return counter;
}

function* wrongCounters(counters: Counters): Generator<string> {
  for (const [key, { said, counted }] of counters) {
    if (said !== counted)
      yield `the counter ${readable(key)} says ${said}, but the records add up to ${counted}`;
  }
}

async function faultsOf(driver: AtomicDriver, [key, text]: Entry): Promise<string[]> {
  const sorted = kindOf(key);
  if (sorted.kind === "record") return recordFaults(driver, sorted.from, [key, text]);
  if (sorted.kind === "pointer") return pointerFaults(driver, sorted.from, [key, text]);
  return sorted.kind === "unknown" ? [`${readable(key)} has an unknown kind`] : [];
}

/** Checks that each claim and index entry of a record leads to it. */
async function recordFaults(
  driver: AtomicDriver,
  from: AnyCollection,
  [key, text]: Entry,
): Promise<string[]> {
  const record = JSON.parse(text) as AnyRecord;
  const label = `${from.name} ${JSON.stringify(from.id(record))} of account ${record.accountId}`;
  if (recordKey(from, record.accountId, from.id(record)) !== key) {
    return [`${label} is stored under the key of another record: ${readable(key)}`];
  }
  const { pointers, pointer } = derivedOf(from, record);
  const found = await Promise.all(pointers.map((each) => driver.getItem(each.key)));
  return pointers.flatMap(({ what }, at) => {
    const held = found[at] ?? null;
    if (held === pointer) return [];
    return [
      `${label} is not found by its ${what}, which ${held === null ? "is missing" : `leads to ${held}`}`,
    ];
  });
}

/** Checks that the record of a claim or an index entry exists and makes this entry. */
async function pointerFaults(
  driver: AtomicDriver,
  from: AnyCollection,
  [key, text]: Entry,
): Promise<string[]> {
  const [accountId] = decodeKey(key.split(":", 1).join(""));
  const id = JSON.parse(text) as Pointer;
  const stored = await driver.getItem(recordKey(from, Number(accountId), id));
  const pointers = stored === null ? [] : derivedOf(from, JSON.parse(stored) as AnyRecord).pointers;
  if (pointers.some((each) => each.key === key)) return [];
  return [
    `${readable(key)} leads to ${from.name} ${text}, which ${stored === null ? "is gone" : "does not belong there"}`,
  ];
}

/** Formats a key for people. */
function readable(key: string): string {
  return JSON.stringify(decodeKey(key));
}
