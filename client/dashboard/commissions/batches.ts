import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";

type Outcome = components["schemas"]["BatchProcess"];

interface Action {
  /** `Approve` of `Approve 3 commissions`. */
  verb: string;
  /** `Approving` of `Approving 3 commissions`. */
  doing: string;
  /** `approved` of `3 commissions approved`. */
  done: string;
  /** What it means. */
  effect: string;
  isDanger: boolean;
  send: (ids: number[]) => Promise<Outcome>;
}

/** What can be done with many commissions. */
export const ACTIONS = {
  approve: {
    verb: "Approve",
    doing: "Approving",
    done: "approved",
    effect: "The next payout run pays them.",
    isDanger: false,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/approve", { body: { ids } })),
  },
  deny: {
    verb: "Deny",
    doing: "Denying",
    done: "denied",
    effect: "They are not paid. You can approve them later.",
    isDanger: true,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/deny", { body: { ids } })),
  },
  pay: {
    verb: "Make payouts of",
    doing: "Making payouts of",
    done: "put into payouts",
    effect:
      "They are made now and not at the end of the period, for each promoter and campaign. Many commissions of one promoter may make several payouts. The minimum payment does not count.",
    isDanger: false,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/generate_payouts", { body: { ids } })),
  },
  give: {
    verb: "Mark as given",
    doing: "Marking as given",
    done: "marked as given",
    effect: "For credits, points and the like: the promoters have got them.",
    isDanger: false,
    send: (ids) => answer(api.POST("/api/v2/company/commissions/mark_fulfilled", { body: { ids } })),
  },
} as const satisfies Record<string, Action>;

export type ActionName = keyof typeof ACTIONS;
