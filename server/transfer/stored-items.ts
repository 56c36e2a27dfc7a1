import { setImmediate as othersTurn } from "node:timers/promises";
import { accounts } from "../domain/program/account/account.ts";
import { Failure } from "../failure.ts";
import { NO_SEAL, type Seal } from "../seal.ts";
import { asStored } from "../storage/as-stored.ts";
import { keyOf, recordJson, recordOf } from "../storage/record.ts";
import { quoted, parseStored, type KeyPart } from "../storage/table.ts";
import { readItem } from "../storage/items.ts";
import { PROOF_KEY } from "../storage/layout.ts";
import { rowOf } from "../storage/sealed.ts";
import type { Engine, Reads, Session, Values } from "../storage/session.ts";
import { recordStatements, sqlName, type Dialect } from "../storage/sql.ts";
import { newAdditions, newCalendars } from "../storage/sums.ts";
import { newView } from "../storage/view.ts";
import { runOn } from "../storage/transaction.ts";
import { SUM_TABLES, tableNamed, TABLES, type AnyRecord, type AnyTable } from "../tables.ts";
import { IDS, OWN, type Item } from "./item.ts";

/** Rows per query. */
const CHUNK = 1_000;

/** Accounts come first, so that a reader knows them before their records. */
export const IN_ORDER = [
  accounts as unknown as AnyTable,
  ...TABLES.filter(({ name }) => name !== accounts.name),
];

/** Runs `read` on one snapshot of a store. */
export async function* atOneMoment<T>(
  engine: Engine,
  read: (reads: Reads) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const snapshot = await engine.snapshot();
  try {
    yield* read(snapshot);
  } finally {
    await snapshot.close();
  }
}

/** Everything in a store, in chunks: the records by table, account and key, then next ids. */
export async function* itemsIn(reads: Reads): AsyncGenerator<Item[]> {
  for (const table of IN_ORDER) yield* recordsIn(reads, table);
  yield await nextIdsIn(reads);
}

/** The records of a table, or only those of an account, by account and key. */
export async function* recordsIn(reads: Reads, from: AnyTable, accountId?: number): AsyncGenerator<Item[]> {
  const stored = await asStored(reads, from);
  for await (const rows of rowsIn(reads, stored, accountId)) {
    yield rows.map((row) => ({ collection: from.name, text: recordJson(stored, recordOf(stored, row)) }));
  }
}

export async function nextIdsIn(reads: Reads): Promise<Item[]> {
  const rows = await reads.all({ text: "select kind, next from ids order by kind", values: [] });
  return rows.map(([kind, next]) => ({
    collection: IDS,
    text: JSON.stringify({ kind, next: Number(next) }),
  }));
}

/** The proof of a store's key. It goes along with sealed records. */
export async function proofIn(reads: Reads): Promise<Item[]> {
  const value = await readItem(reads, PROOF_KEY);
  return value === null ? [] : [{ collection: OWN, text: JSON.stringify({ key: PROOF_KEY, value }) }];
}

/** Whether an item is the proof of a store's key. */
export function isProof({ collection, text }: Item): boolean {
  return collection === OWN && (JSON.parse(text) as { key: string }).key === PROOF_KEY;
}

/** The rows of a table, or only those of an account, by account and key, in chunks. */
export async function* rowsIn(reads: Reads, from: AnyTable, accountId?: number): AsyncGenerator<Values[]> {
  const { value } = reads.dialect;
  const names = from.names;
  const order = ["account_id", ...from.key];
  const select = `select ${quoted(names).join(", ")} from ${sqlName(from)}`;
  const end = `order by ${quoted(order).join(", ")} limit ${CHUNK}`;
  for (let after: Values = []; ;) {
    const values = accountId === undefined ? [] : [accountId];
    const conditions = values.map(() => `account_id = ${value(1)}`);
    if (after.length > 0) {
      const places = after.map((_, at) => value(values.length + at + 1));
      conditions.push(`(${quoted(order).join(", ")}) > (${places.join(", ")})`);
    }
    const where = conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
    const rows = await reads.all({ text: `${select} ${where} ${end}`, values: [...values, ...after] });
    if (rows.length > 0) yield rows;
    if (rows.length < CHUNK) return;
    after = order.map((name) => rows.at(-1)![names.indexOf(name)]!);
    await othersTurn();
  }
}

/** How many records a store holds. */
export async function countRecords(reads: Reads): Promise<number> {
  let count = 0;
  for (const table of TABLES) {
    const [row] = await reads.all({ text: `select count(*) from ${sqlName(table)}`, values: [] });
    count += Number(row![0]);
  }
  return count;
}

