import { z } from "zod";
import { listCommissions } from "../../domain/commission/search.ts";
import { findScope } from "../../domain/promoter-campaign/belongings.ts";
import { readParams } from "../../http/parameters/form.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeInput } from "../../input/shape.ts";
import { NOTHING } from "../../storage/query.ts";
import { newEmbedded } from "../embedded.ts";
import {
  LIST_STATUSES,
  listError,
  listParams,
  readListPage,
  readBelongingFilter,
  belongingParams,
} from "../list.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { rewardAnswer, rewardJson } from "./reward-json.ts";

const USUAL_PER_PAGE = 20;

/** `GET /api/v1/rewards/list` */
export const listRewards: V1Operation = {
  id: "v1ListRewards",
  summary: "List rewards (commissions)",
  description:
    "Lists commissions, oldest first. V1 calls a commission a reward: what a promoter earned by one sale.",
  params: listParams(belongingParams, USUAL_PER_PAGE),
  answer: z.array(rewardAnswer),
  isPaged: true,
  refusals: ["not_found", "invalid"],
  statuses: LIST_STATUSES,
  shape: listError,
  handle: list,
};

async function list(request: V1Request) {
  const { event, account, context } = request;
  const { store } = context;
  const params = await readParams(event);
  const page = readListPage(params, USUAL_PER_PAGE);
  const filter = readBelongingFilter(shapeInput(belongingParams, params));
  const scope = await findScope(store, account.id, filter);
  const { records, total } =
    scope === null
      ? NOTHING
      : await listCommissions(context, account, { filter: scope, sorting: [], ...page });
  setPageHeaders(request, page, total);
  const embedded = newEmbedded(store, account.id);
  return Promise.all(records.map(({ commission, lead }) => rewardJson(commission, lead, embedded)));
}
