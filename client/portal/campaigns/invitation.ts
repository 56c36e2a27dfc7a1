import { loadJoinPage } from "../../ui/api/join-page.ts";
import type { components } from "../../ui/api/types.ts";

/** A campaign to join, and the invitation to it. null: none is needed. */
export interface Invitation {
  campaign: Pick<
    components["schemas"]["PortalCampaign"],
    "id" | "name" | "needs_approval" | "questions" | "terms"
  >;
  invitation: string | null;
}

/**
 * Takes the campaign that the sign-up page sent the promoter to out of the address:
 * `/portal/campaigns#join=2&invitation=…`. null: none.
 */
export async function takeInvitation(): Promise<Invitation | null> {
  const given = new URLSearchParams(location.hash.slice(1));
  const id = Number(given.get("join"));
  if (!id) return null;
  history.replaceState(null, "", location.pathname);
  const invitation = given.get("invitation");
  return { campaign: await loadJoinPage(id, invitation), invitation };
}
