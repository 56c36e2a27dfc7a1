import { z } from "zod";
import { startBroadcast } from "../../domain/people/mailing/broadcast.ts";
import { isForCampaigns } from "../../domain/program/campaign/campaign.ts";
import {
  copyCompanyEmail,
  createCompanyEmail,
  deleteCompanyEmail,
  updateCompanyEmail,
  type CompanyEmailInput,
} from "../../domain/program/company-email/changes.ts";
import {
  companyEmails,
  COUNTED_METRICS,
  DELAY_UNITS,
  EMAIL_TRIGGERS,
  FREQUENCIES,
  loadCompanyEmail,
  type EmailTranslation,
  type EmailTrigger,
} from "../../domain/program/company-email/company-email.ts";
import { field } from "../../http/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { flag, id, listOf, longText, oneOf, splitList, text, wholeNumber, word } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { LANGUAGES } from "../../languages/languages.ts";
import { keptContent } from "../../outgoing/email-text.ts";
import { batchAnswer } from "../batch/batch-processes.ts";
import { recordError, type V2Operation, type V2Request, type V2Row } from "../operation.ts";
import { listed } from "../../resource/list.ts";
import { readPathId, amounts } from "../../resource/listing.ts";
import { does, lists, reads } from "../../resource/operations.ts";
import { among, anyOf, contains, isFlag } from "../../storage/query.ts";
import { emailAnswer } from "./email-json.ts";
import { SENDING_OPERATIONS } from "./sending.ts";

const NAME_LENGTH = 255;

/** The words of the filter, and the triggers that they find. No e-mail can have the others. */
const FILTERED = {
  not_set: ["broadcast"],
  lead_subscribed: ["lead_signup"],
  lead_pending: [],
  lead_becomes_referral: [],
  promoter_signs_up: [],
  promoter_pending: [],
  promoter_accepted: ["promoter_accepted"],
  promoter_rejected: ["promoter_rejected"],
  promoter_blocked: [],
  promotion_reached_target: ["count_reached"],
  reward_created: ["reward_created"],
  reward_approved: [],
  reward_denied: [],
  fulfilment_pending: [],
  fulfilment_completed: ["fulfilment_completed"],
  lead_signup: ["lead_signup"],
  count_reached: ["count_reached"],
  inactivity: ["inactivity"],
  broadcast: ["broadcast"],
  recurring: ["recurring"],
} as const satisfies Record<string, readonly EmailTrigger[]>;
const FILTER_WORDS = Object.keys(FILTERED) as (keyof typeof FILTERED)[];

const emailList = listed(companyEmails, { newestBy: "id" })({
  params: {
    q: [field(text.optional(), "Text to search for in names and subjects.", "welcome"), mentions],
  },
  filters: {
    trigger_enabled: [
      field(oneOf(["yes", "no"]), "Only e-mails whose trigger is on, or off."),
      (wanted) => isFlag("company_emails.is_enabled", wanted === "yes"),
    ],
    trigger_on: [
      field(
        oneOf(FILTER_WORDS),
        "Only e-mails with this trigger. `not_set`: broadcasts. `lead_subscribed` is `lead_signup`, and `promotion_reached_target` is `count_reached`.",
      ),
      (wanted) => among("company_emails.trigger_on", FILTERED[wanted]),
    ],
    sent_count: field(amounts, "Only e-mails that were delivered this often."),
    campaign_id: [
      field(listOf(id), "Only e-mails that promoters of this campaign get.", [1]),
      (wanted) => isForCampaigns("company_emails.campaign_list", wanted),
    ],
  },
  sorting: {
    sent_count: "By how often they were delivered.",
    subject: ["By subject.", "folded_subject"],
  },
});

function mentions(wanted: string) {
  const words = wanted.trim();
  return anyOf(["name", "subject"].map((each) => contains(`company_emails.folded_${each}`, words)));
}

