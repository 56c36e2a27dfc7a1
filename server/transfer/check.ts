import { derivedOf, recordKey, type Pointer } from "../storage/collection.ts";
import { readSum, type AtomicDriver } from "../storage/driver.ts";
import { decodeKey, digest, numberOf } from "../storage/keys.ts";
import { snapshot, type Entry } from "../storage/listing/snapshot.ts";
import { damageOf, kindOf, type AnyCollection, type AnyRecord } from "./collections.ts";
import { counting, type Progress } from "./progress.ts";
import { tiesOf } from "./ties.ts";

/** Stored numbers by name, each with the sum over the records. */
type Numbers = Map<string, { said: number; counted: number }>;

/** The numbers of one account. */
interface Sums {
  /** By the counter's key. */
  counters: Numbers;
  /** The statements of records about other records. */
  ties: Numbers;
}

/**
 * Compares all claims, index entries and counters of a store with its records, and what records say of each other, and
 * yields a sentence for each one that is damaged, missing, wrong or belongs to no record. Servers may write meanwhile, because
 * the comparison reads one snapshot; what they change may be listed among other faults.
 *
 * Most stores have no faults. So one scan adds up the entries that there are and those that the records ask for, and only
 * the collections whose sums differ are looked at entry by entry. Only the numbers of one account are in memory at a time.
 */
export async function* findFaults(
  driver: AtomicDriver,
  onProgress: Progress = () => {},
): AsyncGenerator<string> {
  const progress = counting("checked", onProgress);
  const balances = newBalances();
  let sums = newSums();
  let account = "";
  for await (const entries of snapshot(driver)) {
    for (const entry of entries) {
      const owner = entry[0].slice(0, entry[0].indexOf(":"));
      // Entries are in the order of their accounts.
      if (owner !== account) yield* wrongNumbers(sums);
      if (owner !== account) sums = newSums();
      account = owner;
      const sorted = kindOf(entry[0]);
      const damage = damageOf(...entry);
      if (damage !== null) yield damage;
      if (damage !== null) continue;
      if (sorted.kind === "unknown") yield `${readable(entry[0])} has an unknown kind`;
      if (sorted.kind === "counter") numberIn(sums.counters, entry[0]).said += readSum(entry[1]);
      if (sorted.kind === "pointer") balances.add(sorted.from, entry, 1);
      if (sorted.kind === "record") addRecord(sorted.from, entry, { ...sums, balances });
    }
    progress(entries.length);
  }
  yield* wrongNumbers(sums);
  const differing = balances.differing();
  if (differing.size > 0) yield* faultsIn(driver, differing);
}

/** Adds the entries and counts that a record asks for. */
function addRecord(
  from: AnyCollection,
  [key, text]: Entry,
  { counters, ties, balances }: Sums & { balances: Balances },
): void {
  const record = JSON.parse(text) as AnyRecord;
  const { pointers, pointer, sums } = derivedOf(from, record);
  for (const [counter, amount] of sums) numberIn(counters, counter).counted += amount;
  for (const { of, said, counted } of tiesOf(from, record)) {
    const tie = numberIn(ties, of);
    tie.said += said;
    tie.counted += counted;
  }
  for (const each of pointers) balances.add(from, [each.key, pointer], -1);
  // In another's place it is a fault of its own.
  if (recordKey(from, record.accountId, from.id(record)) !== key) balances.add(from, [key, text], 1);
}

function newSums(): Sums {
  return { counters: new Map(), ties: new Map() };
}

function numberIn(numbers: Numbers, name: string) {
  let number = numbers.get(name);
  if (number === undefined) numbers.set(name, (number = { said: 0, counted: 0 }));
  return number;
}

function* wrongNumbers({ counters, ties }: Sums): Generator<string> {
  for (const [key, { said, counted }] of counters) {
    if (said !== counted)
      yield `the counter ${readable(key)} says ${said}, but the records add up to ${counted}`;
  }
  for (const [name, { said, counted }] of ties) {
    if (said !== counted) yield `${name} are said to be ${said}, but the records add up to ${counted}`;
  }
}

/** Looks at each record and each entry of some collections. */
async function* faultsIn(driver: AtomicDriver, collections: Set<AnyCollection>): AsyncGenerator<string> {
  for await (const entries of snapshot(driver)) {
    const faults = await Promise.all(
      entries.map(async (entry) => {
        const sorted = kindOf(entry[0]);
        if (damageOf(...entry) !== null) return [];
        if (sorted.kind === "record" && collections.has(sorted.from))
          return recordFaults(driver, sorted.from, entry);
        if (sorted.kind === "pointer" && collections.has(sorted.from))
          return pointerFaults(driver, sorted.from, entry);
        return [];
      }),
    );
    yield* faults.flat();
  }
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
  const recordAt = recordKey(from, Number(accountId), id);
  const stored = await driver.getItem(recordAt);
  if (stored !== null && damageOf(recordAt, stored) !== null) return [];
  const pointers = stored === null ? [] : derivedOf(from, JSON.parse(stored) as AnyRecord).pointers;
  if (pointers.some((each) => each.key === key)) return [];
  return [
    `${readable(key)} leads to ${from.name} ${text}, which ${stored === null ? "is gone" : "does not belong there"}`,
  ];
}

interface Balances {
  /** Adds an entry to the sum of its collection, or takes it away. */
  add(from: AnyCollection, entry: Entry, sign: 1 | -1): void;
  /** The collections to which other entries were added than were taken away. */
  differing(): Set<AnyCollection>;
}

/** Sums of numbers of 48 bits. That two differing sums are the same happens once in 10^14 stores. */
const SUMS_BELOW = 2 ** 48;

/** Compares entries by collection, in any order, and remembers none of them. */
function newBalances(): Balances {
  const sums = new Map<AnyCollection, number>();
  return {
    add(from, [key, text], sign) {
      const number = sign * numberOf(digest(`${key} ${text}`));
      sums.set(from, ((sums.get(from) ?? 0) + number + SUMS_BELOW) % SUMS_BELOW);
    },
    differing: () => new Set([...sums].filter(([, sum]) => sum !== 0).map(([from]) => from)),
  };
}

/** Formats a key for people. */
function readable(key: string): string {
  return JSON.stringify(decodeKey(key));
}
