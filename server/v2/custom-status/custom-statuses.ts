import { z } from "zod";
import {
  changeCustomStatuses,
  customStatuses,
  listCustomStatuses,
} from "../../domain/people/lead/custom-status.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { flag, id, longText, wholeNumber, word } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { shown } from "../../resource/answer.ts";
import type { V2Operation, V2Row } from "../operation.ts";

const NAME_LENGTH = 100;
const MOST_CHANGES = 100;

const customStatusAnswer = shown(customStatuses)("CustomReferralStatus", {
  id: recordId,
  name: field(z.string(), "Name of the status.", "Offer sent"),
  description: field(z.string().nullable(), "What it means, or null.", "The offer is at the customer."),
  order: field(z.int(), "Lower ones come first.", 1),
  company_id: [field(z.int(), "Id of the account.", 1), ({ account_id }) => account_id],
  created_at: createdAt,
  updated_at: field(z.iso.datetime(), "When the record was last changed."),
});
const { shape } = customStatusAnswer.schema;

const changesBody = z.object({
  custom_referral_statuses: field(
    z
      .array(
        z.object(
          {
            id: field(id.optional(), "Id of the status. Leave it out to add one.", 3),
            name: field(word(NAME_LENGTH).min(1, "can't be blank"), shape.name),
            description: field(longText.nullable().optional(), shape.description),
            order: field(wholeNumber(0, 9_999), shape.order),
            _destroy: field(flag.optional(), "Whether to remove it. Leads that have it then have none."),
          },
          "is invalid",
        ),
        "is invalid",
      )
      .max(MOST_CHANGES, `is too long (maximum is ${MOST_CHANGES} entries)`),
    "Statuses to make, change or remove. The others stay.",
  ),
});

const listOperation: V2Operation = {
  id: "listCustomReferralStatuses",
  summary: "List custom referral statuses",
  description: "Lists the states of leads that the company has named itself, in order.",
  answer: z.array(customStatusAnswer.schema),
  handle: async ({ account, context: { store } }) =>
    customStatusAnswer.showAll(store, await listCustomStatuses(store, account.id)),
};

const updateOperation: V2Operation = {
  id: "updateCustomReferralStatuses",
  summary: "Make, change and remove custom referral statuses",
  description:
    "Changes the states of leads that the company has named itself. Those that you leave out stay. `custom_status_id` of `PUT /api/v2/company/referrals/{id}` gives one to a lead.",
  example: { custom_referral_statuses: [{ name: "Offer sent", order: 1 }] },
  body: changesBody,
  answer: z.array(customStatusAnswer.schema),
  refusals: ["not_found", "invalid", "taken"],
  async handle({ event, account, context }) {
    const body = shapeInput(changesBody, await readJson(event));
    return context.store.transact(async (tx) => {
      const after = await changeCustomStatuses(tx, context, account.id, body.custom_referral_statuses);
      return customStatusAnswer.showAll(tx.view, after);
    });
  },
};

const PATH = "/api/admin/v1/custom_referral_statuses";

/** The service's own paths, for programs. */
export const CUSTOM_STATUS_OPERATIONS: V2Row[] = [
  ["GET", PATH, listOperation, "key"],
  ["PUT", `${PATH}/update`, updateOperation, "key"],
];

/** The same below `/api/v2/company`, because the dashboard's cookie goes nowhere else. */
export const OWN_STATUS_OPERATIONS: V2Row[] = [
  ["GET", "/custom_referral_statuses", { ...listOperation, id: "listOwnReferralStatuses" }],
  ["PUT", "/custom_referral_statuses", { ...updateOperation, id: "updateOwnReferralStatuses" }],
];
