import { z } from "zod";
import { eraseLead, erasePromoter } from "../domain/privacy/erasure.ts";
import { message } from "../http/fields.ts";
import type { V2Operation, V2Request, V2Row } from "./operation.ts";
import { readPathId } from "../resource/listing.ts";

const ERASED = z.object({
  message,
});

const erasePromoterOperation: V2Operation = {
  id: "erasePromoter",
  summary: "Erase a promoter's personal data",
  description:
    "Permanently erases a promoter's personal data: name, addresses, payout methods, links. Earnings and payouts stay with their ids for your bookkeeping. Only owners may.",
  answer: ERASED,
  refusals: ["not_found"],
  async handle({ event, account, context }: V2Request) {
    await erasePromoter(context, account.id, String(readPathId(event)));
    return { message: "The promoter's personal data was erased" };
  },
};

const eraseReferralOperation: V2Operation = {
  id: "eraseReferral",
  summary: "Erase a lead's personal data",
  description:
    "Permanently erases a lead's personal data, even of a customer. Sales and commissions stay, without a name. Only owners may.",
  answer: ERASED,
  refusals: ["not_found"],
  async handle({ event, account, context }: V2Request) {
    await eraseLead(context, account.id, String(readPathId(event)));
    return { message: "The lead's personal data was erased" };
  },
};

/** The operations that erase people. */
export const ERASURES: V2Row[] = [
  ["POST", "/api/v2/company/promoters/:id/erase", erasePromoterOperation, "owner"],
  ["POST", "/api/v2/company/referrals/:id/erase", eraseReferralOperation, "owner"],
];
