import pLimit from "p-limit";
import type { Logger } from "pino";
import {
  ACCESS_EMAIL_KINDS,
  EMAIL_KINDS,
  MONEY_EMAIL_KINDS,
  OWNER_EMAIL_KINDS,
  DIGEST_EMAIL_KINDS,
  SWITCH_EMAIL_KINDS,
  USER_EMAIL_KINDS,
  isAccessEmail,
  isMoneyEmail,
  type Email,
} from "../domain/events/email.ts";
import type { ShownBrand } from "../domain/program/account/brand.ts";
import { escapeHtml } from "../markup.ts";
import {
  dressed,
  emailDocument,
  fill,
  hasName,
  lookIn,
  lookValues,
  onOneLine,
  withoutName,
  type WrittenEmail,
} from "../outgoing/email-text.ts";
import { en, type TranslatedMail } from "../languages/en.ts";
import { CATALOGUES, type Language } from "../languages/languages.ts";
import { readText, type Files } from "../storage/files.ts";

/** The text of an e-mail, with `{{name}}` as placeholders. */
interface Template {
  subject: string;
  text: string;
  html: string;
}

export type Templates = Record<Email["kind"], Template>;

/** How many templates are read at once. All of them together, a slow place would not answer in time. */
const READS = 8;

/** How long a server waits before it tries again. */
const RETRY_MS = 30_000;

/**
 * Reads the operator's e-mail templates. The result is null until they have been read, and e-mails wait until then, because an
 * e-mail with the wrong text can't be taken back. A server that could not start while a bucket is down would miss sales.
 *
 * @throws Error in one sentence for a file in a folder that can't be read
 */
export async function openTemplates(
  files: Files,
  { log, retryMs = RETRY_MS }: { log: Logger; retryMs?: number },
): Promise<() => Templates | null> {
  let known: Templates | null = null;
  const read = async () => {
    known = await readTemplates(files);
  };
  const readLater = (): Promise<void> =>
    read().catch((error: unknown) => {
      log.error({ err: error }, "the e-mail texts in FILES_URL can't be read, so e-mails wait");
      setTimeout(() => void readLater(), retryMs).unref();
    });
  if (files.isFolder) await read();
  else void readLater();
  return () => known;
}

/**
 * Reads all e-mail templates of the operator (`mail/accepted.subject.txt`, `mail/accepted.txt`, `mail/accepted.html`). Built-in
 * templates replace missing files.
 *
 * @throws Error in one sentence for a file that can't be read
 */
export async function readTemplates(files: Files): Promise<Templates> {
  const kinds = [
    ...EMAIL_KINDS,
    ...ACCESS_EMAIL_KINDS,
    ...SWITCH_EMAIL_KINDS,
    ...DIGEST_EMAIL_KINDS,
    ...USER_EMAIL_KINDS,
    ...MONEY_EMAIL_KINDS,
    ...OWNER_EMAIL_KINDS,
  ];
  const read = await pLimit(READS).map(
    kinds,
    async (kind) => [kind, await readTemplate(files, kind)] as const,
  );
  return Object.fromEntries(read) as Templates;
}

/** The content of an e-mail. */
interface EmailContent {
  kind: Email["kind"];
  values: Email["values"];
  /** Absent: English. */
  language?: Language | undefined;
  /** Absent or null: plain. An operator's own text has its own look. */
  brand?: ShownBrand | null;
}

/** Fills in a template. Each value is escaped for its context. Unknown names become empty. */
export function writeEmail(
  templates: Templates,
  { kind, values: given, language = "en", brand = null }: EmailContent,
): WrittenEmail {
  const template = templateOf(templates, kind, language);
  const called = (text: string) => (hasName(given) ? text : withoutName(text, language));
  const [subject, text, plainHtml] = [template.subject, template.text, template.html].map(called) as [
    string,
    string,
    string,
  ];
  const isOwn = templates[kind] !== EMAIL_TEXTS[kind];
  const look = brand === null || isOwn ? null : lookIn(brand, language);
  const html =
    look === null ? plainHtml : plainHtml.replace(BODY, (_, inner: string) => around(dressed(inner, look)));
  const values = look === null ? given : { ...given, ...lookValues(look) };
  return {
    // A line break, in a value or in the template, would start another header.
    subject: onOneLine(fill(subject, values, onOneLine)),
    // A value is a word or two. A value of several lines could pass for text of ours; only the company's
    // message may have them.
    text: withoutGaps(fill(text, values, (value, name) => (name === "message" ? value : onOneLine(value)))),
    html: fill(html, values, (value, name) =>
      name === "message" ? escapeHtml(value).replaceAll("\n", "<br>") : escapeHtml(value),
    ).replaceAll("<p></p>\n", ""),
  };
}

const BODY = /<body>\n([^]*)\n<\/body>/;

function around(content: string): string {
  return `<body style="margin:0;background-color:#ffffff">\n${content}\n</body>`;
}

/** An empty value leaves no empty lines. */
function withoutGaps(text: string): string {
  return text.replace(/\n{3,}/g, "\n\n");
}

