import { POSTGRES, sqlName } from "../../sql.ts";
import { addedRow, addedTypes, adding, newAdditions, type Addition } from "../../sums.ts";
import { quoted, type ColumnType, type ColumnValue, type Table, type Key } from "../../table.ts";
import { NO_STANDBY } from "./faults.ts";
import type { Command, Value } from "./pipeline.ts";

/**
 * A condition of every writing statement. Statements are sent without waiting for `begin`; if it fails, each
 * would commit by itself.
 */
export const HAS_BEGUN = "current_setting('tidemark.begun', true) = 'yes'";

/**
 * Whether a commit waits for a standby that is connected. The names alone don't tell: some programs for failovers empty
 * them when the standby is gone, which also ends the waiting of commits.
 */
export const HAS_STANDBY = `current_setting('synchronous_commit') not in ('off', 'local')
  and current_setting('synchronous_standby_names') <> ''
  and exists (select from pg_stat_replication where sync_state in ('sync', 'quorum'))`;

/** Fails without such a standby, with an error that `isWithoutStandby` knows. */
export const DEMANDED_STANDBY = `cast(case when ${HAS_STANDBY} then '1' else '${NO_STANDBY}' end as integer)`;

/** Groups items that can share a statement. */
export function groupedBy<T>(all: Iterable<T>, nameOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const name = nameOf(one);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

/** The columns by which rows are looked up. */
export function wayOf({ from, by }: Pick<Wanted, "from" | "by">): string {
  return `${from.name} ${by.join()}`;
}

/** The type of values for a column, also of one that the engine adds. They take the column's collation. */
const TYPES: Record<ColumnType, string> = { ...POSTGRES.types, text: "text" };
const typeOf = (of: Table<never>, column: string) => TYPES[of.columns[column] ?? "integer"];

/** The rows passed to a statement, as a table of that name. Their values are appended to the others. */
function given(
  from: Table<never>,
  columns: readonly string[],
  rows: readonly (readonly ColumnValue[])[],
  values: Value[],
): string {
  const arrays = columns.map((column, at) => {
    const type = typeOf(from, column);
    return `cast($${values.push(rows.map((row) => row[at]!))} as ${type}[])`;
  });
  return `unnest(${arrays.join(", ")}) as given(${quoted(columns).join(", ")})`;
}

/** Joins a table with the rows passed. */
function matching(from: Table<never>, columns: readonly string[]): string {
  return quoted(columns)
    .map((column) => `${sqlName(from)}.${column} = given.${column}`)
    .join(" and ");
}

/** The position of a wanted row. No table has such a column. */
const WANTED = "wanted_at";

/**
 * Selects rows that are found by the same columns: each one's position among the wanted ones, its version
 * and its values.
 */
export function lookup(wanted: readonly Wanted[]): Command {
  const { from, by } = wanted[0]!;
  const name = sqlName(from);
  const on = ["account_id", ...by];
  const rest = quoted(["row_version", ...from.names])
    .map((column) => `${name}.${column}`)
    .join(", ");
  const values: Value[] = [];
  const rows = wanted.map((one, at) => [one.account_id, ...one.values, at]);
  const all = given(from, [...on, WANTED], rows, values);
  return {
    text: `select given.${WANTED}, ${rest} from ${all} join ${name} on ${matching(from, on)}`,
    values,
  };
}

/** Selects 1 if all rows seen still have their versions and missing rows are still missing, otherwise 0. */
export function standing(seen: Iterable<Seen>): Command {
  const values: Value[] = [];
  const groups = groupedBy(seen, (one) => `${wayOf(one)} ${one.version === null}`);
  const conditions = groups.map((group) => {
    const { from, by, version } = group[0]!;
    const columns = ["account_id", ...by, ...(version === null ? [] : ["row_version"])];
    const rows = group.map((one) => [one.account_id, ...one.values, one.version]);
    const found = `from ${given(from, columns, rows, values)} join ${sqlName(from)} on ${matching(from, columns)}`;
    return version === null ? `not exists (select ${found})` : `(select count(*) ${found}) = ${group.length}`;
  });
  return { text: `select cast(${["true", ...conditions].join(" and ")} as integer)`, values };
}

/**
 * The statements for the reads and writes of transactions. The first that finds a conflicting change fails.
 * `goesOn`: whether the transaction continues after them. Two transactions that have read from an account and
 * then write to it would deadlock, so each locks the account exclusively.
 */
export function commandsOf(changes: Changes, { goesOn }: { goesOn: boolean }): Command[] {
  const { seen, written, additions } = changes;
  const old = written.filter(({ version }) => version !== null);
  const updated = old.filter(({ row }) => row !== null);
  const inserted = written.filter(({ version, row }) => version === null && row !== null);
  const takes = ({ claims, kept }: WrittenRow) => claims.some((claim) => !kept.has(claim));
  const slots = slotsOf(changes);
  if (goesOn) for (const slot of slots.keys()) slots.set(slot, true);
  return [
    ...lockingSlots(slots),
    ...byTable(old).map(lockingRows),
    ...(seen.size > 0 ? [demanding(standing(seen.values()))] : []),
    ...byTable(old.filter(({ row }) => row === null)).map(removal),
    // A unique value may move from one row to another, so rows that release values come first, then the
    // others one by one.
    ...byTable(updated.filter((one) => !takes(one))).map(update),
    ...updated.filter(takes).map((one) => update([one])),
    ...byTable(inserted).map(insertion),
    ...groupedBy(addedUp(additions), ({ into }) => into.name).map(summing),
  ];
}

/** In a fixed order, to prevent deadlocks. */
function byTable(written: readonly WrittenRow[]): WrittenRow[][] {
  return groupedBy(written, ({ from }) => from.name).sort(([one], [other]) =>
    one!.from.name < other!.from.name ? -1 : 1,
  );
}

/** Fails if a statement selects 0. */
function demanding({ text, values }: Command): Command {
  return { text: `select 1 / (${text})`, values };
}

/** Waits for other transactions that hold these rows. */
function lockingRows(group: readonly WrittenRow[]): Command {
  const { from } = group[0]!;
  const on = ["account_id", ...from.key];
  const values: Value[] = [];
  const rows = given(
    from,
    on,
    group.map((one) => [one.account_id, ...one.values]),
    values,
  );
  const order = quoted(on)
    .map((column) => `${sqlName(from)}.${column}`)
    .join(", ");
  return {
    text: `select from ${sqlName(from)} join ${rows} on ${matching(from, on)} order by ${order} for update of ${sqlName(from)}`,
    values,
  };
}

/** "Tide" in ASCII. */
const LOCKS = 0x54696465;
/** Several accounts share a lock, so that one transaction never fills the server's lock table. */
const SLOTS = 256;

/** The locks for the accounts that transactions have read (false) or write (true). */
export function slotsOf({ seen, written, additions }: Changes): Map<number, boolean> {
  const slots = new Map<number, boolean>();
  for (const { account_id } of seen.values()) slots.set(account_id % SLOTS, false);
  for (const all of [written, additions])
    for (const { account_id } of all) slots.set(account_id % SLOTS, true);
  return slots;
}

/** Locks an account until the transaction ends. */
export function lockingAccount(accountId: number): Command {
  return lockingSlots(new Map([[accountId % SLOTS, true]]))[0]!;
}

/**
 * Locks accounts until the transaction ends. Versions only show that rows have changed. A missing row stays
 * missing for certain only while no other transaction commits to the account. Accounts are locked before any
 * row and in a fixed order, to prevent deadlocks.
 */
function lockingSlots(slots: ReadonlyMap<number, boolean>): Command[] {
  const calls = [...slots]
    .sort(([one], [other]) => other - one)
    .map(([slot, isOwn]) => `pg_advisory_xact_lock${isOwn ? "" : "_shared"}(${LOCKS}, ${slot})`);
  return calls.length === 0 ? [] : [{ text: `select ${calls.join(", ")}`, values: [] }];
}

/** Fails unless a statement changes every row of a group. */
function changingAll(text: string, values: Value[], { length }: readonly unknown[]): Command {
  return {
    text: `with changed as (${text} and ${HAS_BEGUN} returning 1) select 1 / cast(count(*) = ${length} as integer) from changed`,
    values,
  };
}

function removal(group: readonly WrittenRow[]): Command {
  const { from } = group[0]!;
  const columns = ["account_id", ...from.key, "row_version"];
  const values: Value[] = [];
  const rows = given(
    from,
    columns,
    group.map((one) => [one.account_id, ...one.values, one.version]),
    values,
  );
  return changingAll(
    `delete from ${sqlName(from)} using ${rows} where ${matching(from, columns)}`,
    values,
    group,
  );
}

function update(group: readonly WrittenRow[]): Command {
  const { from } = group[0]!;
  const key = ["account_id", ...from.key];
  const columns = [...from.names, "row_version"];
  const values: Value[] = [];
  const rows = given(
    from,
    columns,
    group.map(({ row, version }) => [...row!, version]),
    values,
  );
  const set = columns
    .slice(0, -1)
    .filter((column) => !key.includes(column))
    .map((column) => `"${column}" = given."${column}", `);
  const where = matching(from, [...key, "row_version"]);
  const text = `update ${sqlName(from)} set ${set.join("")}row_version = given.row_version + 1 from ${rows} where ${where}`;
  return changingAll(text, values, group);
}

function insertion(group: readonly WrittenRow[]): Command {
  const { from } = group[0]!;
  const columns = from.names;
  const values: Value[] = [];
  const rows = given(
    from,
    columns,
    group.map(({ row }) => row!),
    values,
  );
  const names = quoted(columns).join(", ");
  return {
    text: `insert into ${sqlName(from)} (${names}) select ${names} from ${rows} where ${HAS_BEGUN}`,
    values,
  };
}

/** One addition for each row, because a statement can change a row only once. */
function addedUp(additions: readonly Addition[]): Addition[] {
  const all = newAdditions();
  all.include(additions);
  return all.take();
}

/** Adds to rows of a table of sums. */
function summing(additions: readonly Addition[]): Command {
  const { into } = additions[0]!;
  const rows = additions.map(addedRow);
  const arrays = addedTypes(into).map((type, at) => `cast($${at + 1} as ${TYPES[type]}[])`);
  return {
    text: adding(into, `select * from unnest(${arrays.join(", ")}) where ${HAS_BEGUN}`),
    values: arrays.map((_, at) => rows.map((row) => row[at]!)),
  };
}

/** The row whose columns have these values. */
export interface Wanted {
  from: Table<never>;
  by: readonly string[];
  account_id: number;
  values: Key;
}

/** A wanted row and the version that it had, or null if it did not exist. */
export interface Seen extends Wanted {
  version: number | null;
}

/** A row to write, found by its key. */
export interface WrittenRow extends Seen {
  name: string;
  /** The new values, or null to remove the row. */
  row: readonly ColumnValue[] | null;
  /** The names of its unique values after the write. */
  claims: readonly string[];
  /** Those of them that it has already. */
  kept: ReadonlySet<string>;
}

/** The changes that transactions want to commit. */
export interface Changes {
  /** The rows that they have read but don't write, by name. */
  seen: ReadonlyMap<string, Seen>;
  written: readonly WrittenRow[];
  additions: readonly Addition[];
}

/** The name of a record (`unique`: ""), or of one of its unique values. */
export function nameOf({ name }: Table<never>, unique: string, accountId: number, values: Key): string {
  return `${name}/${unique} ${accountId} ${JSON.stringify(values)}`;
}

/** The names of the records and unique values that change. */
export function namesWritten({ written }: Changes): string[] {
  return written.flatMap(({ name, claims, kept }) => [name, ...claims.filter((claim) => !kept.has(claim))]);
}

/** Whether changes depend on records or unique values that others write. */
export function dependOn(changes: Changes, names: ReadonlySet<string>): boolean {
  for (const name of changes.seen.keys()) if (names.has(name)) return true;
  return namesWritten(changes).some((name) => names.has(name));
}

/** Merges the changes of transactions that don't depend on each other. */
export function merged(all: readonly Changes[]): Changes {
  return {
    seen: new Map(all.flatMap(({ seen }) => [...seen])),
    written: all.flatMap(({ written }) => written),
    additions: all.flatMap(({ additions }) => additions),
  };
}
