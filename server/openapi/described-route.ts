import type { Generation } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";

/** A route that the document describes. */
export interface DescribedRoute {
  method: string;
  /** As h3 writes it: `/promoters/:id`. */
  path: string;
  operation: Omit<Operation<never>, "handle" | "shape">;
  /** `browser` and `operator`: called without a key. */
  caller: Generation | "browser" | "operator";
}
