import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { serveStored, storeText, type StoredText } from "../http/answer.ts";
import type { DescribedEvents, DescribedRoute } from "./operation.ts";
import { basePath } from "../url.ts";
import { openApiDocument } from "./document.ts";

/** The viewer shows the document, and adds its own style elements. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; " +
  "img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

const page = (base: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Tidemark API</title>
    <link rel="icon" href="data:,">
    <script type="module" src="${base}/docs-page.js"></script>
    <script type="module" src="${base}/docs.js"></script>
  </head>
  <body>
    <header><h1 style="position: absolute; clip-path: inset(50%)">Tidemark API</h1></header>
    <rapi-doc spec-url="${base}/openapi.json" load-fonts="false" show-header="false"
      allow-spec-file-download="true" sort-endpoints-by="none"></rapi-doc>
  </body>
</html>
`;

/** `GET /openapi.json` */
export function serveDocument(
  describe: () => DescribedRoute[],
  given: { publicUrl: string; events: DescribedEvents },
) {
  const documentOnce = once(() => storeText(JSON.stringify(openApiDocument(describe(), given))));
  return (event: H3Event): Response =>
    serveStored(event, documentOnce(), {
      "content-type": "application/json; charset=utf-8",
      // Clients revalidate every time, and get 304 until an update of the server changes the document.
      "cache-control": "no-cache",
      "access-control-allow-origin": "*",
    });
}

/** `GET /docs`: the document in a viewer. */
export function docsPage({ publicUrl }: { publicUrl: string }) {
  const html = page(basePath(publicUrl));
  return (): Response =>
    new FastResponse(html, {
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
      },
    });
}

/** `GET /docs-page.js` */
export function docsScript(): Response {
  return new FastResponse(VIEWER_SCRIPT, {
    headers: { "content-type": "text/javascript; charset=utf-8", "x-content-type-options": "nosniff" },
  });
}

/** `GET /docs.js`: the viewer, unchanged from its package. */
export function serveViewer(viewer: string) {
  const viewerOnce = once(() => storeText(viewer));
  return (event: H3Event): Response =>
    serveStored(event, viewerOnce(), {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=86400",
    });
}

/** Makes a text on the first request, because most processes never serve it. */
function once(make: () => StoredText): () => StoredText {
  let made: StoredText | null = null;
  return () => (made ??= make());
}

/**
 * The script of `/docs`. The viewer's package leaves fields without names, colours that are hard to read, and no way from
 * one operation to another on a phone, and it has no options for these.
 */
const VIEWER_SCRIPT = `"use strict";
const sheet = new CSSStyleSheet();
sheet.replaceSync(${JSON.stringify(style())});

/** Gives names to the fields of a tree of the viewer. */
function name(root) {
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  for (const field of root.querySelectorAll("input, select, textarea, tag-input"))
    if (!field.hasAttribute("aria-label")) field.setAttribute("aria-label", nameOf(field));
  for (const frame of root.querySelectorAll(".nav-bar")) frame.setAttribute("aria-label", "Search and operations");
  for (const list of root.querySelectorAll(".nav-scroll")) list.setAttribute("aria-label", "Operations");
  for (const label of root.querySelectorAll("label:empty")) label.remove();
}

function nameOf(field) {
  const { pname, ptype } = field.dataset;
  return pname || ptype || field.placeholder || field.title || field.name || field.id || "Value";
}

// The viewer and its parts keep their elements in trees of their own, which only they can name.
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (options) {
  const root = attach.call(this, options);
  new MutationObserver(() => name(root)).observe(root, { childList: true, subtree: true });
  return root;
};

const viewer = document.querySelector("rapi-doc");
const follow = (query, attribute, [yes, no]) => {
  const media = matchMedia(query);
  const set = () => viewer.setAttribute(attribute, media.matches ? yes : no);
  media.addEventListener("change", set);
  set();
};
follow("(prefers-color-scheme: dark)", "theme", ["dark", "light"]);
follow("(prefers-color-scheme: dark)", "primary-color", ["#5cc8bd", "#0b6b66"]);
follow("(prefers-color-scheme: dark)", "text-color", ["#e4e8ea", "#333333"]);
// Below this width, the viewer hides its list of operations, so the page itself lists them.
viewer.setAttribute("nav-text-color", "#dfe3e5");
follow("(max-width: 767px)", "render-style", ["view", "focused"]);
`;

/** Is put behind the viewer's own style in each of its trees. */
function style(): string {
  return `
.param-type, .param-type *, .method-fg, .key-type, .key-descr, .resp-modal-content,
[part~="anchor-param-example"], [part~="anchor-param-constraint"] { color: var(--fg) !important; }
[part~="anchor-param-example"], [part~="anchor-param-constraint"] { text-decoration: underline; }
@media (prefers-reduced-motion: reduce) {
  * { transition: none !important; }
}
@media (max-width: 767px) {
  .section-gap { padding: 0 16px; }
  #api-info { margin-inline-start: 0 !important; }
  #api-info > div { flex-wrap: wrap; }
  button { white-space: normal; }
  .m-btn { width: auto !important; min-width: 0 !important; max-width: 100%; }
  .summary > div[style*="absolute"] { position: static !important; margin-block: 8px; }
  .summary > div[style*="absolute"] > div { min-width: 0 !important; flex-wrap: wrap; justify-content: flex-start !important; }
  .table-title, .tab-content { overflow-x: auto; }
}
`;
}
