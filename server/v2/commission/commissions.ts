import { z } from "zod";
import { listCommissions } from "../../domain/ledger/commission/search.ts";
import { setPageHeaders } from "../../http/pages.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readListing } from "../page-params.ts";
import { commissionAnswer, commissionJson } from "./commission-json.ts";
import { commissionFilter, commissionSorting, listParams } from "./commission-params.ts";

/** `GET /api/v2/company/commissions` @see docs/spec/v2.md "List commissions" */
export const listCommissionsOperation: V2Operation = {
  id: "listCommissions",
  summary: "List commissions",
  description:
    "Lists commissions, oldest first, with filters and sorting. A commission is what a promoter earns.",
  params: listParams,
  answer: z.array(commissionAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { params, query, page, window } = readListing(request, listParams);
  const found = await listCommissions(context, account, {
    filter: commissionFilter(params),
    sorting: commissionSorting(params.sorting, query),
    ...window,
  });
  setPageHeaders(request, page, found.total);
  return found.records.map(commissionJson);
}