/** Whether a store has nothing but its mark. */
export async function holdsNothing(reads: Reads): Promise<boolean> {
  for (const name of [...TABLES.map(sqlName), "ids"]) {
    const rows = await reads.all({ text: `select 1 from ${name} limit 1`, values: [] });
    if (rows.length > 0) return false;
  }
  return true;
}

/** Empties all tables. */
export async function clearTables(session: Session): Promise<void> {
  for (const name of [...TABLES.map(sqlName), ...SUM_TABLES.map(({ name }) => name), "ids"]) {
    await session.run({ text: `delete from ${name}`, values: [] });
  }
}

/** @throws Failure `malformed` for a kind of record that this release does not know */
export function tableOf({ collection }: Item): AnyTable {
  const table = tableNamed(collection);
  if (table === null) throw new Failure("malformed", `This release does not know ${collection} records`);
  return table;
}

/**
 * Inserts items, and adds them to the sums. Plain secrets are sealed.
 *
 * @throws Failure `malformed` for a record that contradicts another one
 */
export async function insertItems(session: Session, items: Item[], engine: Engine): Promise<void> {
  const { seal = NO_SEAL } = engine;
  const additions = newAdditions();
  const calendars = newCalendars(newView(session, seal));
  for (const [collection, texts] of grouped(items)) {
    if (collection === IDS || collection === OWN) {
      for (const text of texts) await putShared(session, { collection, text }, engine);
      continue;
    }
    const table = tableOf({ collection, text: "" });
    const records = texts.map((text) => parseStored<AnyRecord>(collection, text));
    for (const record of records) {
      const calendar = await calendars.of(table, record.account_id);
      additions.note(table, { before: null, after: record, calendar });
    }
    await insertRecords(session, table, { records, seal });
  }
  await session.addUp(additions.take());
}

/** Inserts or replaces an item. Of next ids, the greater one stays. */
export async function putShared(session: Session, item: Item, engine: Engine): Promise<void> {
  const [one, two] = [1, 2].map(session.dialect.value);
  const given = JSON.parse(item.text) as { kind: string; next: number; key: string; value: string };
  if (item.collection === IDS) {
    await session.run({
      text:
        `insert into ids (kind, next) values (${one}, ${two})` +
        " on conflict (kind) do update set next = excluded.next where excluded.next > ids.next",
      values: [given.kind, given.next],
    });
  } else if (item.collection === OWN) {
    await session.run({
      text:
        `insert into items (key, value) values (${one}, ${two})` +
        " on conflict (key) do update set value = excluded.value",
      values: [given.key, given.value],
    });
  } else
    await runOn(session, engine, (tx) =>
      tx.put(tableOf(item), parseStored<AnyRecord>(item.collection, item.text)),
    );
}

function grouped(items: Item[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { collection, text } of items) {
    const group = groups.get(collection);
    if (group === undefined) groups.set(collection, [text]);
    else group.push(text);
  }
  return groups;
}

/** Rows per statement, to save round trips to a remote database. */
const ROWS = 50;

async function insertRecords(
  session: Session,
  into: AnyTable,
  { records, seal }: { records: AnyRecord[]; seal: Seal },
): Promise<void> {
  const rows = records.map((record) => rowOf(into, record, seal));
  let done = 0;
  for (; done + ROWS <= rows.length; done += ROWS) {
    const values = rows.slice(done, done + ROWS).flat();
    await session.run({ text: manyInsert(into, session.dialect), values });
  }
  for (; done < rows.length; done++) {
    const key = keyOf(into, records[done]!);
    const written = {
      key,
      isNew: true,
      refusal: (unique: string | null) => contradiction(into, key, unique),
    };
    await session.write(into, rows[done]!, written);
  }
}

export function contradiction({ name }: AnyTable, key: KeyPart[], unique: string | null): Failure {
  return new Failure(
    "malformed",
    `${name} ${JSON.stringify(key)} has the same ${unique ?? "key"} as another`,
  );
}

function manyInsert(into: AnyTable, dialect: Dialect): string {
  const [head] = recordStatements(into, dialect).insert.split(" values ");
  const width = into.names.length;
  const placesOf = (row: number) =>
    Array.from({ length: width }, (_, column) => dialect.value(row * width + column + 1)).join(", ");
  return `${head} values ${Array.from({ length: ROWS }, (_, row) => `(${placesOf(row)})`).join(", ")}`;
}