/** E-mails to the company's team. They are in English, like the dashboard. */
const TEAM_TEXTS: Record<Exclude<Email["kind"], TranslatedMail>, Template> = {
  user_invitation: plain("en", {
    subject: "Your invitation to the dashboard of {{company_name}}",
    paragraphs: [
      en.frame.hello,
      "You have been invited to run the affiliate program of {{company_name}}. Open this link to set your password. It works once, for seven days:",
      "{{password_url}}",
    ],
  }),
  user_reset: plain("en", {
    subject: "Set a new password for {{company_name}}",
    paragraphs: [
      en.frame.greeting,
      "This link sets a new password for your dashboard. It works once, for a day:",
      "{{password_url}}",
      "If you did not ask for this, ignore this e-mail.",
    ],
  }),
  payouts_held: plain("en", {
    subject: "Look at the payouts of {{promoter}}",
    paragraphs: [
      en.frame.greeting,
      "{{promoter}} ({{promoter_email}}) says that someone else has changed their payout method. {{company_name}} pays them nothing until one of you releases their payouts. Speak with them first:",
      "{{dashboard_url}}",
    ],
  }),
  payments_undecided: plain("en", {
    subject: "It is unknown whether {{count}} arrived",
    paragraphs: [
      en.frame.greeting,
      "The provider does not tell what became of {{count}} of {{batches}}. Look for them at the provider, and then say here whether they were paid. Until then nothing is paid again:",
      "{{dashboard_url}}",
    ],
  }),
};

/** The first e-mails to an address. They contain no personal name, because another person may have written it. */
const FIRST: ReadonlySet<Email["kind"]> = new Set(["join_accepted", "join_waiting", "promoter_invitation"]);

/**
 * The default text of each e-mail, in English. Operators may replace them.
 *
 * @see docs/operators.md "Holding, retrying and texts"
 */
export const EMAIL_TEXTS = textsIn("en");

/** The default texts of all languages. Each is made when it is first needed. */
const inLanguages = new Map<Language, Templates>([["en", EMAIL_TEXTS]]);

function textsIn(language: Language): Templates {
  const { mails, frame } = CATALOGUES[language];
  const kinds = Object.keys(mails) as TranslatedMail[];
  const templates = kinds.map((kind) => {
    const greeting = FIRST.has(kind) ? frame.hello : frame.greeting;
    const { subject, paragraphs } = mails[kind];
    const mail = { subject, paragraphs: [greeting, ...paragraphs] };
    // There is nothing to unsubscribe from if the e-mail answers an action of the recipient.
    const isPlain = isAccessEmail(kind) || isMoneyEmail(kind);
    return [kind, isPlain ? plain(language, mail) : withLeave(language, mail)] as const;
  });
  return { ...TEAM_TEXTS, ...(Object.fromEntries(templates) as Record<TranslatedMail, Template>) };
}

/** The text of an e-mail in a language. The operator's own text is for all languages. */
function templateOf(templates: Templates, kind: Email["kind"], language: Language): Template {
  if (templates[kind] !== EMAIL_TEXTS[kind]) return templates[kind];
  const known = inLanguages.get(language) ?? textsIn(language);
  inLanguages.set(language, known);
  return known[kind];
}

async function readTemplate(files: Files, kind: Email["kind"]): Promise<Template> {
  const own = EMAIL_TEXTS[kind];
  const read = (name: string) => readText(files, "mail", name);
  const subject = await read(`${kind}.subject.txt`);
  const text = await read(`${kind}.txt`);
  const html = await read(`${kind}.html`);
  if (subject === null && text === null && html === null) return own;
  return { subject: subject ?? own.subject, text: text ?? own.text, html: html ?? own.html };
}

interface Mail {
  subject: string;
  /** The greeting comes first. */
  paragraphs: string[];
}

/** An e-mail without a link to unsubscribe. */
function plain(language: Language, { subject, paragraphs }: Mail): Template {
  const { text, html } = body(paragraphs);
  return { subject, text: `${text}\n`, html: page(language, html) };
}

function withLeave(language: Language, { subject, paragraphs }: Mail): Template {
  const { text, html } = body(paragraphs);
  const leave = CATALOGUES[language].frame.unsubscribe;
  const link = `<p><small><a href="{{unsubscribe_url}}">${leave}</a></small></p>`;
  return {
    subject,
    text: `${text}\n\n--\n${leave} {{unsubscribe_url}}\n`,
    html: page(language, `${html}\n${link}`),
  };
}

function page(language: Language, html: string): string {
  return emailDocument(html, language === "en" ? null : language);
}

function body(paragraphs: string[]): { text: string; html: string } {
  const all = [...paragraphs, "{{company_name}}"];
  const html = all.map((paragraph) => `<p>${linked(paragraph)}</p>`).join("\n");
  return { text: all.join("\n\n"), html };
}

function linked(sentence: string): string {
  const links = /\{\{(ref_link|sign_in_url|portal_url|password_url|not_me_url|dashboard_url)\}\}/;
  return sentence.replace(links, '<a href="{{$1}}">{{$1}}</a>');
}
