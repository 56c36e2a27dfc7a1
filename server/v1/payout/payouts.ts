import { z } from "zod";
import { listPayouts as list } from "../../domain/payout/search.ts";
import { id, oneOf } from "../../input/fields.ts";
import { readParams } from "../../http/parameters/form.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeInput } from "../../input/shape.ts";
import { PAYOUT_STATUSES } from "../../domain/payout/record.ts";
import { newEmbedded } from "../embedded.ts";
import { listParams, readListPage } from "../list.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { payoutAnswer, payoutJson } from "./payout-json.ts";
import { field } from "../../http/fields.ts";

const USUAL_PER_PAGE = 20;

/** Choice: accepts every status that a payout may have, although V1's own list names only three. */
const filterParams = z
  .object({
    promoter_id: field(id, "Id of the promoter.", 17),
    campaign_id: field(id, "Id of the campaign.", 1),
    status: field(oneOf(PAYOUT_STATUSES), "State of the record."),
  })
  .partial();

/** `GET /api/v1/payouts/list` */
export const listPayouts: V1Operation = {
  id: "v1ListPayouts",
  summary: "List payouts",
  description:
    "Lists payouts, oldest first. A payout is what a promoter is paid for one campaign and period.",
  params: listParams(filterParams, USUAL_PER_PAGE),
  answer: z.array(payoutAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: listAll,
};

async function listAll(request: V1Request) {
  const { event, account, context } = request;
  const params = await readParams(event);
  const filters = shapeInput(filterParams, params);
  const page = readListPage(params, USUAL_PER_PAGE);
  const { records, total } = await list(context, account, {
    filter: {
      status: filters.status,
      promoterId: filters.promoter_id,
      campaignIds: filters.campaign_id === undefined ? undefined : [filters.campaign_id],
    },
    sorting: [],
    ...page,
  });
  setPageHeaders(request, page, total);
  const embedded = newEmbedded(context.store, account.id);
  return Promise.all(
    records.map(async ({ payout, campaign }) => {
      const promoter = await embedded.promoter(payout.promoterId);
      return payoutJson(payout, { promoter, campaign });
    }),
  );
}
