/**
 * Operations by route: the name that clients generate their methods from, which must never change, a
 * description, and a request body if the required fields alone are no good example.
 */
export type Operations = Record<string, [id: string, description: string, example?: unknown]>;
