import type { z } from "zod";
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

/** What the server itself posts: a body for each type of event. */
export interface DescribedEvents {
  types: readonly string[];
  bodyOf(type: string): z.ZodType;
}
