import { z } from "zod";
import { listHolds, releasePayouts } from "../../domain/ledger/payout-method/hold.ts";
import { loadPromoter, promoterName } from "../../domain/people/promoter/promoter.ts";
import { field, message } from "../../http/fields.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readPathId } from "../path-id.ts";

const holdAnswer = z
  .object({
    promoter_id: field(z.int(), "Id of the promoter.", 17),
    name: field(z.string(), "Name of the promoter.", "Jane Doe"),
    email: field(z.string(), "E-mail address of the promoter.", "jane@example.com"),
    changed_at: field(z.iso.datetime(), "When the payout method was changed."),
    held_at: field(z.iso.datetime(), "When the promoter has said that someone else did it."),
  })
  .meta({ id: "PayoutHold" });

/** `GET /api/v2/company/payout_holds`. Choice: our addition. */
export const listPayoutHoldsOperation: V2Operation = {
  id: "listPayoutHolds",
  summary: "List promoters whose payouts are held",
  description:
    "Lists the promoters who say that someone else has changed their payout method, at most a hundred, the longest held first. They are not paid. An extension of Tidemark.",
  answer: z.array(holdAnswer),
  async handle({ account, context: { store } }: V2Request) {
    const shown: z.output<typeof holdAnswer>[] = [];
    for (const { promoterId, changedAt, heldAt } of await listHolds(store, account.id)) {
      const promoter = await loadPromoter(store, account.id, promoterId);
      shown.push({
        promoter_id: promoterId,
        name: promoterName(promoter),
        email: promoter.email,
        changed_at: changedAt,
        held_at: heldAt,
      });
    }
    return shown;
  },
};

/** `POST /api/v2/company/promoters/{id}/release_payouts`. Choice: our addition. */
export const releasePayoutsOperation: V2Operation = {
  id: "releasePayouts",
  summary: "Pay a promoter again whose payouts are held",
  description:
    "Ends the hold of a promoter who had said that someone else changed the payout method. Speak with them first, and look at the method. The same link can't hold the payouts again. An extension of Tidemark.",
  answer: z.object({ message }),
  refusals: ["not_found"],
  async handle({ event, account, context }: V2Request) {
    await releasePayouts(context, account.id, readPathId(event));
    return { message: "Payouts released" };
  },
};
