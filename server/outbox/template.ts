import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EMAIL_KINDS, type Email, type EmailKind } from "../records.ts";
import { EMAIL_TEXTS } from "./letter-text.ts";

/** The text of an e-mail, with `{{name}}` in place of each value. */
export interface Template {
  subject: string;
  text: string;
  html: string;
}

export type Templates = Record<EmailKind, Template>;

/** An e-mail ready to be sent. */
export interface WrittenEmail {
  subject: string;
  text: string;
  html: string;
}

/**
 * The templates of all e-mails. They come from the operator's folder (`accepted.subject.txt`, `accepted.txt`,
 * `accepted.html`). Ours stand in for missing files.
 *
 * @throws Error for a folder that does not exist, and for a file that can't be read
 */
export function readTemplates(folder: string | null): Templates {
  if (folder !== null && !existsSync(folder)) throw new Error(`MAIL_TEMPLATES ${folder} does not exist`);
  const templates = EMAIL_KINDS.map((kind) => [kind, readTemplate(folder, kind)] as const);
  return Object.fromEntries(templates) as Templates;
}

/** Fills a template in. Each value is escaped for its place. Unknown names become empty. */
export function writeEmail(templates: Templates, { kind, values }: Email): WrittenEmail {
  const { subject, text, html } = templates[kind];
  return {
    // A line break, in a value or in the template, would start another header.
    subject: onOneLine(fill(subject, values, onOneLine)),
    // A value is a word or two. Several lines could pass for text of ours.
    text: fill(text, values, onOneLine),
    html: fill(html, values, escapeHtml),
  };
}

function readTemplate(folder: string | null, kind: EmailKind): Template {
  const own = EMAIL_TEXTS[kind];
  if (folder === null) return own;
  return {
    subject: readOptional(join(folder, `${kind}.subject.txt`)) ?? own.subject,
    text: readOptional(join(folder, `${kind}.txt`)) ?? own.text,
    html: readOptional(join(folder, `${kind}.html`)) ?? own.html,
  };
}

function readOptional(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
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