const {
  schema,
  schema: { shape: shown },
  show,
} = emailAnswer;
const { shape: shownTrigger } = shown.trigger;
const { shape: shownSettings } = shownTrigger.settings;
const settings = z.object(
  {
    delay_interval: field(oneOf(DELAY_UNITS).nullish(), shownSettings.delay_interval),
    delay_value: field(wholeNumber(0, 9_999).nullish(), shownSettings.delay_value),
    count: field(wholeNumber(1, 9_999).nullish(), shownSettings.count),
    metric: field(oneOf(COUNTED_METRICS).nullish(), shownSettings.metric),
    period_in_days: field(wholeNumber(1, 365).nullish(), shownSettings.period_in_days),
    frequency: field(oneOf(FREQUENCIES).nullish(), shownSettings.frequency),
    day: field(wholeNumber(0, 31).nullish(), shownSettings.day),
    hour: field(wholeNumber(0, 23).nullish(), shownSettings.hour),
    minute: field(wholeNumber(0, 59).nullish(), shownSettings.minute),
  },
  "is invalid",
);
const { shape: shownTranslation } = shown.translations.element;
const translation = z.object(
  {
    language: field(oneOf(LANGUAGES), shownTranslation.language),
    subject: field(word(NAME_LENGTH).nullish(), shownTranslation.subject),
    content: field(longText.nullish(), shownTranslation.content),
  },
  "is invalid",
);
const emailBody = z.object({
  name: field(word(NAME_LENGTH).min(1, "can't be blank"), shown.name),
  subject: field(word(NAME_LENGTH).min(1, "can't be blank"), shown.subject),
  content: field(longText.min(1, "can't be blank"), shown.content),
  translations: field(
    z
      .array(translation, "is invalid")
      .refine(
        (all) => new Set(all.map(({ language }) => language)).size === all.length,
        "have a language twice",
      )
      .optional(),
    "The texts in other languages. Left out: a changed e-mail keeps its own. An extension of Tidemark.",
  ),
  allowed_campaign_ids: field(
    z.preprocess(
      splitList,
      z.array(id, "is invalid").transform((given) => [...new Set(given)]),
    ),
    shown.allowed_campaign_ids,
  ),
  trigger: field(
    z.object(
      {
        enabled: field(flag, shownTrigger.enabled),
        trigger_on: field(oneOf(EMAIL_TRIGGERS), shownTrigger.trigger_on),
        settings: field(settings, shownTrigger.settings),
      },
      "is invalid",
    ),
    shown.trigger,
  ),
});
const example = {
  name: "Welcome, day 3",
  subject: "How is it going, {{first_name}}?",
  content: "Hello {{first_name}},\n\nyour link is {{ref_link}}",
  allowed_campaign_ids: [],
  trigger: {
    enabled: true,
    trigger_on: "promoter_accepted",
    settings: { delay_interval: "day", delay_value: 3 },
  },
};

const shape = recordError({
  campaign_ids: "allowed_campaign_ids",
  delay_interval: "trigger[settings][delay_interval]",
  delay_value: "trigger[settings][delay_value]",
  count: "trigger[settings][count]",
  metric: "trigger[settings][metric]",
  period_days: "trigger[settings][period_in_days]",
  frequency: "trigger[settings][frequency]",
  day: "trigger[settings][day]",
  hour: "trigger[settings][hour]",
  minute: "trigger[settings][minute]",
});

const listOperation: V2Operation = lists(emailAnswer, {
  id: "listEmails",
  summary: "List the company's e-mails",
  description: "Lists the e-mails to promoters that the company has written.",
  list: emailList,
});

const createOperation: V2Operation = {
  id: "createEmail",
  summary: "Write an e-mail",
  description:
    "Writes an e-mail to promoters. If its trigger has a built-in e-mail and it has no delay, it takes the place of that one in its campaigns.",
  example,
  body: emailBody,
  answer: schema,
  refusals: ["invalid", "refused"],
  shape,
  async handle(request) {
    const { account, context } = request;
    const input = await readEmail(request);
    return context.store.transact(async (tx) =>
      show(tx.view, await createCompanyEmail(tx, context, account.id, input)),
    );
  },
};

