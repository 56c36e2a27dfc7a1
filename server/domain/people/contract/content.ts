import type { IOptions } from "sanitize-html";
import { escapeHtml } from "../../../markup.ts";

/** Tags that structure a text. None of them loads anything from another server. */
const TAGS =
  "h1 h2 h3 h4 h5 h6 p br hr blockquote pre div span ul ol li dl dt dd table caption thead tbody tfoot tr th td a b strong i em u s small sub sup code".split(
    " ",
  );

const RULES: IOptions = {
  allowedTags: TAGS,
  allowedAttributes: {
    a: ["href", "rel", "target"],
    ol: ["start", "type"],
    th: ["colspan", "rowspan", "scope"],
    td: ["colspan", "rowspan"],
  },
  allowedSchemes: ["http", "https", "mailto"],
  transformTags: {
    a: (tagName, { href }) => ({
      tagName,
      attribs: { ...(href !== undefined && { href }), rel: "noopener noreferrer", target: "_blank" },
    }),
  },
};

/** The content of a contract as safe HTML. A text without tags becomes paragraphs. */
export async function safeContent(given: string): Promise<string> {
  // It takes a tenth of a second to load, and few processes need it.
  const { default: sanitizeHtml } = await import("sanitize-html");
  const text = given.trim();
  const isPlain = !/<[a-z][^<>]*>/i.test(text);
  return sanitizeHtml(isPlain ? paragraphsOf(text) : text, RULES).trim();
}

/** Whether safe HTML, in which `<` begins a tag and nothing else, shows no text. */
export function isBlankContent(content: string): boolean {
  return content.replace(/<[^>]*>/g, "").trim() === "";
}

/** The people and the company that a contract names. */
export interface Parties {
  company_name: string;
  /** Null while they are unknown. */
  promoterName: string | null;
  promoterEmail: string | null;
}

/** The names that a content may contain in double braces, and what stands for those that are unknown. */
const UNKNOWN = { promoter_name: "the promoter", promoter_email: "the promoter's e-mail address" };

/** The content with the names of its parties. They are escaped, because promoters choose theirs. */
export function filledContent(
  content: string,
  { company_name, promoterName, promoterEmail }: Parties,
): string {
  const names: Record<string, string> = {
    company_name,
    promoter_name: promoterName ?? UNKNOWN.promoter_name,
    promoter_email: promoterEmail ?? UNKNOWN.promoter_email,
  };
  return content.replace(/\{\{\s*(\w+)\s*\}\}/g, (found, name: string) =>
    Object.hasOwn(names, name) ? escapeHtml(names[name]!) : found,
  );
}

function paragraphsOf(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escapeHtml(paragraph.trim()).replaceAll("\n", "<br />")}</p>`)
    .join("\n");
}
