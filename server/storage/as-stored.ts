import type { Reads } from "./session.ts";
import { sqlName } from "./sql.ts";
import { flag, integer, json, table, text, type Field, type Fields, type Table } from "./table.ts";

/**
 * A table with the columns that a store really has. A store of another release may lack some, and may have some that this
 * release does not know. So a backup before an upgrade has every field of the former release.
 */
export async function asStored<R>(reads: Reads, of: Table<R>): Promise<Table<R>> {
  const rows = await reads.all({ text: reads.dialect.columnsOf, values: [sqlName(of)] });
  const stored = new Map(rows.map(([name, type]) => [String(name), String(type)]));
  for (const name of ["account_id", "row_version"]) stored.delete(name);
  const isKnown = (name: string) => Object.hasOwn(of.columns, name);
  if (stored.size === Object.keys(of.columns).length && [...stored.keys()].every(isKnown)) return of;
  const fields: Fields = {};
  for (const [name, type] of stored) {
    if (Object.hasOwn(of.fields, name)) fields[name] = of.fields[name]!;
    else if (!isKnown(name)) fields[name] = unknownField(type);
  }
  const derived = Object.fromEntries(Object.entries(of.derived).filter(([name]) => stored.has(name)));
  const sealed = stored.has("sealed") ? of.sealed : undefined;
  return table(of.name, fields, { key: of.key, derived, sealed } as object) as unknown as Table<R>;
}

function unknownField(type: string): Field<unknown> {
  if (type.startsWith("json")) return json<unknown>().nullable();
  if (type.startsWith("boolean")) return flag().nullable();
  return /int/.test(type) ? integer().nullable() : text().nullable();
}
