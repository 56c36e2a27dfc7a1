import type { z } from "zod";
import type { Generation } from "../http/errors.ts";
import type { Access, Operation } from "../http/operation.ts";

/** A route that the document describes. */
export interface DescribedRoute {
  method: string;
  /** In h3's form: `/promoters/:id`. */
  path: string;
  operation: Omit<Operation<never>, "handle" | "shape">;
  /** `browser` and `operator` call without a key. */
  caller: Generation | "browser" | "operator";
  /** Who may call it. Only V2 has people who sign in. */
  access: Access;
}

/** The events that the server posts, with a body for each type. */
export interface DescribedEvents {
  types: readonly string[];
  bodyOf(type: string): z.ZodType;
  meaningOf(type: string): string | undefined;
}
