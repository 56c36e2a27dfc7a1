import { z } from "zod";
import { campaigns } from "../../domain/program/campaign/campaign.ts";
import { payPromoter } from "../../domain/ledger/payout-run/by-hand.ts";
import { PAYOUT_STATUSES, type Payout } from "../../domain/ledger/payout/payout.ts";
import { listPayouts as list } from "../../domain/ledger/payout/search.ts";
import { setPayoutStatus } from "../../domain/ledger/payout/status.ts";
import type { Selection } from "../../domain/people/promoter/search.ts";
import { Failure } from "../../failure.ts";
import { json, type AnswerHeaders } from "../../http/answer.ts";
import { v1Error } from "../../http/errors.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { readParams } from "../../http/parameters/form.ts";
import { id, oneOf, text } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { View } from "../../storage/store.ts";
import { listParams, readListPage } from "../list.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { newEmbedded } from "../promoter/promoter-parts.ts";
import { payoutAnswer, payoutJson } from "./payout-json.ts";
import { field } from "../../http/fields.ts";

/** All statuses of payouts are accepted, although V1's own list names only three. */
const filterParams = z
  .object({
    promoter_id: field(id, "Id of the promoter.", 17),
    campaign_id: field(id, "Id of the campaign.", 1),
    status: field(oneOf(PAYOUT_STATUSES), "State of the record."),
  })
  .partial();

const USUAL_PER_PAGE = 20;

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

/** The statuses that V1 can set. */
const status = field(oneOf(["pending", "processing", "completed"]), "State of the record.");

const createParams = z
  .object({
    promoter_email: field(text, "E-mail of the promoter.", "jane@example.com"),
    promoter_id: field(
      text.meta({ documentedAs: { type: "integer", minimum: 1 } }),
      "Id of the promoter.",
      17,
    ),
    campaign_id: field(id, "Id of the campaign.", 1),
    status,
  })
  .partial();

/** `POST /api/v1/payouts/create` @see docs/spec/v1.md "Payouts" */
export const createPayoutOperation: V1Operation = {
  id: "v1CreatePayout",
  summary: "Make a payout of everything that a promoter is owed",
  description:
    "Makes a payout of all money that a promoter has earned in a campaign and that is not in a payout yet. Name the promoter by `promoter_email` or `promoter_id`.",
  example: { promoter_email: "jane@example.com", status: "completed" },
  params: createParams,
  answer: payoutAnswer,
  refusals: ["missing", "not_found", "refused"],
  handle: create,
};

const updateParams = z
  .object({
    id: field(text.meta({ documentedAs: { type: "integer", minimum: 1 } }), "Id of the record.", 17),
    status,
  })
  .partial();

/** `PUT` and `POST /api/v1/payouts/update` @see docs/spec/v1.md "Payouts" */
export const updatePayoutOperation: V1Operation = {
  id: "v1UpdatePayout",
  summary: "Change the status of a payout",
  description: "Changes the status of a payout, for example to `completed` when you have paid it.",
  example: { id: 88, status: "completed" },
  params: updateParams,
  answer: payoutAnswer,
  refusals: ["missing", "not_found", "refused"],
  shape: updateError,
  handle: update,
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

async function create({ event, account, context }: V1Request) {
  const params = shapeInput(createParams, await readParams(event));
  return payPromoter(context, account, {
    selection: payeeOf(params),
    campaignId: params.campaign_id ?? null,
    status: params.status ?? "pending",
    show: showPayout,
  });
}

function payeeOf({ promoter_id: byId, promoter_email: email }: z.output<typeof createParams>): Selection {
  if (byId !== undefined) return { by: "id", value: byId };
  if (email !== undefined) return { by: "email", value: email };
  throw new Failure("missing", "You need to pass either promoter_email or promoter_id.");
}

async function showPayout(view: View, payout: Payout) {
  const { accountId, promoterId, campaignId } = payout;
  return payoutJson(payout, {
    promoter: await newEmbedded(view, accountId).promoter(promoterId),
    campaign: await view.get(campaigns, accountId, campaignId),
  });
}

/** An unknown payout has its own documented text. */
function updateError(failure: Failure, headers: AnswerHeaders): Response {
  return failure.kind === "not_found"
    ? json({ error: "Payment not found" }, headers, 404)
    : v1Error(failure, headers);
}

async function update({ event, account, context }: V1Request) {
  const params = shapeInput(updateParams, await readParams(event));
  if (params.id === undefined) throw new Failure("missing", "You need to find the payout by id.");
  // A malformed id is answered like an unknown one.
  const payoutId = id.safeParse(params.id);
  if (!payoutId.success) throw new Failure("not_found", "Payout not found.");
  const change = { id: payoutId.data, to: params.status ?? null, show: showPayout };
  return setPayoutStatus(context, account.id, change);
}
