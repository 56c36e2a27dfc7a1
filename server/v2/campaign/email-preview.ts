import { z } from "zod";
import type { Account } from "../../domain/program/account/account.ts";
import { emailBrand, shownName } from "../../domain/program/account/brand.ts";
import { loadCampaign, type Campaign } from "../../domain/program/campaign/campaign.ts";
import {
  emailTexts,
  findLayout,
  findTriggered,
  triggerOf,
} from "../../domain/program/company-email/company-email.ts";
import { EMAIL_KINDS } from "../../domain/events/email.ts";
import { formatAmount } from "../../domain/money.ts";
import { newPromoterCampaign, refLink } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { mailLanguage } from "../../domain/people/promoter/promoter.ts";
import { loadTerms } from "../../domain/ledger/terms.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { oneOf } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { lookIn, writeCompanyEmail } from "../../outgoing/email-text.ts";
import { LANGUAGES, type Language } from "../../languages/languages.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readPathId } from "../../resource/listing.ts";
import { field } from "../../http/fields.ts";

/** The language of a preview, in operations that show one. */
export const previewLanguage = field(
  oneOf(LANGUAGES).optional(),
  "The language of the reader. Left out: the account's `promoter_language`. An extension of Tidemark.",
  "de",
);

const params = z.object({
  kind: field(oneOf(EMAIL_KINDS), "Which e-mail.", "accepted"),
  language: previewLanguage,
});

export const previewEmailOperation: V2Operation = {
  id: "previewEmail",
  summary: "Preview an e-mail to promoters",
  description:
    "Shows an e-mail to the campaign's promoters, with Jane Doe as the promoter: the company's own text if there is one.",
  params,
  answer: z
    .object({
      subject: field(z.string(), "The subject.", "You have been accepted to Partners"),
      text: field(z.string(), "The text.", "Hello Jane,"),
      html: field(z.string(), "The text as HTML.", "<p>Hello Jane,</p>"),
    })
    .meta({ id: "EmailPreview" }),
  refusals: ["not_found", "invalid"],
  handle: preview,
};

async function preview({ event, account, context: { store }, public_url, writeEmail }: V2Request) {
  const { kind, language: wanted } = shapeInput(params, readQuery(event));
  const language = wanted ?? mailLanguage(account, {});
  const campaign = await loadCampaign(store, account.id, readPathId(event));
  const values = {
    ...exampleValues({ account, campaign, public_url, language }),
    offer: (await loadTerms(store, { account, campaign, language })).join(" "),
  };
  const brand = emailBrand(account, public_url);
  const { instead } = await findTriggered(store, account.id, {
    trigger: triggerOf(kind),
    campaign_id: campaign.id,
  });
  const { subject, text, html } =
    instead === null
      ? writeEmail({ kind, values, language, brand })
      : await writeCompanyEmail(
          {
            ...emailTexts(instead, language),
            layout: await findLayout(store, account.id),
            reader: language,
            look: brand && lookIn(brand, language),
          },
          values,
        );
  return { subject, text, html };
}

/** Values for a preview: Jane Doe has just earned a commission. */
export function exampleValues({
  account,
  campaign,
  public_url,
  language,
}: {
  account: Account;
  campaign: Campaign;
  public_url: string;
  language: Language;
}): Record<string, string> {
  const jane = newPromoterCampaign({
    account_id: account.id,
    id: 0,
    campaign_id: campaign.id,
    promoter_id: 0,
    state: "accepted",
    ref_token: "jane",
    created_at: campaign.created_at,
  });
  return {
    first_name: "Jane",
    email: "jane@example.com",
    company_name: shownName(account),
    campaign_name: campaign.name,
    ref_token: jane.ref_token,
    ref_link: refLink(jane, campaign),
    portal_url: `${public_url}/portal`,
    unsubscribe_url: `${public_url}/unsubscribe`,
    amount: formatAmount(2_500, "cash", account.currency, language),
    unit: "cash",
  };
}
