import { inOrder } from "./digests.ts";
import { isInstant, storable, storableIn } from "./storable.ts";
import {
  freeze,
  parseStored,
  type ColumnValue,
  type Derived,
  type Field,
  type KeyPart,
  type Table,
} from "./table.ts";

/** A record whose secrets are hidden. No field has this name. */
export interface Hidden {
  /** The sealed fields as encrypted JSON. Absent: nothing is sealed. */
  sealed?: string;
}

/** The values of a record's row, in the order of its columns. */
export function valuesOf<R extends { account_id: number }>(of: Table<R>, record: R & Hidden): ColumnValue[] {
  const held = record as Record<string, unknown>;
  const values: ColumnValue[] = [record.account_id];
  for (const name in of.fields) {
    const value = held[name];
    const isJson = of.fields[name]!.type === "json" && value !== null && value !== undefined;
    values.push(isJson ? jsonOf(value) : valueOf(value));
  }
  for (const name in of.derived) values.push(valueOf(of.derived[name]![1](record)));
  if (of.sealed !== undefined) values.push(record.sealed ?? null);
  return values;
}

/**
 * The record of a row, which is frozen. Further values may follow the row's.
 *
 * @throws Failure `unavailable` if a document is damaged
 */
export function recordOf<R>(from: Table<R>, values: readonly ColumnValue[]): R & Hidden {
  let record = known.get(values);
  if (record === undefined) known.set(values, (record = makeRecord(from, values)));
  return record as R & Hidden;
}

/** The records of rows. The requests of a turn share the rows of the same few accounts, keys and campaigns. */
const known = new WeakMap<readonly ColumnValue[], object>();

function makeRecord<R>(from: Table<R>, values: readonly ColumnValue[]): object {
  const record: Record<string, unknown> = { account_id: values[0] };
  let at = 1;
  for (const name in from.fields) {
    const { type, isOptional } = from.fields[name]!;
    const value = values[at++] ?? null;
    if (value === null) {
      if (!isOptional) record[name] = null;
    } else if (type === "json") record[name] = freeze(parseStored(from.name, String(value)));
    else record[name] = type === "flag" ? value === 1 : value;
  }
  const sealed = from.sealed === undefined ? null : values[from.names.length - 1];
  if (typeof sealed === "string") record["sealed"] = sealed;
  return Object.freeze(record);
}

/** A record as JSON, for exports: the same from every engine. */
export function recordJson<R>(of: Table<R>, record: R): string {
  const shown = { ...record } as Record<string, unknown>;
  for (const name in of.fields)
    if (of.fields[name]!.type === "json" && shown[name] !== undefined) shown[name] = inOrder(shown[name]);
  return JSON.stringify(shown);
}

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value);
  const kept = storableIn(text, value);
  return kept === value ? text : JSON.stringify(kept);
}

function valueOf(value: unknown): ColumnValue {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "string") return storable(value);
  return (value as ColumnValue | undefined) ?? null;
}

/** The names of the fields whose values a record of the table can't have. Of records that nobody of ours has written. */
export function wrongFields<R>(of: Table<R>, record: R & Hidden): string[] {
  const held = record as Record<string, unknown>;
  const isHidden = (name: string) => record.sealed !== undefined && of.fields[name]?.isSealed === true;
  const wrong = Object.entries(of.fields).filter(([name, { type, isNullable, isOptional }]) => {
    const value = held[name] ?? null;
    if (value === null) return !isNullable && !isOptional && !isHidden(name);
    return !IS_OF_TYPE[type](value);
  });
  const isOwned = Number.isSafeInteger(held["account_id"]);
  return [...(isOwned ? [] : ["account_id"]), ...wrong.map(([name]) => name)];
}

const IS_OF_TYPE: Record<Field<unknown>["type"], (value: unknown) => boolean> = {
  integer: (value) => Number.isSafeInteger(value),
  flag: (value) => typeof value === "boolean",
  text: (value) => typeof value === "string",
  time: (value) => typeof value === "string" && isInstant(value),
  json: (value) => typeof value === "object",
};

/** The value of one of a record's columns. */
export function columnOf<R>(of: Table<R>, name: string, record: R): ColumnValue {
  const derived: Derived<R> | undefined = of.derived[name];
  return valueOf(derived === undefined ? (record as Record<string, unknown>)[name] : derived[1](record));
}

/** A record's key. */
export function keyOf<R>(of: Table<R>, record: R): KeyPart[] {
  return of.key.map((name) => columnOf(of, name, record) as KeyPart);
}
