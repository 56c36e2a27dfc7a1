import { z } from "zod";
import { emailBrand } from "../../domain/program/account/brand.ts";
import { loadTerms } from "../../domain/ledger/terms.ts";
import { loadCampaignOrDefault } from "../../domain/program/campaign/campaign.ts";
import {
  refuseFaultyLayout,
  refuseUnknownPlaceholders,
  setLayout,
} from "../../domain/program/company-email/changes.ts";
import {
  EMAIL_TRIGGERS,
  emailTexts,
  findLayout,
  kindsOf,
  loadCompanyEmail,
  PLACEHOLDERS,
  type EmailTexts,
  type EmailTrigger,
} from "../../domain/program/company-email/company-email.ts";
import { mailLanguage } from "../../domain/people/promoter/promoter.ts";
import { field } from "../../http/fields.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import { LANGUAGES, type Language } from "../../languages/languages.ts";
import { flag, id, longText, oneOf, word } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import {
  lookIn,
  keptContent,
  sanitised,
  USUAL_LAYOUT,
  writeCompanyEmail,
  type WrittenEmail,
} from "../../outgoing/email-text.ts";
import { exampleValues, previewLanguage } from "../campaign/email-preview.ts";
import type { Reader } from "../../storage/store.ts";
import { mailTestAnswer, sendToSelf } from "../mail/mail.ts";
import type { V2Operation, V2Request, V2Row } from "../operation.ts";
import { readPathId } from "../../resource/listing.ts";
import { emailAnswer } from "./email-json.ts";

const inLanguage = z.object({ language: previewLanguage });

const testParams = inLanguage.extend({
  is_main: field(
    flag.optional(),
    "Whether the main text is sent, even if there is one in the language. An extension of Tidemark.",
    true,
  ),
});

const sendTestOperation: V2Operation = {
  id: "sendTestEmail",
  summary: "Send an e-mail to yourself",
  description:
    "Sends an e-mail of the company to your own address immediately, with Jane Doe as the promoter. Only for signed-in users.",
  params: testParams,
  answer: mailTestAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle(request) {
    const { event, account, context } = request;
    const language = readLanguage(request);
    const email = await loadCompanyEmail(context.store, account.id, readPathId(event));
    const { trigger_on, campaign_ids } = email;
    const { is_main = false } = shapeInput(testParams, readQuery(event));
    const { subject, content } = email;
    const texts = is_main ? { subject, content, language: null } : emailTexts(email, language);
    return sendToSelf(
      request,
      await written(request, { texts, language, trigger_on, campaign_id: campaign_ids[0] ?? null }),
    );
  },
};

const { shape: shown } = emailAnswer.schema;
const previewBody = z.object({
  subject: field(word(255).min(1, "can't be blank"), shown.subject),
  content: field(longText.min(1, "can't be blank"), shown.content),
  trigger_on: field(oneOf(EMAIL_TRIGGERS), shown.trigger.shape.trigger_on),
  campaign_id: field(id.optional(), "Id of the campaign that it speaks of. Left out: the default one.", 1),
  language: field(
    oneOf(LANGUAGES).optional(),
    "The language of subject and content, and of the values. Left out: the values are in the account's `promoter_language`. An extension of Tidemark.",
    "de",
  ),
  html: field(
    longText.optional(),
    "A frame to try, with `{{content}}`. Left out: the one of your e-mails.",
    "<div>{{content}}</div>",
  ),
});

const previewOperation: V2Operation = {
  id: "previewOwnEmail",
  summary: "Preview an e-mail while it is written",
  description:
    "Shows an e-mail as promoters would get it, with Jane Doe as the promoter. Nothing is saved. An extension of Tidemark.",
  example: { subject: "Hello {{first_name}}", content: "Your link is {{ref_link}}", trigger_on: "broadcast" },
  body: previewBody,
  answer: z
    .object({
      subject: field(z.string(), "The subject.", "Hello Jane"),
      text: field(z.string(), "The text.", "Your link is https://www.example.com/?via=jane"),
      html: field(z.string(), "The text as HTML.", "<p>Your link is …</p>"),
    })
    .meta({ id: "WrittenEmail" }),
  refusals: ["not_found", "invalid"],
  async handle(request) {
    const body = shapeInput(previewBody, await readJson(request.event));
    const { subject, text, html } = await written(request, {
      texts: {
        subject: body.subject,
        content: await keptContent(body.content),
        language: body.language ?? null,
      },
      language: body.language ?? mailLanguage(request.account, {}),
      trigger_on: body.trigger_on,
      campaign_id: body.campaign_id ?? null,
      ...(body.html !== undefined && { layout: await triedLayout(body.html) }),
    });
    return { subject, text, html };
  },
};

const triggersOperation: V2Operation = {
  id: "listEmailTriggers",
  summary: "List triggers of e-mails",
  description:
    "Lists the triggers, the placeholders that each knows, and the built-in e-mail that is sent if the company has written none. An extension of Tidemark.",
  params: inLanguage,
  refusals: ["invalid"],
  answer: z.array(
    z
      .object({
        trigger_on: shown.trigger.shape.trigger_on,
        placeholders: field(z.array(z.string()), "Names for `{{name}}`.", ["first_name"]),
        original: field(
          z
            .object({
              subject: field(z.string(), "The subject, with placeholders.", "You have a new lead"),
              content: field(z.string(), "The text, with placeholders.", "Hello {{first_name}},"),
            })
            .nullable(),
          "The built-in e-mail, or null if the trigger has none.",
        ),
      })
      .meta({ id: "EmailTrigger" }),
  ),
  async handle(request) {
    const language = readLanguage(request);
    return EMAIL_TRIGGERS.map((trigger) => ({
      trigger_on: trigger,
      placeholders: [...PLACEHOLDERS[trigger]],
      original: originalOf(request, trigger, language),
    }));
  },
};

