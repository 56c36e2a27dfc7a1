/**
 * What fields mean, by name. A field means the same everywhere; where it does not, `Owner.field` counts
 * for the fields of one schema, operation or enclosing field. An example is needed where the schema
 * gives none by itself (words of a closed set, dates and booleans do).
 */
export type Fields = Record<string, string | [description: string, example: unknown]>;

/**
 * Operations by route: the name that clients make their methods of, which must never change, a
 * description, and a request body where the required fields alone are no good example.
 */
export type Operations = Record<string, [id: string, description: string, example?: unknown]>;
