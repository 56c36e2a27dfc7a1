import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";

type Outcome = components["schemas"]["BatchProcess"];

/** The user's choices for an action. */
export interface Chosen {
  ids: number[];
  campaignId: number;
  toCampaignId: number;
  movesLeads: boolean;
}

interface Action {
  /** The button above the list. */
  button: string;
  /** `Accept` of `Accept 3 promoters`. */
  verb: string;
  /** `Accepting` of `Accepting 3 promoters`. */
  doing: string;
  /** `accepted` of `3 promoters accepted`. */
  done: string;
  /** Its consequences for them. */
  effect: string;
  isDanger: boolean;
  /** The campaigns to choose: none, the one that it applies to, the one to join, or those to leave and to join. */
  needs: "nothing" | "campaign" | "new campaign" | "campaigns";
  send: (chosen: Chosen) => Promise<Outcome>;
}

export type ActionName = "accept" | "reject" | "block" | "add" | "move" | "archive" | "restore";

/** What can be done with many promoters. */
export const ACTIONS: Record<ActionName, Action> = {
  accept: {
    button: "Accept",
    verb: "Accept",
    doing: "Accepting",
    done: "accepted",
    effect: "They can refer people in this campaign, and earn from it.",
    isDanger: false,
    needs: "campaign",
    send: (chosen) => answer(api.POST("/api/v2/company/promoters/accept", { body: inCampaign(chosen) })),
  },
  reject: {
    button: "Reject",
    verb: "Reject",
    doing: "Rejecting",
    done: "rejected",
    effect: "They can't refer people in this campaign. You can accept them later.",
    isDanger: false,
    needs: "campaign",
    send: (chosen) => answer(api.POST("/api/v2/company/promoters/reject", { body: inCampaign(chosen) })),
  },
  block: {
    button: "Block",
    verb: "Block",
    doing: "Blocking",
    done: "blocked",
    effect: "Their clicks, leads and new commissions in this campaign stop immediately.",
    isDanger: true,
    needs: "campaign",
    send: (chosen) => answer(api.POST("/api/v2/company/promoters/block", { body: inCampaign(chosen) })),
  },
  add: {
    button: "Add to campaign…",
    verb: "Add",
    doing: "Adding",
    done: "added",
    effect: "They get a link in one more campaign, and keep what they have in others.",
    isDanger: false,
    needs: "new campaign",
    send: ({ ids, toCampaignId }) =>
      answer(
        api.POST("/api/v2/company/promoters/add_to_campaign", { body: { ids, campaign_id: toCampaignId } }),
      ),
  },
  move: {
    button: "Move to campaign…",
    verb: "Move",
    doing: "Moving",
    done: "moved",
    effect: "They keep their links. What they have earned stays in the campaign that they leave.",
    isDanger: false,
    needs: "campaigns",
    send: ({ ids, campaignId, toCampaignId, movesLeads }) =>
      answer(
        api.POST("/api/v2/company/promoters/move_to_campaign", {
          body: {
            ids,
            from_campaign_id: campaignId,
            to_campaign_id: toCampaignId,
            soft_move_referrals: movesLeads,
          },
        }),
      ),
  },
  archive: {
    button: "Archive",
    verb: "Archive",
    doing: "Archiving",
    done: "archived",
    effect: "They keep their history but can't refer people any more. You can restore them.",
    isDanger: true,
    needs: "nothing",
    send: ({ ids }) => answer(api.POST("/api/v2/company/promoters/archive", { body: { ids } })),
  },
  restore: {
    button: "Restore",
    verb: "Restore",
    doing: "Restoring",
    done: "restored",
    effect: "Archived promoters appear in the list again and can refer people.",
    isDanger: false,
    needs: "nothing",
    send: ({ ids }) => answer(api.POST("/api/v2/company/promoters/restore", { body: { ids } })),
  },
};

function inCampaign({ ids, campaignId }: Chosen) {
  return { ids, campaign_id: campaignId };
}
