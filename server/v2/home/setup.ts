import { z } from "zod";
import type { Account } from "../../domain/program/account/account.ts";
import { SYSTEM } from "../../domain/context.ts";
import { listCampaigns } from "../../domain/program/campaign/campaign.ts";
import { findSetupSteps } from "../../domain/home.ts";
import { findSightings } from "../../domain/people/sighting.ts";
import { isAllowedOrigin } from "../../http/origin.ts";
import type { Store } from "../../storage/store.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { field } from "../../http/fields.ts";

/** `GET /api/v2/company/setup` */
export const setupOperation: V2Operation = {
  id: "showSetup",
  summary: "Show the progress of setting up the account",
  description:
    "Shows which steps of the setup are done: the script, a campaign, the first promoter, click, lead and sale.",
  answer: z.object({
    has_customer: field(z.boolean(), "Whether a lead has become a customer."),
    script_seen: field(
      z
        .object({
          site: field(z.string(), "The site.", "https://www.acme.example"),
          at: field(z.iso.datetime(), "When, exact to an hour.", "2026-03-04T05:06:07.890Z"),
        })
        .nullable()
        .meta({ id: "ScriptSighting" }),
      "Where a site of your campaigns last loaded the script, or null if none did. Scripts of tag managers count, too.",
    ),
    steps: field(
      z
        .object({
          script: field(z.boolean(), "A page loads the script."),
          name: field(z.boolean(), "The company has chosen the name that promoters see."),
          landing_page: field(z.boolean(), "A campaign leads to a page other than the demo."),
          reward: field(z.boolean(), "A campaign gives its promoters a reward."),
          promoter: field(z.boolean(), "There is a promoter."),
          click: field(z.boolean(), "There was a click on a referral link."),
          referral: field(z.boolean(), "There is a lead."),
          sale: field(z.boolean(), "There was a sale."),
          webhook: field(z.boolean(), "There is a webhook."),
          mail: field(z.boolean(), "The server can send e-mails."),
        })
        .meta({ id: "SetupSteps" }),
      "The steps of setting an account up.",
    ),
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
      name: steps.name,
      landing_page: steps.landingPage,
      reward: steps.reward,
      promoter: steps.promoter,
      click: steps.click,
      referral: steps.lead,
      sale: steps.sale,
      webhook: steps.webhook,
      mail: steps.mail,
    },
  };
}

/** Where the script was last loaded. Sightings are shared by all accounts, so only this account's sites count. */
export async function findScript(
  store: Store,
  { id }: Account,
): Promise<{ site: string; at: string } | null> {
  const [sightings, campaigns] = await Promise.all([
    findSightings(store, SYSTEM, "script"),
    listCampaigns(store, id),
  ]);
  const last = sightings.find(({ value }) =>
    campaigns.some(({ allowedOrigins, landingUrl }) => isAllowedOrigin(value, allowedOrigins, landingUrl)),
  );
  return last === undefined ? null : { site: last.value, at: last.lastAt };
}
