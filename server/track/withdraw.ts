import { z } from "zod";
import { withdrawVisitor } from "../domain/visitor/visitor.ts";
import { text } from "../input/fields.ts";
import type { PublicOperation, PublicRequest } from "./public-route.ts";

/**
 * `POST /t/withdraw`: forgets a visitor who withdrew consent while the answer that named them was under way. The answer
 * is the same whether the visitor was known or not.
 *
 * @see docs/spec/tracking.md "Consent"
 */
export const trackWithdrawal: PublicOperation = {
  summary: "Forget a visitor who has withdrawn consent",
  params: z.object({ cid: text, tid: text }),
  answer: z.object({ status: z.literal("withdrawn") }),
  refusals: ["not_found", "rate_limited"],
  limit: "publicClicks",
  handle: withdraw,
};

async function withdraw({ params, account, context }: PublicRequest) {
  await withdrawVisitor(context, account.id, String(params["tid"] ?? ""));
  return { status: "withdrawn" };
}
