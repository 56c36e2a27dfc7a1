import type { Store } from "../../storage/store.ts";
import { SYSTEM, type Account } from "../account/account.ts";
import { campaigns } from "../campaign/campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import { loadAccountStats } from "../report/stats.ts";
import { findSetup, findSightings } from "../sighting/sighting.ts";
import { visitors } from "../visitor/visitor.ts";
import { webhooks } from "../webhook/webhooks.ts";

/** The steps of setting an account up. true: done. */
export interface SetupSteps {
  /** A page of somebody else loads the script. */
  script: boolean;
  /** A campaign leads to a page other than the demo. */
  landingPage: boolean;
  promoter: boolean;
  click: boolean;
  lead: boolean;
  sale: boolean;
  webhook: boolean;
  /** The server can send e-mails. */
  mail: boolean;
}

/** How far an account is set up. */
export async function findSetupSteps(
  store: Store,
  { id }: Account,
  publicUrl: string,
): Promise<{ steps: SetupSteps; hasCustomer: boolean }> {
  const [stats, scripts, setup, someVisitors, someWebhooks, somePromoters, hasLandingPage] =
    await Promise.all([
      loadAccountStats(store, id),
      findSightings(store, SYSTEM, "script"),
      findSetup(store),
      store.page(visitors, "id", id, [], { limit: 1 }),
      store.page(webhooks, "id", id, [], { limit: 1 }),
      store.page(promoters, "archived", id, [0], { limit: 1 }),
      leadsElsewhere(store, id, publicUrl),
    ]);
  const steps = {
    script: scripts.length > 0,
    landingPage: hasLandingPage,
    promoter: somePromoters.length > 0,
    // A lead came by a click or needs none.
    click: someVisitors.length > 0 || stats.referrals > 0,
    lead: stats.referrals > 0,
    sale: stats.sales > 0,
    webhook: someWebhooks.length > 0,
    mail: setup?.hasMail ?? false,
  };
  return { steps, hasCustomer: stats.customers > 0 };
}

async function leadsElsewhere(store: Store, accountId: number, publicUrl: string): Promise<boolean> {
  for await (const chunk of store.scan(campaigns, "id", accountId, [])) {
    if (chunk.some(({ landingUrl }) => landingUrl !== `${publicUrl}/demo`)) return true;
  }
  return false;
}
