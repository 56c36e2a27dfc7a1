import { z } from "zod";
import { createCommission, type Earner } from "../domain/ledger/commission/changes.ts";
import { COMMISSION_STATUSES, commissions, type Commission } from "../domain/ledger/commission/commission.ts";
import { changeCommissionStatus } from "../domain/ledger/commission/review.ts";
import { findScope } from "../domain/people/promoter-campaign/search.ts";
import { setPageHeaders } from "../http/pages.ts";
import { readParams } from "../http/parameters/form.ts";
import { flag, id, oneOf, text, wholeAmount, refToken, uid } from "../input/fields.ts";
import { shapeInput } from "../input/shape.ts";
import { having, listed } from "../resource/list.ts";
import { belongingTo, NOTHING } from "../storage/query.ts";
import {
  belongingParams,
  LIST_STATUSES,
  listError,
  listParams,
  readBelongingFilter,
  readListPage,
  type V1Operation,
  type V1Request,
} from "./operation.ts";
import { promoterSubsetAnswer, readOwners } from "./promoter-json.ts";
import { field, createdAt, recordId } from "../http/fields.ts";
import { leads, type Lead } from "../domain/people/lead/lead.ts";
import type { Unit } from "../domain/money.ts";
import type { View } from "../storage/store.ts";
import { leadAnswer, leadJson } from "./leads.ts";
import { promotionAnswer } from "./promotion-json.ts";

const USUAL_PER_PAGE = 20;

/** V1's names of units. One differs from ours. */
const V1_UNITS = ["cash", "credits", "points", "free_months", "discount_mon", "discount_per"] as const;

/** @see docs/spec/v1.md "Reward record" */
export const rewardAnswer = z
  .object({
    id: recordId,
    status: field(z.enum(COMMISSION_STATUSES), "State of the record."),
    amount: field(z.int(), "The amount: cents for `cash`, whole units otherwise.", 2000),
    unit: field(z.enum(V1_UNITS), "Unit of the amount.", "cash"),
    created_at: createdAt,
    lead: field(
      leadAnswer.nullable(),
      "The lead, or null if it was deleted or the commission belongs to none.",
    ),
    event_id: field(z.string().nullable(), "Your own id of the sale, or null if it has none.", "order-1001"),
    conversion_amount: field(z.int(), "Amount of the sale that earned this, in cents.", 10000),
    tier_level: field(
      z.int(),
      "1 for the promoter, 2 for their parent, and so on. Null if it is no tier reward.",
      1,
    ),
    split_type: field(z.string().nullable(), "Always null, because commissions are not split.", null),
    promoter: field(promoterSubsetAnswer.schema.nullable(), "The promoter, or null if they were deleted."),
    promotion: field(
      promotionAnswer.schema.nullable(),
      "The promotion that the record belongs to, or null if it was deleted.",
    ),
  })
  .meta({ id: "V1Reward" });

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
  handle: listAll,
};

const createParams = z.object({
  lead_id: field(id.optional(), "Id of the lead whose promoter gets it.", 204),
  uid: field(text.optional(), uid),
  email: field(text.optional(), "The person's e-mail address.", "jane@example.com"),
  promotion_id: field(id.optional(), "Id of the promotion (V2: promoter campaign).", 31),
  ref_id: field(text.optional(), refToken),
  reward_type: field(oneOf(V1_UNITS), "Unit of the amount."),
  amount: field(wholeAmount, "The amount: cents for `cash`, whole units otherwise.", 2000),
  status: field(oneOf(COMMISSION_STATUSES).default("approved"), "State of the record."),
  skip_email_notification: field(flag.optional(), "`true` sends no e-mail about this. Default: `false`."),
});

/** @see docs/spec/v1.md "Rewards" */
export const createReward: V1Operation = {
  id: "v1CreateReward",
  summary: "Give a promoter a reward",
  description:
    "Gives a promoter a reward by hand: the promoter of the lead that `lead_id`, `uid` or `email` names, or the one whom `promotion_id` or `ref_id` names. A negative amount of `cash` corrects an earlier one.",
  example: { ref_id: "jane", reward_type: "cash", amount: 2000 },
  params: createParams,
  answer: rewardAnswer,
  refusals: ["missing", "not_found", "invalid", "refused"],
  // An unknown lead or promoter gets 422, because the original API documents no 404 here.
  statuses: LIST_STATUSES,
  shape: listError,
  handle: create,
};

