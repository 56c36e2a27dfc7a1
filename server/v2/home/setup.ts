import { z } from "zod";
import type { Account } from "../../domain/program/account/account.ts";
import { SYSTEM } from "../../domain/context.ts";
import { listCampaigns, loadCampaign } from "../../domain/program/campaign/campaign.ts";
import { findSetupSteps } from "../../domain/home.ts";
import { findSightings } from "../../domain/people/sighting.ts";
import { isAllowedOrigin } from "../../domain/program/campaign/allowed-origin.ts";
import type { Store } from "../../storage/store.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { field } from "../../http/fields.ts";
import { scriptOnPage } from "../../domain/program/account/script-on-page.ts";
import { readJson } from "../../http/parameters/json.ts";
import { id } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";

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

async function showSetup({ account, context, public_url }: V2Request) {
  const { steps, hasCustomer } = await findSetupSteps(context.store, account, public_url);
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
    campaigns.some(({ allowed_origins, landing_url }) =>
      isAllowedOrigin(value, allowed_origins, landing_url),
    ),
  );
  return last === undefined ? null : { site: last.value, at: last.last_at };
}

const body = z.object({ campaign_id: field(id, "Id of the campaign.", 1) });

/**
 * `POST /api/v2/company/setup/script`. Only landing pages of the account's campaigns are fetched, so that the server
 * can't be used as a proxy.
 *
 * @see docs/spec/v2.md "Operations beyond these"
 */
export const checkScriptOperation: V2Operation = {
  id: "checkScript",
  summary: "Look for the script on a campaign's landing page",
  description:
    "Fetches a campaign's landing page and checks whether the script is on it, with your account id. Private addresses are not fetched unless the server allows them for webhooks.",
  example: { campaign_id: 1 },
  body,
  answer: z
    .object({
      result: field(
        z.enum(["found", "other_account", "tag_manager", "not_found", "not_fetched"]),
        "`found`: the page loads the script for your account. `other_account`: it loads the script for another account, or for none. `tag_manager`: a tag manager may load it, which the page does not show. `not_found`: it is not on the page. `not_fetched`: the page could not be read.",
      ),
      url: field(z.string(), "The page, after redirects.", "https://www.acme.example/"),
      other_account_id: field(
        z.string().nullable(),
        "The account that the page names instead, or null if it names none.",
        "globex",
      ),
      error: field(
        z.string().nullable(),
        "Why the page could not be read, or null if it could.",
        "Answered 404",
      ),
    })
    .meta({ id: "ScriptCheck" }),
  refusals: ["invalid", "not_found"],
  handle: check,
};

async function check({ event, account, context, fetchPage }: V2Request) {
  const { campaign_id } = shapeInput(body, await readJson(event));
  const { landing_url } = await loadCampaign(context.store, account.id, campaign_id);
  const { url, html, fault } = await fetchPage(landing_url);
  if (html === null) return { result: "not_fetched", url, other_account_id: null, error: fault };
  const { state, otherId } = scriptOnPage(html, account);
  return { result: state, url, other_account_id: otherId, error: null };
}
