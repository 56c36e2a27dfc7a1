import { z } from "zod";
import { recordClick } from "../domain/visitor/click.ts";
import { flag, text } from "../input/fields.ts";
import { shapeInput } from "../input/shape.ts";
import type { PublicOperation, PublicRequest } from "./public-route.ts";
import { NOBODY, clickOf, isOptedOut, answerVisit, visitAnswer, visitParams } from "./visit.ts";
import { field } from "../http/fields.ts";
import { tid } from "../input/common-fields.ts";

const clickParams = visitParams.extend({
  tid: field(z.uuidv4("is not a UUID v4"), tid),
  url_tracking: field(flag.optional(), "Whether the page itself may name the promoter, without a parameter."),
});

/**
 * `POST /t/click`: records a click once, however often it is sent. The status is `known` if it was recorded
 * before, or if the visitor already belongs to this promoter, and `refused` if the link leads to nobody.
 *
 * Choice: bots are refused before their body is read, so even a malformed body gets this answer.
 */
export const trackClick: PublicOperation = {
  id: "trackClick",
  summary: "Record the click of a referral link",
  description:
    "Records that a visitor came through a referral link. The script on your pages calls it. For bots, and for links that belong to nobody, `tid` and `ref_id` are null.",
  example: { cid: "acme", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7", ref_id: "jane" },
  params: clickParams.extend({ cid: field(text, "The public id of your account.", "acme") }),
  answer: z.object({
    status: field(z.enum(["recorded", "known", "refused"]), "State of the record."),
    ...visitAnswer,
  }),
  refusals: ["not_found", "rate_limited"],
  limit: "publicClicks",
  unattended: { status: "refused", ...NOBODY },
  handle: click,
};

async function click(request: PublicRequest) {
  const given = shapeInput(clickParams, request.params);
  const { context, account, address } = request;
  const click = clickOf(given, { tid: given.tid, address });
  const namesNobody = click.refTokens.length === 0 && !given.url_tracking;
  const visit = namesNobody || isOptedOut(request) ? null : await recordClick(context, account, click);
  const status = visit === null ? "refused" : visit.isNew ? "recorded" : "known";
  return { status, ...answerVisit(request, visit, given.domain ?? "") };
}