const updateParams = z
  .object({
    id: field(id, "Id of the record.", 17),
    event_id: field(text, "Id of the event.", "00000000-0000-4000-8000-000000000001"),
    status: field(oneOf(COMMISSION_STATUSES), "State of the record."),
  })
  .partial();

/** @see docs/spec/v1.md "Rewards" */
export const updateReward: V1Operation = {
  id: "v1UpdateReward",
  summary: "Approve or deny a reward",
  description:
    "Sets the status of a reward, or of all rewards of one event. A reward that was paid stays as it is.",
  example: { event_id: "order-1001", status: "denied" },
  params: updateParams,
  answer: rewardAnswer,
  refusals: ["missing", "not_found", "invalid", "refused"],
  statuses: LIST_STATUSES,
  shape: listError,
  handle: update,
};

const rewardList = listed(commissions)();
const commissionLeads = belongingTo(commissions, { lead: [leads, "lead_id"] });

async function listAll(request: V1Request) {
  const { event, account, context } = request;
  const { store } = context;
  const params = await readParams(event);
  const page = readListPage(params, USUAL_PER_PAGE);
  const filter = readBelongingFilter(shapeInput(belongingParams, params));
  const scope = await findScope(store, account.id, filter);
  const { records, total } =
    scope === null
      ? NOTHING
      : await rewardList.find(store, account.id, { where: having(commissions, scope), ...page });
  setPageHeaders(request, page, total);
  return showRewards(store, records);
}

async function create({ event, account, context }: V1Request) {
  const params = shapeInput(createParams, await readParams(event));
  const { reward_type: type, amount, status, skip_email_notification: isSilent = false } = params;
  const given = { unit: unitOfV1(type), amount, status, ...(isSilent && { is_silent: true as const }) };
  const custom = { earner: readEarner(params), given, created_at: null };
  return context.store.transact(async (tx) =>
    showReward(tx.view, await createCommission(tx, context, account.id, custom)),
  );
}

function readEarner(params: z.output<typeof createParams>): Earner {
  const { lead_id: id = null, uid = null, email = null, promotion_id, ref_id } = params;
  const hasLead = id !== null || uid !== null || email !== null;
  return {
    lead: hasLead ? { id, uid, email } : undefined,
    promoter_campaign_id: promotion_id,
    ref_token: ref_id,
  };
}

async function update({ event, account, context }: V1Request) {
  const { id, event_id, status } = shapeInput(updateParams, await readParams(event));
  const change = { selector: { id: id ?? null, event_id: event_id ?? null }, status: status ?? null };
  return context.store.transact(async (tx) =>
    showReward(tx.view, await changeCommissionStatus(tx, context, account.id, change)),
  );
}

type V1Unit = (typeof V1_UNITS)[number];

/** Shows a commission with its lead, promoter and promotion. */
export async function showReward(view: View, commission: Commission): Promise<z.output<typeof rewardAnswer>> {
  return (await showRewards(view, [commission]))[0]!;
}

async function showRewards(view: View, records: Commission[]): Promise<z.output<typeof rewardAnswer>[]> {
  const [parts, ownersOf] = await Promise.all([commissionLeads(view, records), readOwners(view, records)]);
  return records.map((commission, at) => {
    const { promoter, promotion } = ownersOf(commission);
    return { ...rewardSummaryJson(commission, parts[at]!.lead), promoter, promotion };
  });
}

/** A reward within an event, without the promoter and lead that the event already has. */
export const rewardSummaryAnswer = rewardAnswer
  .omit({ promoter: true, promotion: true })
  .meta({ id: "V1RewardSummary" });

/** A commission, which V1 calls a reward, without its promoter. The lead is null if there is none or it was deleted. */
export function rewardSummaryJson(
  commission: Commission,
  lead: Lead | null,
): z.output<typeof rewardSummaryAnswer> {
  return {
    id: commission.id,
    status: commission.status,
    amount: commission.amount,
    unit: v1Unit(commission.unit),
    created_at: commission.created_at,
    lead: lead && leadJson(lead),
    event_id: commission.event_id,
    conversion_amount: commission.sale_amount,
    tier_level: commission.tier,
    split_type: null,
  };
}

/** A unit under V1's name. */
export function v1Unit(unit: Unit): V1Unit {
  return unit === "mon_discount" ? "discount_mon" : unit;
}

/** The unit with this name in V1. */
function unitOfV1(unit: V1Unit): Unit {
  return unit === "discount_mon" ? "mon_discount" : unit;
}
