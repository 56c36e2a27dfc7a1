import { z } from "zod";
import { shownName } from "../../../domain/program/account/brand.ts";
import { loadCampaignOrDefault } from "../../../domain/program/campaign/campaign.ts";
import {
  loadEmailSettings,
  updateEmailSettings,
  type EmailSettings,
} from "../../../domain/people/portal/profile.ts";
import type { EmailTopic } from "../../../domain/people/promoter/promoter.ts";
import { Failure } from "../../../failure.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { flag, text } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { parseUrl } from "../../../url.ts";
import { readPathId } from "../../../resource/listing.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { field, recordId } from "../../../http/fields.ts";

const answer = z
  .object({
    id: recordId,
    company_domain: field(
      z.string().nullable(),
      "The site that the default campaign leads to, or null if there is none.",
      "www.example.com",
    ),
    emails_opt_drip: field(
      z.boolean(),
      "E-mails of the company that follow later, such as tips for newcomers.",
    ),
    emails_opt_new_commission: field(z.boolean(), "An e-mail about each commission."),
    emails_opt_new_referral: field(z.boolean(), "An e-mail about each lead."),
    emails_opt_payout: field(z.boolean(), "An e-mail about each payout."),
    company_name: field(z.string(), "Name of the company.", "Acme"),
    marketing_consent: field(z.boolean(), "E-mails of the company to many promoters, such as news."),
  })
  .meta({ id: "EmailSettings" });

const updateBody = z
  .object({
    emails_opt_drip: field(flag, answer.shape.emails_opt_drip),
    emails_opt_new_commission: field(flag, "An e-mail about each commission."),
    emails_opt_new_referral: field(flag, "An e-mail about each lead."),
    emails_opt_payout: field(flag, "An e-mail about each payout."),
    marketing_consent: field(flag, answer.shape.marketing_consent),
    e: field(text, "Accepted, but not used: the session says who the promoter is.", "jane@example.com"),
  })
  .partial();

export const showEmailSettingsOperation: AffiliateOperation = {
  id: "getEmailSettings",
  summary: "Show which e-mails the promoter wants",
  description: "Shows which e-mails the promoter wants.",
  answer: z.object({
    data: field(z.array(answer), "The records."),
    meta: field(
      z.object({ email: field(z.string(), "The person's e-mail address.", "jane@example.com") }),
      "Further data.",
    ),
  }),
  async handle(request) {
    const { context, promoter } = request;
    const wanted = await loadEmailSettings(context.store, promoter);
    return { data: [await settingsJson(request, wanted)], meta: { email: promoter.email } };
  },
};

/** The id is the promoter's own. */
export const updateEmailSettingsOperation: AffiliateOperation = {
  id: "updateEmailSettings",
  summary: "Choose the e-mails that the promoter wants",
  description:
    "Chooses the e-mails that the promoter wants; the id is the promoter's own. What you leave out stays. A promoter who had unsubscribed gets those that are on.",
  example: { emails_opt_new_referral: false },
  body: updateBody,
  answer,
  refusals: ["not_found"],
  async handle(request) {
    const { event, context, promoter } = request;
    if (readPathId(event) !== promoter.id) throw new Failure("not_found", "E-mail settings not found.");
    const body = shapeInput(updateBody, await readJson(event));
    const changes: { [Topic in EmailTopic]?: boolean | undefined } = {
      drip: body.emails_opt_drip,
      new_commission: body.emails_opt_new_commission,
      new_referral: body.emails_opt_new_referral,
      payout: body.emails_opt_payout,
      marketing: body.marketing_consent,
    };
    return settingsJson(request, await updateEmailSettings(context, promoter, changes));
  },
};

async function settingsJson(
  { account, context, promoter }: AffiliateRequest,
  wanted: EmailSettings,
): Promise<z.output<typeof answer>> {
  const { landing_url } = await loadCampaignOrDefault(context.store, account, null);
  return {
    id: promoter.id,
    company_domain: parseUrl(landing_url)?.hostname ?? null,
    emails_opt_drip: wanted.drip,
    emails_opt_new_commission: wanted.new_commission,
    emails_opt_new_referral: wanted.new_referral,
    emails_opt_payout: wanted.payout,
    company_name: shownName(account),
    marketing_consent: wanted.marketing,
  };
}
