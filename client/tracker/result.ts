import type { Visitor } from "./visitor.ts";

/** The result of an event. */
export interface Outcome extends Visitor {
  /**
   * `recorded`; `known`: recorded before, does not count again; `refused`: never will be recorded, for the
   * reason in the other fields; `waiting`: the server can't be reached, and the script will retry.
   */
  status: "recorded" | "known" | "refused" | "waiting";
  cookie_days?: number;
  /** Whether the server has set the cookies. */
  has_cookies?: boolean;
  /** How long the server asks us to wait. */
  waitMs?: number;
  details?: object;
  error?: unknown;
}

/** Called with the result of a call. */
export type Callback = (result: never) => void;

/** Calls back in a microtask of its own, so that an error in the page's callback reaches the page. */
export function report(result: unknown, callback: Callback | undefined): void {
  if (result && typeof callback === "function") queueMicrotask(() => callback(result as never));
}
