import type { Visitor } from "./visitor.ts";

/** The result of an event. */
export interface Outcome extends Visitor {
  /**
   * `recorded`; `known`: it was recorded before and does not count again; `refused`: it will never be recorded, for the
   * reason in the other fields; `waiting`: the server is unreachable, and the script will retry.
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

/** Calls back in its own microtask, so that an error in the page's callback reaches the page. */
export function report(result: unknown, callback: Callback | undefined): void {
  if (result && typeof callback === "function") queueMicrotask(() => callback(result as never));
}
