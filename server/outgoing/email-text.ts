import type { IOptions } from "sanitize-html";
import { CATALOGUES, directionOf, type Language } from "../languages/languages.ts";
import { escapeHtml } from "../markup.ts";
import type { ShownBrand } from "../domain/program/account/brand.ts";

/** An e-mail ready to be sent. */
export interface WrittenEmail {
  subject: string;
  text: string;
  html: string;
}

/** The document of an e-mail. Without the viewport, phones show it as wide as a desk. */
export function emailDocument(body: string, language: Language | null): string {
  const attributes = language === null ? "" : ` lang="${language}" dir="${directionOf(language)}"`;
  const head = `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"></head>`;
  return `<!doctype html>\n<html${attributes}>${head}<body>\n${body}\n</body></html>\n`;
}

/** Replaces `{{name}}` by the escaped value. Unknown names become empty. */
export function fill(
  template: string,
  values: Record<string, string>,
  escape: (value: string, name: string) => string,
): string {
  return template.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) =>
    Object.hasOwn(values, name) ? escape(values[name] ?? "", name) : "",
  );
}

/** Whether the person's name is known. Their address stands for it otherwise. */
export function hasName({ first_name: name, email }: Record<string, string>): boolean {
  return name !== undefined && name !== email;
}

/**
 * Where a text calls the reader by name, and reads well without it. The words before it are limited, so that a long run of
 * letters costs no more than others.
 */
const CALLS = [
  // `Guten Tag {{first_name}},`
  /(?<=(?:^|>)[ \t]*\p{L}{1,40}(?: \p{L}{1,40})?),?[ \u00a0]+\{\{\s*first_name\s*\}\}(?=\s*[,:!،])/gmu,
  // `<p>Hello {{first_name}}</p>`
  /(?<=(?:^|>)[ \t]*\p{L}{1,40}),?[ \u00a0]+\{\{\s*first_name\s*\}\}(?=\s*(?:<|$))/gmu,
  // `Your link, {{first_name}}`
  /,[ \u00a0]*\{\{\s*first_name\s*\}\}(?=\s*(?:[,.:;!?،]|<|$))/gmu,
];

/** A text for a person whose name is not known: `Hello {{first_name}},` becomes `Hello,`. */
export function withoutName(template: string, language: Language | null): string {
  const { greeting, hello } = CATALOGUES[language ?? "en"].frame;
  return CALLS.reduce((text, call) => text.replace(call, ""), template.replaceAll(greeting, hello));
}

/** A line break in a header would start another one. */
export function onOneLine(value: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are removed on purpose
  return value.replace(/[\s\u0000-\u001f\u007f]+/g, " ").trim();
}

/** The frame of e-mails of companies that have none of their own. */
export const USUAL_LAYOUT = layoutFor("en");

/** Built-in e-mails have the address behind the words, and so a colon. */
function layoutFor(reader: Language): string {
  const leave = CATALOGUES[reader].frame.unsubscribe.replace(/[:：]\s*$/, "");
  return `{{content}}\n<p><small><a href="{{unsubscribe_url}}">${leave}</a></small></p>\n`;
}

/** An e-mail whose text a company has written. */
export interface CompanyText {
  subject: string;
  /** Text, or HTML. */
  content: string;
  /** Null for the usual one. */
  layout: string | null;
  /** The language of the content. Null or absent: unknown. */
  language?: Language | null;
  /** The language of the link to unsubscribe that is added. Absent: English. */
  reader?: Language;
  /** Absent or null: plain. A company's own frame has its own look. */
  look?: EmailLook | null;
}

/**
 * Fills in an e-mail of a company. It is sanitised after that, so that neither the company's HTML nor a value, such as a
 * promoter's name in an address, can run anything.
 *
 * @see docs/spec/events.md "Own e-mails"
 */
export async function writeCompanyEmail(
  { subject, content, layout, language = null, reader = "en", look = null }: CompanyText,
  values: Record<string, string>,
): Promise<WrittenEmail> {
  const escape = (value: string) => escapeHtml(onOneLine(value));
  const usual = layoutFor(reader);
  const frame = layout ?? usual;
  const called = (text: string) => (hasName(values) ? text : withoutName(text, language));
  // Values are filled in once, at the end: a value that looks like a placeholder stays as it is.
  const framed = frame.replace(/\{\{\s*content\s*\}\}/g, () => asHtml(called(content)));
  const leaves = /\{\{\s*unsubscribe_url\s*\}\}/.test(frame + content);
  const whole = leaves ? framed : `${framed}\n${usual.replace("{{content}}\n", "")}`;
  const html = await sanitised(fill(whole, values, escape));
  const shown =
    look === null || layout !== null
      ? html
      : await sanitised(fill(dressed(whole, look), { ...values, ...lookValues(look) }, escape));
  return {
    subject: onOneLine(fill(called(subject), values, onOneLine)),
    text: textOf(html),
    html: emailDocument(shown, language),
  };
}

/** Elements that mail programs show and that run nothing. */
const ALLOWED: IOptions = {
  allowedTags: words(
    "p br a b strong i em u s small sub sup span div center h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code hr img",
    "table thead tbody tfoot tr th td caption",
  ),
  allowedAttributes: {
    "*": ["style", "align", "dir", "lang", "title"],
    a: ["href", "target", "rel"],
    img: ["src", "alt", "width", "height"],
    table: ["width", "border", "cellpadding", "cellspacing", "bgcolor", "role"],
    td: ["width", "height", "colspan", "rowspan", "valign", "bgcolor"],
    th: ["width", "height", "colspan", "rowspan", "valign", "bgcolor", "scope"],
  },
  allowedSchemes: ["http", "https", "mailto"],
  allowProtocolRelative: false,
  allowedStyles: { "*": stylesOf() },
};

