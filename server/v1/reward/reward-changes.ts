import { z } from "zod";
import { createCommission, type Earner } from "../../domain/commission/changes.ts";
import { COMMISSION_STATUSES } from "../../domain/commission/commission.ts";
import { changeCommissionStatus } from "../../domain/commission/review.ts";
import { readParams } from "../../http/parameters/form.ts";
import { flag, id, oneOf, text, wholeAmount } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { LIST_STATUSES, listError } from "../list.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { rewardAnswer, showReward, unitOfV1, V1_UNITS } from "./reward-json.ts";

const createParams = z.object({
  lead_id: id.optional(),
  uid: text.optional(),
  email: text.optional(),
  promotion_id: id.optional(),
  ref_id: text.optional(),
  reward_type: oneOf(V1_UNITS),
  amount: wholeAmount,
  status: oneOf(COMMISSION_STATUSES).default("approved"),
  skip_email_notification: flag.optional(),
});

const updateParams = z.object({ id, event_id: text, status: oneOf(COMMISSION_STATUSES) }).partial();

/** `POST /api/v1/rewards/create` @see docs/spec/v1.md "Rewards" */
export const createReward: V1Operation = {
  summary: "Give a promoter a reward",
  params: createParams,
  answer: rewardAnswer,
  refusals: ["missing", "not_found", "invalid", "refused"],
  // Choice: nobody found is 422, because the interface documents no 404 here.
  statuses: LIST_STATUSES,
  shape: listError,
  handle: create,
};

/** `PUT` and `POST /api/v1/rewards/update` @see docs/spec/v1.md "Rewards" */
export const updateReward: V1Operation = {
  summary: "Approve or deny a reward",
  params: updateParams,
  answer: rewardAnswer,
  refusals: ["missing", "not_found", "invalid", "refused"],
  statuses: LIST_STATUSES,
  shape: listError,
  handle: update,
};

async function create({ event, account, context }: V1Request) {
  const params = shapeInput(createParams, await readParams(event));
  const { reward_type: type, amount, status, skip_email_notification: isSilent = false } = params;
  return createCommission(context, account.id, {
    earner: readEarner(params),
    given: { unit: unitOfV1(type), amount, status, ...(isSilent && { isSilent: true as const }) },
    createdAt: null,
    show: showReward,
  });
}

async function update({ event, account, context }: V1Request) {
  const { id, event_id: eventId, status } = shapeInput(updateParams, await readParams(event));
  return changeCommissionStatus(context, account.id, {
    selector: { id: id ?? null, eventId: eventId ?? null },
    status: status ?? null,
    show: showReward,
  });
}

function readEarner(params: z.output<typeof createParams>): Earner {
  const { lead_id: id = null, uid = null, email = null, promotion_id, ref_id } = params;
  const hasLead = id !== null || uid !== null || email !== null;
  return {
    lead: hasLead ? { id, uid, email } : undefined,
    promoterCampaignId: promotion_id,
    refToken: ref_id,
  };
}