const layoutAnswer = z
  .object({
    html: field(z.string(), "The HTML around the content of e-mails.", "<div>{{content}}</div>"),
    is_custom: field(z.boolean(), "Whether it is the company's own.", true),
  })
  .meta({ id: "EmailTemplate" });

const showLayoutOperation: V2Operation = {
  id: "getEmailTemplate",
  summary: "Get the frame of e-mails",
  description: "Shows the HTML around the content of the e-mails that the company has written.",
  answer: layoutAnswer,
  handle: ({ account, context: { store } }) => showLayout(store, account.id),
};

const layoutBody = z.object({
  html: field(
    longText,
    "HTML with `{{content}}` where the text of each e-mail goes. What could run is removed. Empty: back to the usual one.",
    "<div>{{content}}</div>",
  ),
});

const changeLayoutOperation: V2Operation = {
  id: "updateEmailTemplate",
  summary: "Change the frame of e-mails",
  description:
    "Changes the HTML around the content of the e-mails that the company has written. A link to unsubscribe is added if it has none.",
  example: { html: "<div>{{content}}</div>" },
  body: layoutBody,
  answer: layoutAnswer,
  refusals: ["invalid"],
  async handle({ event, account, context }) {
    const values = await readJson(event);
    // An empty text is a value here: it removes the company's own frame.
    const html = values["html"] === "" ? "" : shapeInput(layoutBody, values).html;
    const layout = html.trim() === "" ? null : await sanitised(html);
    return context.store.transact(async (tx) => {
      await setLayout(tx, account.id, layout);
      return showLayout(tx.view, account.id);
    });
  },
};

const testLayoutOperation: V2Operation = {
  id: "sendTestEmailTemplate",
  summary: "Send the frame of e-mails to yourself",
  description: "Sends a sample in the frame to your own address immediately. Only for signed-in users.",
  answer: mailTestAnswer,
  refusals: ["refused"],
  handle: async (request) =>
    sendToSelf(
      request,
      await written(request, {
        texts: {
          subject: "A sample of e-mails from {{company_name}}",
          content: "Hello {{first_name}},\n\nthis is how e-mails to promoters look.\n\n{{company_name}}",
          language: null,
        },
        language: "en",
        trigger_on: "broadcast",
        campaign_id: null,
      }),
    ),
};

/** The paths are below `/api/v2/company`. */
export const SENDING_OPERATIONS: V2Row[] = [
  ["GET", "/emails/template", showLayoutOperation],
  ["PATCH", "/emails/custom_template", changeLayoutOperation],
  ["POST", "/emails/test_custom_template", testLayoutOperation],
  ["GET", "/emails/triggers", triggersOperation],
  ["POST", "/emails/preview", previewOperation, "viewer"],
  ["POST", "/emails/:id/send_test", sendTestOperation],
];

async function showLayout(reader: Reader, accountId: number) {
  const own = await findLayout(reader, accountId);
  return { html: own ?? USUAL_LAYOUT, is_custom: own !== null };
}

/** The language that the query names, otherwise that of promoters who have none. @throws Failure `invalid` */
function readLanguage({ event, account }: V2Request): Language {
  return shapeInput(inLanguage, readQuery(event)).language ?? mailLanguage(account, {});
}

interface Draft {
  texts: EmailTexts;
  /** The reader's. */
  language: Language;
  trigger_on: EmailTrigger;
  campaign_id: number | null;
  /** A frame to try. Absent: the account's. */
  layout?: string;
}

/** A frame as it would be kept. @throws Failure `invalid` */
async function triedLayout(html: string): Promise<string> {
  const layout = await sanitised(html);
  refuseFaultyLayout(layout);
  return layout;
}

/** An e-mail with sample values. @throws Failure `invalid`, `not_found` for the campaign */
async function written(
  { account, context: { store }, public_url }: V2Request,
  { texts, language, trigger_on, campaign_id, layout: tried }: Draft,
): Promise<WrittenEmail> {
  refuseUnknownPlaceholders({ ...texts, trigger_on });
  const campaign = await loadCampaignOrDefault(store, account, campaign_id);
  const layout = tried ?? (await findLayout(store, account.id));
  const brand = emailBrand(account, public_url);
  return writeCompanyEmail(
    { ...texts, layout, reader: language, look: brand && lookIn(brand, language) },
    {
      ...exampleValues({ account, campaign, public_url, language }),
      offer: (await loadTerms(store, { account, campaign, language })).join(" "),
      count: "10",
      days: "30",
    },
  );
}

/** The text of the built-in e-mail, with its placeholders. The link to unsubscribe follows every e-mail anyway. */
function originalOf({ writeEmail }: V2Request, trigger: EmailTrigger, language: Language) {
  const kind = kindsOf(trigger).at(-1);
  if (kind === undefined) return null;
  const values = Object.fromEntries(PLACEHOLDERS[trigger].map((name) => [name, `{{${name}}}`]));
  const { subject, text } = writeEmail({ kind, values, language });
  return { subject, content: text.split("\n\n--\n")[0]!.trim() };
}
