import type { Table } from "./table.ts";

/**
 * The figures of a large store, for which plans matter: its records, and their size relative to index
 * entries.
 */
const RECORDS = 1_000_000;
const RECORD_BYTES = 1_000;
const ENTRY_BYTES = 150;
/** How many different values a column of few values has. */
const FEW_VALUES = 5;
const MANY_VALUES = 20_000;

/**
 * The statements that describe a table of a large store to SQLite's planner: one account has all records, and
 * records are longer than index entries. By default the planner assumes ten records for each account. Its own
 * `analyze` would read the whole file and block writes. Dropping an index drops its figures.
 *
 * @see https://www.sqlite.org/fileformat2.html#the_sqlite_stat1_table
 */
export function tableStatistics(of: Table<never>, name: string): string[] {
  return [
    insertStatistics(name, null, `${RECORDS} sz=${RECORD_BYTES}`),
    indexStatistics(of, { name: `sqlite_autoindex_${name}_1`, table: name, on: of.key, isUnique: true }),
  ];
}

/**
 * The statement that sets how many records share the same values in the first one, two, … columns of an
 * index.
 */
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
