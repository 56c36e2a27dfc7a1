import { z } from "zod";
import { SYSTEM, type Account } from "../../domain/account/account.ts";
import { listCampaigns } from "../../domain/campaign/campaign.ts";
import { findSetupSteps } from "../../domain/home/home.ts";
import { findSightings } from "../../domain/sighting/sighting.ts";
import { isAllowedOrigin } from "../../http/origin.ts";
import type { Store } from "../../storage/store.ts";
import type { V2Operation, V2Request } from "../operation.ts";

/** `GET /api/v2/company/setup` */
export const setupOperation: V2Operation = {
  summary: "Show how far the account is set up",
  answer: z.object({
    has_customer: z.boolean(),
    script_seen: z
      .object({ site: z.string(), at: z.iso.datetime() })
      .nullable()
      .meta({ id: "ScriptSighting" }),
    steps: z
      .object({
        script: z.boolean(),
        landing_page: z.boolean(),
        promoter: z.boolean(),
        click: z.boolean(),
        referral: z.boolean(),
        sale: z.boolean(),
        webhook: z.boolean(),
        mail: z.boolean(),
      })
      .meta({ id: "SetupSteps" }),
  }),
  handle: showSetup,
};

async function showSetup({ account, context, publicUrl }: V2Request) {
  const { steps, hasCustomer } = await findSetupSteps(context.store, account, publicUrl);
  return {
    has_customer: hasCustomer,
    script_seen: await findScript(context.store, account),
    steps: {
      script: steps.script,
      landing_page: steps.landingPage,
      promoter: steps.promoter,
      click: steps.click,
      referral: steps.lead,
      sale: steps.sale,
      webhook: steps.webhook,
      mail: steps.mail,
    },
  };
}

/** Where the script was seen last. All accounts of a server share the sightings, so only sites of this one count. */
async function findScript(store: Store, { id }: Account): Promise<{ site: string; at: string } | null> {
  const [sightings, campaigns] = await Promise.all([
    findSightings(store, SYSTEM, "script"),
    listCampaigns(store, id),
  ]);
  const last = sightings.find(({ value }) =>
    campaigns.some(({ allowedOrigins, landingUrl }) => isAllowedOrigin(value, allowedOrigins, landingUrl)),
  );
  return last === undefined ? null : { site: last.value, at: last.lastAt };
}
