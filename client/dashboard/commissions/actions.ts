import { answer, api } from "../../ui/api/client.ts";
import type { Action } from "../../ui/batch/action.ts";

/** What can be done with many commissions. */
export const COMMISSION_ACTIONS: Action[] = [
  {
    verb: "Approve",
    doing: "Approving",
    done: "approved",
    effect: "The next payout run pays what is approved.",
    isDanger: false,
    hasSecondTurn: true,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/approve", { body: { ids } })),
  },
  {
    verb: "Deny",
    doing: "Denying",
    done: "denied",
    effect: "What is denied is not paid. You can approve it later.",
    isDanger: true,
    hasSecondTurn: true,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/deny", { body: { ids } })),
  },
  {
    verb: "Make payouts of",
    button: "Make payouts of them",
    doing: "Making payouts of",
    done: "put into payouts",
    effect:
      "Payouts are made now instead of at the end of the period, one for each promoter and campaign. The minimum payment is ignored.",
    isDanger: false,
    way: { path: "/admin/payouts#tab=all&status=pending", words: "Show the payouts" },
    findGroups: findPromoters,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/generate_payouts", { body: { ids } })),
  },
  {
    verb: "Mark",
    as: " as given",
    doing: "Marking",
    done: "marked as given",
    effect: "For credits, points and similar units: the promoters have received them.",
    isDanger: false,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/mark_fulfilled", { body: { ids } })),
  },
];

/**
 * The promoters of commissions. A payout contains only the commissions of one request, so a request with only some of a
 * promoter's commissions could pay what the others take back.
 */
async function findPromoters(ids: number[]): Promise<string[]> {
  const query = { ids, per_page: ids.length };
  const found = await answer(api.GET("/api/v2/company/commissions", { params: { query } }));
  const promoters = new Map(found.map(({ id, promoter_campaign: owner }) => [id, String(owner.promoter_id)]));
  return ids.map((id) => promoters.get(id) ?? "");
}
