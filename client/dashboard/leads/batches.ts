import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";

type Outcome = components["schemas"]["BatchProcess"];

interface Action {
  /** `Approve` of `Approve 3 leads`. */
  verb: string;
  doing: string;
  done: string;
  /** Its consequences. */
  effect: string;
  isDanger: boolean;
  send: (ids: number[]) => Promise<Outcome>;
}

export type LeadActionName = "approve" | "disable" | "enable" | "delete";

/** What can be done with many leads. */
export const ACTIONS: Record<LeadActionName, Action> = {
  approve: {
    verb: "Approve",
    doing: "Approving",
    done: "approved",
    effect: "Leads that promoters added by hand count from now on, and their sales earn commissions.",
    isDanger: false,
    send: (ids) => answer(api.POST("/api/v2/company/referrals/approve", { body: { ids } })),
  },
  disable: {
    verb: "Disable",
    doing: "Disabling",
    done: "disabled",
    effect:
      "Their later sales earn nothing. Commissions that they have earned stay. You can enable them again.",
    isDanger: true,
    send: (ids) => answer(api.POST("/api/v2/company/referrals/disable", { body: { ids } })),
  },
  enable: {
    verb: "Enable",
    doing: "Enabling",
    done: "enabled",
    effect: "Their sales earn commissions again.",
    isDanger: false,
    send: (ids) => answer(api.POST("/api/v2/company/referrals/enable", { body: { ids } })),
  },
  delete: {
    verb: "Delete",
    doing: "Deleting",
    done: "deleted",
    effect: "They leave all lists for good. Their sales and commissions stay, and can still be refunded.",
    isDanger: true,
    send: (ids) => answer(api.DELETE("/api/v2/company/referrals", { body: { ids } })),
  },
};
