/**
 * The meaning of each field, by name. `Owner.field` applies only to the fields of one schema, operation or
 * enclosing field. An example is needed unless the schema implies one (closed sets of words, dates and
 * booleans do).
 */
export type Fields = Record<string, string | [description: string, example: unknown]>;

/**
 * Operations by route: the name that clients generate their methods from, which must never change, a
 * description, and a request body if the required fields alone are no good example.
 */
export type Operations = Record<string, [id: string, description: string, example?: unknown]>;
