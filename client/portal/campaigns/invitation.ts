import { loadJoinPage } from "../../ui/api/join-page.ts";
import type { components } from "../../ui/api/types.ts";

/** A campaign to join, and its invitation, or null if none is needed. */
export interface Invitation {
  campaign: Pick<
    components["schemas"]["PortalCampaign"],
    "id" | "name" | "needs_approval" | "questions" | "terms" | "contracts"
  >;
  invitation: string | null;
}

/**
 * Removes the campaign that the sign-up page sent the promoter to from the URL and returns it, or null:
 * `/portal/campaigns#join=2&invitation=…`.
 */
export async function takeInvitation(): Promise<Invitation | null> {
  const given = new URLSearchParams(location.hash.slice(1));
  const id = Number(given.get("join"));
  if (!id) return null;
  history.replaceState(null, "", location.pathname);
  const invitation = given.get("invitation");
  return { campaign: await loadJoinPage(id, invitation), invitation };
}
