import { h, type ComponentChildren } from "preact";

const TAGS =
  /^(h[1-6]|p|br|hr|blockquote|pre|div|span|ul|ol|li|dl|dt|dd|table|caption|thead|tbody|tfoot|tr|th|td|a|b|strong|i|em|u|s|small|sub|sup|code)$/;

/** Tags without content. */
const VOID = new Set(["br", "hr"]);

/** Tags whose content is not text for readers. */
const DROPPED = new Set(["script", "style", "template", "iframe", "object", "svg", "math", "title"]);

/** Headings of a contract are below that of the dialog. */
const HEADINGS: Record<string, string> = { h1: "h3", h2: "h3", h3: "h4", h4: "h4", h5: "h4", h6: "h4" };

/**
 * The text of a contract: HTML, or plain text as it is typed. It is built of known elements, and never handed to the
 * browser as HTML, so nothing in it can run or load.
 */
export function ContractText({ content, label }: { content: string; label: string }) {
  return (
    <div class="contract" dir="auto" role="region" aria-label={label} tabIndex={0}>
      {/<[a-z][^>]*>/i.test(content) ? elementsOf(content) : paragraphsOf(content)}
    </div>
  );
}

interface Open {
  tag: string;
  attributes: string;
  children: ComponentChildren[];
}

/** A tag, a comment, or the text before the next one. */
const PART = /<!--[\s\S]*?-->|<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>|[^<]+|</gi;

function elementsOf(html: string): ComponentChildren[] {
  const open: Open[] = [{ tag: "", attributes: "", children: [] }];
  const add = (child: ComponentChildren) => open.at(-1)!.children.push(child);
  const close = () => {
    const { tag, attributes, children } = open.pop()!;
    if (DROPPED.has(tag)) return;
    add(TAGS.test(tag) ? h(HEADINGS[tag] ?? tag, attributesOf(tag, attributes), ...children) : children);
  };
  for (const [part, slash, name, attributes = ""] of html.matchAll(PART)) {
    const tag = name?.toLowerCase();
    if (part.startsWith("<!--")) continue;
    if (tag === undefined) add(plain(part));
    else if (slash === "/") {
      // A tag that was never opened closes nothing.
      if (open.some((each) => each.tag === tag)) while (open.at(-1)!.tag !== tag) close();
      if (open.at(-1)!.tag === tag) close();
    } else {
      open.push({ tag, attributes, children: [] });
      if (VOID.has(tag) || attributes.trimEnd().endsWith("/")) close();
    }
  }
  while (open.length > 1) close();
  return open[0]!.children;
}

function attributesOf(tag: string, attributes: string): Record<string, string> {
  const [, quoted, apostrophed] = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes) ?? [];
  const href = plain(quoted ?? apostrophed ?? "").trim();
  if (tag !== "a" || !/^(https?:\/\/|mailto:)/i.test(href)) return {};
  return { href, target: "_blank", rel: "noopener noreferrer" };
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** A text with its entities replaced. Unknown ones stay as they are. */
function plain(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|(\w+));/g, (found, code?: string, name = "") => {
    const point = Number(code);
    if (code !== undefined) return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : found;
    return ENTITIES[name] ?? found;
  });
}

/** As the server makes paragraphs of a text without tags. */
function paragraphsOf(content: string): ComponentChildren[] {
  return content
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => <p class="lines">{paragraph}</p>);
}
