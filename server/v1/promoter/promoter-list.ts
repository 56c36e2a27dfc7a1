import { z } from "zod";
import { loadCampaign } from "../../domain/campaign/campaign.ts";
import { findPromoters } from "../../domain/promoter/search.ts";
import { loadSelected } from "../../domain/promoter/selection.ts";
import { showAll } from "../../domain/show.ts";
import { id } from "../../input/fields.ts";
import { readParams } from "../../http/parameters/form.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeInput } from "../../input/shape.ts";
import { listParams, readListPage } from "../list.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { promoterAnswer } from "./promoter-json.ts";
import { showPromoter as showOne } from "./promoter-parts.ts";
import { readSelection, selectorParams } from "./promoter-selection.ts";
import { field } from "../../http/fields.ts";

const USUAL_PER_PAGE = 50;

const filterParams = z.object({ campaign_id: field(id, "Id of the campaign.", 1) }).partial();

/** `GET /api/v1/promoters/list` */
export const listPromotersOperation: V1Operation = {
  id: "v1ListPromoters",
  summary: "List promoters; with a campaign, only those accepted in it",
  description:
    "Lists your promoters, oldest first. With `campaign_id`, only those who are accepted in that campaign.",
  params: listParams(filterParams, USUAL_PER_PAGE),
  answer: z.array(promoterAnswer),
  isPaged: true,
  refusals: ["not_found", "invalid"],
  handle: list,
};

/** `GET` and `POST /api/v1/promoters/show` */
export const showPromoterOperation: V1Operation = {
  id: "v1ShowPromoter",
  summary: "Show a promoter",
  description:
    "Finds one promoter by id, `cust_id`, `auth_token`, e-mail, referral id or promo code. Give one of them.",
  example: { cust_id: "user-4711" },
  params: selectorParams,
  answer: promoterAnswer,
  refusals: ["missing", "not_found"],
  handle: show,
};

async function list(request: V1Request) {
  const { event, account, context } = request;
  const params = await readParams(event);
  const { campaign_id: campaignId } = shapeInput(filterParams, params);
  const page = readListPage(params, USUAL_PER_PAGE);
  if (campaignId !== undefined) await loadCampaign(context.store, account.id, campaignId);
  const filter = campaignId === undefined ? {} : { campaignIds: [campaignId], state: "accepted" as const };
  const { records, total } = await findPromoters(context.store, account.id, { filter, ...page });
  setPageHeaders(request, page, total);
  return showAll(context.store, records, showOne);
}

async function show({ event, account, context }: V1Request) {
  const selection = readSelection(shapeInput(selectorParams, await readParams(event)));
  const { promoter } = await loadSelected(context.store, account.id, selection);
  return showOne(context.store, promoter);
}