/** Styles that stay inside the e-mail: no addresses, no positions. */
function stylesOf(): Record<string, RegExp[]> {
  const plain = [/^[-#.,%\w\s"']+$/, /^rgba?\([\d\s,.%]+\)$/];
  const names = words(
    "color background-color font-family font-size font-style font-weight line-height letter-spacing text-align",
    "text-decoration text-transform vertical-align white-space width max-width height display",
    "border border-top border-bottom border-color border-radius border-collapse",
    "margin margin-top margin-bottom margin-left margin-right",
    "padding padding-top padding-bottom padding-left padding-right",
  );
  return Object.fromEntries(names.map((name) => [name, plain]));
}

function words(...lines: string[]): string[] {
  return lines.join(" ").split(" ");
}

/** HTML without everything that could run, load or deceive. Placeholders stay. */
export async function sanitised(html: string): Promise<string> {
  // It takes a tenth of a second to load, and most servers never need it.
  const { default: sanitizeHtml } = await import("sanitize-html");
  return sanitizeHtml(html, ALLOWED);
}

const TAG = /<\/?[a-z][^<>]*>/i;

/** Content as it is kept: HTML is sanitised, and text stays as it is. */
export async function keptContent(content: string): Promise<string> {
  return TAG.test(content) ? await sanitised(content) : content;
}

/** The HTML of content. In text, empty lines separate paragraphs, and addresses become links. */
function asHtml(content: string): string {
  if (TAG.test(content)) return content;
  const paragraphs = content
    .replaceAll("\r\n", "\n")
    .trim()
    .split(/\n\s*\n/);
  return paragraphs.map((each) => `<p>${linked(escapeHtml(each)).replaceAll("\n", "<br>\n")}</p>`).join("\n");
}

function linked(paragraph: string): string {
  return paragraph.replace(
    /\{\{\s*(?:\w+_url|ref_link)\s*\}\}|https?:\/\/[^\s<>{}"']*[^\s<>{}"'.,;:!?)]/g,
    (address) => `<a href="${address}">${address}</a>`,
  );
}

/** The text of sanitised HTML, in which `<` begins a tag and nothing else. */
function textOf(html: string): string {
  const marked = html
    .replace(/\s+/g, " ")
    .replace(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/g, (_, address: string, label: string) =>
      label === address ? address : `${label} ${address}`,
    )
    .replace(/<(br|hr)[^>]*>/g, "\n")
    .replace(/<li[^>]*>/g, "\n- ")
    .replace(/<\/(p|div|h\d|ul|ol|blockquote|pre|table|center)>/g, "\n\n")
    .replace(/<\/(tr|caption)>/g, "\n")
    .replace(/<\/t[dh]>/g, " ")
    .replace(/<[^>]*>/g, "");
  const plain = marked
    .replace(/&(lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "")
    .replaceAll("&amp;", "&");
  const lines = plain.split("\n").map((line) => line.trim());
  return `${lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'" };

/** How an e-mail shows the company. */
interface EmailLook {
  brand: ShownBrand;
  /** The label of buttons, in the e-mail's language. */
  open: string;
}

/** A brand in e-mails of a language. */
export function lookIn(brand: ShownBrand, language: Language): EmailLook {
  return { brand, open: CATALOGUES[language].frame.open };
}

/** The colours of brands that have none. */
const USUAL = { button: "#0b6e69", onButton: "#ffffff", link: "#0b6e69" };

/** Paragraphs that are nothing but a link become buttons, except the promoter's own link, which is to be copied. */
const LONE_LINK =
  /<p><a href="\{\{\s*(sign_in_url|portal_url|password_url|not_me_url)\s*\}\}">\{\{\s*\1\s*\}\}<\/a><\/p>/g;
const PLAIN_LINK = /<a href="([^"]*)">/g;

/**
 * The content of an e-mail in the look of a brand, still with placeholders. Mail programs know no style sheets. The
 * background is set with the text's colour, so that the contrast stays in mail programs with a dark theme.
 */
export function dressed(content: string, { brand, open }: EmailLook): string {
  const { button, onButton, link } =
    brand.colors === null ? USUAL : { ...brand.colors, link: brand.colors.light.link };
  const buttonStyle =
    `display:inline-block;padding:12px 20px;border-radius:8px;background-color:${button};` +
    `color:${onButton};font-weight:bold;text-decoration:none`;
  const body = content
    .replace(
      LONE_LINK,
      (_, name: string) =>
        `<p><a href="{{${name}}}" style="${buttonStyle}">${open}</a></p>\n` +
        // Some readers want to see where a button leads, or to copy the address.
        `<p><small><a href="{{${name}}}">{{${name}}}</a></small></p>`,
    )
    .replace(PLAIN_LINK, `<a href="$1" style="color:${link}">`);
  const head =
    brand.logoUrl === null
      ? `<p style="font-size:18px;font-weight:bold">{{brand_name}}</p>`
      : `<p><img src="{{brand_logo}}" alt="{{brand_name}}" height="40"></p>`;
  const frame =
    "max-width:600px;margin:0 auto;padding:24px;background-color:#ffffff;color:#14201f;" +
    // Long addresses would widen it. Mail programs know the older name of `overflow-wrap`.
    "font-family:sans-serif;font-size:16px;line-height:1.5;word-wrap:break-word";
  return `<div style="${frame}">\n${head}\n${body}\n</div>`;
}

/** The values of the placeholders that `dressed` adds. */
export function lookValues({ brand }: EmailLook): Record<string, string> {
  return { brand_name: brand.name, brand_logo: brand.logoUrl ?? "" };
}
