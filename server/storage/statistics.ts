import type { Table } from "./table.ts";

/** A large store, for which plans matter, and how large its records are beside the entries of an index. */
const RECORDS = 1_000_000;
const RECORD_BYTES = 1_000;
const ENTRY_BYTES = 150;
/** How many values a column has. */
const FEW_VALUES = 5;
const MANY_VALUES = 20_000;

/**
 * The statements that tell SQLite's planner what a table of a large store is like: an account has all records, which are
 * longer than the entries of an index. By itself it believes that an account has ten records. Its own `analyze` would read the
 * whole file, while nothing can be written. Dropping an index drops its figures.
 *
 * @see https://www.sqlite.org/fileformat2.html#the_sqlite_stat1_table
 */
export function tableStatistics(of: Table<never>, name: string): string[] {
  return [
    insertStatistics(name, null, `${RECORDS} sz=${RECORD_BYTES}`),
    indexStatistics(of, { name: `sqlite_autoindex_${name}_1`, table: name, on: of.key, isUnique: true }),
  ];
}

/** The statement that tells how many records have the same values in the first columns of an index: one, two, … */
export function indexStatistics(
  of: Table<never>,
  { name, table, on, isUnique }: { name: string; table: string; on: readonly string[]; isUnique: boolean },
): string {
  let alike = RECORDS;
  const figures = on.map((column, at) => {
    const first = on.slice(0, at + 1);
    alike = Math.max(1, alike / (of.few.includes(column) ? FEW_VALUES : MANY_VALUES));
    if (of.key.every((part) => first.includes(part)) || (isUnique && first.length === on.length)) alike = 1;
    return Math.ceil(alike);
  });
  return insertStatistics(table, name, [RECORDS, RECORDS, ...figures, `sz=${ENTRY_BYTES}`].join(" "));
}

function insertStatistics(table: string, index: string | null, figures: string): string {
  const name = index === null ? "null" : `'${index}'`;
  return `insert into sqlite_stat1 (tbl, idx, stat) values ('${table}', ${name}, '${figures}')`;
}
