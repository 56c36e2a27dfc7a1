/**
 * A change of the tables of existing stores, in the SQL of each engine. A new table needs none: a store gets it when it is
 * opened.
 *
 * @see docs/storage.md "Changing the layout"
 */
export interface Migration {
  /** What changes, as a sentence for the operator. */
  about: string;
  sqlite: readonly string[];
  postgres: readonly string[];
}

/** All migrations, oldest first. The first one makes layout 2 of layout 1. */
export const MIGRATIONS: readonly Migration[] = [];
