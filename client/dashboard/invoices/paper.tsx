import { h, type ComponentChild } from "preact";

/** The elements of an invoice that have content, and those that have none. */
const ELEMENTS = new Set(["h1", "h2", "p", "table", "tr", "th", "td", "strong"]);
const EMPTY = new Set(["hr", "br"]);

const TOKEN = /<(\/?)([a-z\d]+)(?: class="([a-z ]*)")?>|[^<]+/g;

/**
 * An invoice, from the server's HTML. The elements are made anew, because the page's policy allows no HTML texts, and so
 * that nothing in them could run.
 */
export function Paper({ html }: { html: string }) {
  return (
    // On phones it is wider than its dialog, and the keyboard must be able to scroll it.
    <section class="card invoice-paper" aria-label="The invoice" tabIndex={0}>
      {childrenOf([...html.matchAll(TOKEN)])}
    </section>
  );
}

/** The children up to the end of their element. Takes them from the tokens. */
function childrenOf(tokens: RegExpExecArray[]): ComponentChild[] {
  const children: ComponentChild[] = [];
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    const [text, slash, name, classes] = token;
    if (name === undefined) children.push(decoded(text));
    else if (slash === "/") return children;
    else if (EMPTY.has(name)) children.push(h(name, null));
    else if (name === "table") children.push(h(name, { class: classes }, h("tbody", null, rowsOf(tokens))));
    else if (ELEMENTS.has(name)) children.push(h(name, { class: classes }, childrenOf(tokens)));
  }
  return children;
}

/** Blanks between rows are no rows. */
function rowsOf(tokens: RegExpExecArray[]): ComponentChild[] {
  return childrenOf(tokens).filter((child) => typeof child !== "string");
}

/** The server writes special characters by their numbers. */
function decoded(text: string): string {
  return text.replace(/&#(\d{1,3});/g, (_, code: string) => String.fromCharCode(Number(code)));
}
