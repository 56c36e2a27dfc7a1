import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import type { FindGroups } from "../../ui/batch/selection.ts";

type Outcome = components["schemas"]["BatchProcess"];

interface Action {
  /** `Approve` of `Approve 3 commissions`. */
  verb: string;
  /** `Approving` of `Approving 3 commissions`. */
  doing: string;
  /** `approved` of `3 commissions approved`. */
  done: string;
  /** Its consequences. */
  effect: string;
  isDanger: boolean;
  /** Which commissions must be sent together. Absent if each can be sent alone. */
  findGroups?: FindGroups;
  /** Whether a commission may depend on another one, so that unchanged ones are tried a second time. */
  hasSecondTurn?: boolean;
  send: (ids: number[]) => Promise<Outcome>;
}

export type ActionName = "approve" | "deny" | "pay" | "give";

/** What can be done with many commissions. */
export const ACTIONS: Record<ActionName, Action> = {
  approve: {
    verb: "Approve",
    doing: "Approving",
    done: "approved",
    effect: "The next payout run pays them.",
    isDanger: false,
    hasSecondTurn: true,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/approve", { body: { ids } })),
  },
  deny: {
    verb: "Deny",
    doing: "Denying",
    done: "denied",
    effect: "They are not paid. You can approve them later.",
    isDanger: true,
    hasSecondTurn: true,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/deny", { body: { ids } })),
  },
  pay: {
    verb: "Make payouts of",
    doing: "Making payouts of",
    done: "put into payouts",
    effect:
      "They are made now instead of at the end of the period, one for each promoter and campaign. The minimum payment is ignored.",
    isDanger: false,
    findGroups: findPromoters,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/generate_payouts", { body: { ids } })),
  },
  give: {
    verb: "Mark as given",
    doing: "Marking as given",
    done: "marked as given",
    effect: "For credits, points and similar units: the promoters have received them.",
    isDanger: false,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/mark_fulfilled", { body: { ids } })),
  },
};

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
