import { z } from "zod";
import { withdrawVisitor } from "../domain/people/visitor/visitor.ts";
import { field } from "../http/fields.ts";
import { tid } from "../input/common-fields.ts";
import { text } from "../input/fields.ts";
import type { PublicOperation, PublicRequest } from "./public-route.ts";

/**
 * `POST /t/withdraw`: deletes a visitor who withdrew consent while the request that created them was under way. The answer
 * is the same for unknown visitors.
 *
 * @see docs/spec/tracking.md "Consent"
 */
export const trackWithdrawal: PublicOperation = {
  id: "withdrawVisitor",
  summary: "Delete a visitor who has withdrawn consent",
  description:
    "Deletes a visitor who has withdrawn consent. The script calls it if the visitor's id arrives only after that. Clicks and leads stay counted.",
  example: { cid: "acme", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  params: z.object({ cid: field(text, "The public id of your account.", "acme"), tid: field(text, tid) }),
  answer: z.object({ status: field(z.literal("withdrawn"), "State of the record.") }),
  refusals: ["not_found", "rate_limited"],
  limit: "publicClicks",
  handle: withdraw,
};

async function withdraw({ params, account, context }: PublicRequest) {
  await withdrawVisitor(context, account.id, String(params["tid"] ?? ""));
  return { status: "withdrawn" };
}
