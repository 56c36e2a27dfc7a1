import { z } from "zod";
import { scriptOnPage } from "../../domain/program/account/script-on-page.ts";
import { loadCampaign } from "../../domain/program/campaign/campaign.ts";
import { readJson } from "../../http/parameters/json.ts";
import { id } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { field } from "../../http/fields.ts";

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
  const { campaign_id: campaignId } = shapeInput(body, await readJson(event));
  const { landingUrl } = await loadCampaign(context.store, account.id, campaignId);
  const { url, html, fault } = await fetchPage(landingUrl);
  if (html === null) return { result: "not_fetched", url, other_account_id: null, error: fault };
  const { state, otherId } = scriptOnPage(html, account);
  return { result: state, url, other_account_id: otherId, error: null };
}
