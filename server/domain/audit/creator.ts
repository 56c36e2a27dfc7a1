import type { Context } from "../context.ts";

/** The user of the dashboard who made a record by hand. */
export interface Creator {
  /** Their e-mail address on that day. */
  email: string;
  at: string;
}

/** Names the user who makes a record. Keys, promoters and tracking are no users. */
export function createdBy({ actor, now }: Pick<Context, "actor" | "now">): { createdByUser?: Creator } {
  if (actor?.kind !== "user" || actor.name === null) return {};
  return { createdByUser: { email: actor.name, at: now.toISOString() } };
}
