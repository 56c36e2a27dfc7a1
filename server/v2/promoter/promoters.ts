import { z } from "zod";
import { countPending, findPromoters, loadSelected } from "../../domain/people/promoter/search.ts";
import { showAll } from "../../domain/show.ts";
import { flag } from "../../input/fields.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../page-params.ts";
import { listParams, promoterFilter, promoterSorting } from "./promoter-filters.ts";
import { promoterAnswer, promoterJson } from "./promoter-json.ts";
import { readPromoterParts, setupUrl, showPromoterOf } from "./promoter-parts.ts";
import { findBy, pathId, readSelection } from "./promoter-selection.ts";
import { field } from "../../http/fields.ts";

const showParams = z
  .object({
    find_by: findBy,
    exclude_payout_method: field(flag, "`true` leaves out `selected_payout_method`."),
    include_parent_promoter: field(flag, "`false` leaves out `parent_promoter`."),
  })
  .partial();

/** `GET /api/v2/company/promoters` */
export const listPromotersOperation: V2Operation = {
  id: "listPromoters",
  summary: "List promoters",
  description:
    "Lists promoters, with filters and sorting. Archived ones are left out unless you ask for them.",
  params: listParams,
  answer: z.object({
    data: field(z.array(promoterAnswer), "The records."),
    meta: field(
      z.object({ pending_count: field(z.int(), "How many promoters wait for approval.", 3) }),
      "Further data.",
    ),
  }),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `GET /api/v2/company/promoters/{id}` @see docs/spec/v2.md "Promoter details" */
export const showPromoterOperation: V2Operation = {
  id: "getPromoter",
  summary: "Get a promoter's details",
  description: "Finds one promoter: by id, or by the attribute that `find_by` names.",
  pathId,
  params: showParams,
  answer: promoterAnswer,
  refusals: ["not_found", "invalid"],
  handle: show,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { store, now } = context;
  const { params, query, page, window } = readListing(request, listParams);
  const found = await findPromoters(store, account.id, {
    filter: promoterFilter(params, now),
    sorting: promoterSorting(params, query),
    ...window,
  });
  setPageHeaders(request, page, found.total);
  const data = await showAll(store, found.records, showPromoterOf(request));
  return { data, meta: { pending_count: await countPending(store, account.id) } };
}

async function show(request: V2Request) {
  const { event, account, context } = request;
  const params = shapeInput(showParams, readQuery(event));
  const selection = readSelection(event, params.find_by);
  const { promoter } = await loadSelected(context.store, account.id, selection);
  const parts = await readPromoterParts(context.store, account, {
    promoter,
    withPayoutMethod: !(params.exclude_payout_method ?? false),
    withParent: params.include_parent_promoter ?? true,
  });
  return promoterJson({ ...parts, setupUrl: await setupUrl(request, context.store, promoter) });
}
