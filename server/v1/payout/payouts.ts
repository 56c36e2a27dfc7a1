import { z } from "zod";
import { campaigns } from "../../domain/campaign/campaign.ts";
import { once } from "../../domain/once.ts";
import { listPayouts as list } from "../../domain/payout/promoter-payouts.ts";
import { id, oneOf } from "../../input/fields.ts";
import { readParams } from "../../http/parameters/form.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeInput } from "../../input/shape.ts";
import { PAYOUT_STATUSES } from "../../domain/payout/record.ts";
import { newEmbedded } from "../embedded.ts";
import { listParams, readListPage } from "../list.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { payoutAnswer, payoutJson } from "./payout-json.ts";

const USUAL_PER_PAGE = 20;

/** Choice: accepts every status that a payout may have, although V1's own list names only three. */
const filterParams = z.object({ promoter_id: id, campaign_id: id, status: oneOf(PAYOUT_STATUSES) }).partial();

/** `GET /api/v1/payouts/list` */
export const listPayouts: V1Operation = {
  summary: "List payouts",
  params: listParams(filterParams, USUAL_PER_PAGE),
  answer: z.array(payoutAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: listAll,
};

async function listAll(request: V1Request) {
  const { event, account, context } = request;
  const { store } = context;
  const params = await readParams(event);
  const filters = shapeInput(filterParams, params);
  const page = readListPage(params, USUAL_PER_PAGE);
  const { records, total } = await list(store, {
    accountId: account.id,
    scope: {
      status: filters.status ?? null,
      promoterId: filters.promoter_id ?? null,
      campaignId: filters.campaign_id ?? null,
    },
    page,
  });
  setPageHeaders(request, page, total);
  const embedded = newEmbedded(store, account.id);
  const campaignOf = once((id) => store.get(campaigns, account.id, id));
  return Promise.all(
    records.map(async (payout) => {
      const promoter = await embedded.promoter(payout.promoterId);
      return payoutJson(payout, { promoter, campaign: await campaignOf(payout.campaignId) });
    }),
  );
}