const getOperation: V2Operation = reads(emailAnswer, {
  id: "getEmail",
  summary: "Get an e-mail",
  description: "Finds one e-mail of the company.",
  load: loadCompanyEmail,
});

const updateOperation: V2Operation = {
  id: "updateEmail",
  summary: "Change an e-mail",
  description: "Changes an e-mail. E-mails that wait to be sent have the new text.",
  example,
  body: emailBody,
  answer: schema,
  refusals: ["not_found", "invalid"],
  shape,
  async handle(request) {
    const { event, account, context } = request;
    const change = { id: readPathId(event), input: await readEmail(request) };
    return context.store.transact(async (tx) =>
      show(tx.view, await updateCompanyEmail(tx, context, account.id, change)),
    );
  },
};

const deleteOperation: V2Operation = does(emailAnswer, {
  id: "deleteEmail",
  summary: "Delete an e-mail",
  description: "Deletes an e-mail. The built-in e-mail of its trigger is sent again.",
  run: (tx, { account }, id) => deleteCompanyEmail(tx, account.id, id),
});

const copyOperation: V2Operation = does(emailAnswer, {
  id: "copyEmail",
  summary: "Copy an e-mail",
  description: "Copies an e-mail. The copy is off, so that it sends nothing until you have changed it.",
  refusals: ["not_found", "refused"],
  run: (tx, { account, context }, id) => copyCompanyEmail(tx, context, account.id, id),
});

const sendNowOperation: V2Operation = does(batchAnswer, {
  id: "sendEmailNow",
  summary: "Send a broadcast to its promoters",
  description:
    "Sends a broadcast to all accepted promoters of its campaigns who want e-mails. Each gets it once, even if you send it again. The answer is a batch, which is completed when all were sent.",
  refusals: ["not_found", "refused"],
  run: (tx, { account, context }, id) => startBroadcast(tx, context, account.id, id),
});

/** The paths are below `/api/v2/company`. */
export const EMAIL_OPERATIONS: V2Row[] = [
  ...SENDING_OPERATIONS,
  ["GET", "/emails", listOperation],
  ["POST", "/emails", createOperation],
  ["GET", "/emails/:id", getOperation],
  ["PUT", "/emails/:id", updateOperation],
  ["DELETE", "/emails/:id", deleteOperation],
  ["POST", "/emails/:id/copy", copyOperation],
  ["POST", "/emails/:id/send_now", sendNowOperation],
];

async function readEmail({ event }: V2Request): Promise<CompanyEmailInput> {
  const { trigger, ...given } = shapeInput(emailBody, await readJson(event));
  const set = trigger.settings;
  return {
    name: given.name,
    subject: given.subject,
    content: await keptContent(given.content),
    ...(given.translations && { translations: await keptTranslations(given.translations) }),
    campaign_ids: given.allowed_campaign_ids,
    is_enabled: trigger.enabled,
    trigger_on: trigger.trigger_on,
    settings: {
      delay_interval: set.delay_interval ?? null,
      delay_value: set.delay_value ?? null,
      count: set.count ?? null,
      metric: set.metric ?? null,
      period_days: set.period_in_days ?? null,
      frequency: set.frequency ?? null,
      day: set.day ?? null,
      hour: set.hour ?? null,
      minute: set.minute ?? null,
    },
  };
}

/** Blank texts are the same as none. */
function keptTranslations(given: z.output<typeof translation>[]): Promise<EmailTranslation[]> {
  return Promise.all(
    given.map(async ({ language, subject, content }) => ({
      language,
      subject: subject || null,
      content: content?.trim() ? await keptContent(content) : null,
    })),
  );
}
