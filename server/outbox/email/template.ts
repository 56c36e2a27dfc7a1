import { ACCESS_EMAIL_KINDS, EMAIL_KINDS, USER_EMAIL_KINDS, type Email } from "../../domain/email/email.ts";
import { EMAIL_TEXTS } from "./texts.ts";
import { openPlace, type Place } from "../../outgoing/place.ts";

/** The text of an e-mail, with `{{name}}` in place of each value. */
export interface Template {
  subject: string;
  text: string;
  html: string;
}

export type Templates = Record<Email["kind"], Template>;

/** An e-mail ready to be sent. */
export interface WrittenEmail {
  subject: string;
  text: string;
  html: string;
}

/**
 * Reads the templates of all e-mails from the place that the operator names (`accepted.subject.txt`,
 * `accepted.txt`, `accepted.html`). Built-in templates replace missing files.
 *
 * Choice: a place that can't be read stops the start, because an e-mail with the wrong text can't be taken
 * back.
 *
 * @throws Error in one sentence for a place that does not exist, and for a file that can't be read
 */
export async function readTemplates(address: string | null): Promise<Templates> {
  if (address === null) return EMAIL_TEXTS;
  const place = openPlace(address, "MAIL_TEMPLATES");
  try {
    const read = async (kind: Email["kind"]) => [kind, await readTemplate(place, kind)] as const;
    return Object.fromEntries(
      await Promise.all([...EMAIL_KINDS, ...ACCESS_EMAIL_KINDS, ...USER_EMAIL_KINDS].map(read)),
    ) as Templates;
  } finally {
    await place.close();
  }
}

/** The content that an e-mail is written from. */
interface EmailContent {
  kind: Email["kind"];
  values: Email["values"];
}

/** Fills a template in. Each value is escaped for its place. Unknown names become empty. */
export function writeEmail(templates: Templates, { kind, values }: EmailContent): WrittenEmail {
  const { subject, text, html } = templates[kind];
  return {
    // A line break, in a value or in the template, would start another header.
    subject: onOneLine(fill(subject, values, onOneLine)),
    // A value is a word or two. Several lines could pass for text of ours.
    text: fill(text, values, onOneLine),
    html: fill(html, values, escapeHtml),
  };
}

async function readTemplate({ read }: Place, kind: Email["kind"]): Promise<Template> {
  const own = EMAIL_TEXTS[kind];
  return {
    subject: (await read(`${kind}.subject.txt`)) ?? own.subject,
    text: (await read(`${kind}.txt`)) ?? own.text,
    html: (await read(`${kind}.html`)) ?? own.html,
  };
}

function fill(template: string, values: Record<string, string>, escape: (value: string) => string): string {
  return template.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) =>
    Object.hasOwn(values, name) ? escape(values[name] ?? "") : "",
  );
}

function onOneLine(value: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are removed on purpose
  return value.replace(/[\s\u0000-\u001f\u007f]+/g, " ").trim();
}

const HTML_ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? "");
}
