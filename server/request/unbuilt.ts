import { z } from "zod";
import { Failure } from "../failure.ts";
import type { Method, Operation } from "../http/operation.ts";

/**
 * Operations that the interface documents and the server does not have yet. Remove a row when its operation
 * is built.
 */
export const UNBUILT: [Method, path: string][] = [];

/** Answers 501, because clients take a 404 for "nobody's referral". */
export const unbuilt: Operation<unknown> = {
  summary: "Not built yet",
  answer: z.never(),
  handle: () => Promise.reject(new Failure("not_implemented", "This operation is not built yet")),
};
