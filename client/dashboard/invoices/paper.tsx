import { h, type ComponentChild } from "preact";

/** The elements of an invoice. The server sends no others; whatever else came would be shown as text. */
const ELEMENTS = new Set(["h1", "h2", "p", "table", "tbody", "tr", "th", "td", "hr", "br", "strong"]);

/** An invoice, from the server's HTML. The elements are made anew, so that nothing in the HTML can run. */
export function Paper({ html }: { html: string }) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  return <div class="card invoice-paper">{childrenOf(body)}</div>;
}

function childrenOf(element: Element): ComponentChild[] {
  return [...element.childNodes].map((node) => {
    if (!(node instanceof Element)) return node.textContent;
    const name = node.localName;
    if (!ELEMENTS.has(name)) return node.textContent;
    const children = childrenOf(node);
    return h(name, { class: node.className }, ...children);
  });
}
