import { z } from "zod";
import { campaigns, type Campaign } from "../domain/program/campaign/campaign.ts";
import { payPromoter } from "../domain/ledger/payout-run/by-hand.ts";
import { PAYOUT_STATUSES, payouts, type Payout } from "../domain/ledger/payout/payout.ts";
import { setPayoutStatus } from "../domain/ledger/payout/status.ts";
import type { Selection } from "../domain/people/promoter/search.ts";
import { Failure } from "../failure.ts";
import { json, type AnswerHeaders } from "../http/answer.ts";
import { v1Error } from "../http/errors.ts";
import { setPageHeaders } from "../http/pages.ts";
import { readParams } from "../http/parameters/form.ts";
import { id, oneOf, text, landingUrl } from "../input/fields.ts";
import { shapeInput } from "../input/shape.ts";
import { having, listed } from "../resource/list.ts";
import { belongingTo } from "../storage/query.ts";
import type { View } from "../storage/store.ts";
import { listParams, readListPage, type V1Operation, type V1Request } from "./operation.ts";
import { promoterSubsetAnswer, readPromoters } from "./promoter-json.ts";
import { field, createdAt, recordId } from "../http/fields.ts";
import { v1Unit } from "./rewards.ts";

/** All statuses of payouts are accepted, although V1's own list names only three. */
const filterParams = z
  .object({
    promoter_id: field(id, "Id of the promoter.", 17),
    campaign_id: field(id, "Id of the campaign.", 1),
    status: field(oneOf(PAYOUT_STATUSES), "State of the record."),
  })
  .partial();

const USUAL_PER_PAGE = 20;

/** A campaign within other records of V1. */
export const campaignAnswer = z
  .object({
    id: recordId,
    name: field(z.string(), "Name of the campaign.", "Partners"),
    landing_url: landingUrl,
    description: field(z.string().nullable(), "Always null.", null),
    private: field(z.boolean(), "Whether promoters join by invitation only."),
    color: field(z.string(), "Colour of the campaign in the dashboard.", "#2563eb"),
    default_webhook_url: field(z.string().nullable(), "Always null. Webhooks belong to the account.", null),
    auto_approve_rewards: field(z.boolean(), "Whether commissions count without your approval."),
    auto_approve_promoters: field(z.boolean(), "Whether new promoters are approved without your review."),
  })
  .meta({ id: "V1Campaign" });

/** @see docs/spec/v1.md "Payout record" */
export const payoutAnswer = z
  .object({
    id: recordId,
    status: field(z.enum(PAYOUT_STATUSES), "State of the record."),
    amount: field(z.int(), "The amount: cents for `cash`, whole units otherwise.", 2000),
    date_paid: field(z.iso.datetime().nullable(), "When it was paid, or null if it was not yet."),
    due_date: field(z.iso.datetime().nullable(), "Day by which it must be paid, or null if there is none."),
    unit: field(z.string(), "Unit of the amount.", "cash"),
    created_at: createdAt,
    has_issues: field(z.boolean(), "Whether the payment failed."),
    reward: field(
      z.record(z.string(), z.unknown()).nullable(),
      "Always null, because a payout covers everything earned in its period.",
      null,
    ),
    promoter: field(promoterSubsetAnswer.schema.nullable(), "The promoter, or null if they were deleted."),
    campaign: field(campaignAnswer.nullable(), "The campaign, or null if it was deleted."),
  })
  .meta({ id: "V1Payout" });

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

/** @see docs/spec/v1.md "Payouts" */
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

/** @see docs/spec/v1.md "Payouts" */
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

const payoutList = listed(payouts)();

async function listAll(request: V1Request) {
  const { event, account, context } = request;
  const params = await readParams(event);
  const where = having(payouts, shapeInput(filterParams, params));
  const page = readListPage(params, USUAL_PER_PAGE);
  const { records, total } = await payoutList.find(context.store, account.id, { where, ...page });
  setPageHeaders(request, page, total);
  return showPayouts(context.store, records);
}

async function create({ event, account, context }: V1Request) {
  const params = shapeInput(createParams, await readParams(event));
  const payment = {
    selection: payeeOf(params),
    campaign_id: params.campaign_id ?? null,
    status: params.status ?? "pending",
  };
  return context.store.transact(async (tx) =>
    showPayout(tx.view, await payPromoter(tx, context, account, payment)),
  );
}

function payeeOf({ promoter_id: byId, promoter_email: email }: z.output<typeof createParams>): Selection {
  if (byId !== undefined) return { by: "id", value: byId };
  if (email !== undefined) return { by: "email", value: email };
  throw new Failure("missing", "You need to pass either promoter_email or promoter_id.");
}

const payoutCampaigns = belongingTo(payouts, { campaign: [campaigns, "campaign_id"] });

async function showPayouts(view: View, records: Payout[]): Promise<z.output<typeof payoutAnswer>[]> {
  const promoterIds = records.map(({ promoter_id }) => promoter_id);
  const [parts, promoterOf] = await Promise.all([
    payoutCampaigns(view, records),
    readPromoters(view, records[0]?.account_id ?? 0, promoterIds),
  ]);
  return records.map((payout, at) => {
    const promoter = promoterOf(payout.promoter_id);
    return payoutJson(payout, { promoter, campaign: parts[at]!.campaign });
  });
}

async function showPayout(view: View, payout: Payout): Promise<z.output<typeof payoutAnswer>> {
  return (await showPayouts(view, [payout]))[0]!;
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
  const change = { id: payoutId.data, to: params.status ?? null };
  return context.store.transact(async (tx) =>
    showPayout(tx.view, await setPayoutStatus(tx, context, account.id, change)),
  );
}

/**
 * A payout as V1 shows it. `has_issues` means that it failed. `reward` is null, because a payout covers everything that
 * was earned in its period.
 */
export function payoutJson(
  payout: Payout,
  {
    promoter,
    campaign,
  }: { promoter: z.output<typeof promoterSubsetAnswer.schema> | null; campaign: Campaign | null },
): z.output<typeof payoutAnswer> {
  return {
    id: payout.id,
    status: payout.status,
    amount: payout.amount,
    date_paid: payout.paid_at,
    due_date: `${payout.due_date}T00:00:00.000Z`,
    unit: v1Unit(payout.unit),
    created_at: payout.created_at,
    has_issues: payout.status === "failed" || payout.error !== null,
    reward: null,
    promoter,
    campaign: campaign && campaignJson(campaign),
  };
}

/** A campaign as V1 shows it within other records. */
export function campaignJson(campaign: Campaign): z.output<typeof campaignAnswer> {
  return {
    id: campaign.id,
    name: campaign.name,
    landing_url: campaign.landing_url,
    description: null,
    private: campaign.is_private,
    color: campaign.color,
    default_webhook_url: null,
    auto_approve_rewards: campaign.auto_approve_commissions,
    auto_approve_promoters: campaign.auto_approve_promoters,
  };
}
