import { escapeHtml } from "../markup.ts";
import { INTRODUCTION, TAGS } from "./document.ts";
import { TAG_OF, type DescribedRoute } from "./operation.ts";

/**
 * The page of `/docs`: every operation in a list, and the viewer, which is three times as large as all other pages
 * together. It is loaded once an operation is opened.
 */
export function docsHtml(routes: DescribedRoute[], base: string): string {
  // The current generation comes first.
  const tags = TAGS.toSorted((one, other) => Number(other.name === "V2") - Number(one.name === "V2"));
  const groups = tags.map(({ name, description }) => group(name, description, routes));
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Tidemark API</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
    <script type="module" src="${base}/docs-page.js"></script>
  </head>
  <body>
    <header><h1>Tidemark API</h1> <a id="back" href="#" hidden>All operations</a></header>
    <main>
      ${paragraphs(INTRODUCTION)}
      <p><a href="${base}/openapi.json" download>Download openapi.json</a> for your own tools.</p>
      ${groups.join("\n")}
    </main>
    <template>
      <rapi-doc spec-url="${base}/openapi.json" load-fonts="false" show-header="false"
        allow-spec-file-download="true" sort-endpoints-by="none" render-style="focused"></rapi-doc>
    </template>
  </body>
</html>
`;
}

/** The operations of a tag. Other ways to call the same one are left to the viewer. */
function group(tag: string, description: string, routes: DescribedRoute[]): string {
  const own = routes.filter(
    ({ caller, operation }, at) =>
      TAG_OF[caller] === tag && routes.findIndex((other) => other.operation === operation) === at,
  );
  const rows = own.map(
    (route) =>
      `<tr><td><a href="#${escapeHtml(placeInViewer(route))}">${escapeHtml(route.operation.summary)}</a></td>` +
      `<td><code>${route.method} ${escapeHtml(shownPath(route.path)).replaceAll("/", "<wbr>/")}</code></td></tr>`,
  );
  return `<h2>${tag}</h2>${paragraphs(description)}<table>
<thead><tr><th scope="col">Operation</th><th scope="col">Request</th></tr></thead>
<tbody>${rows.join("\n")}</tbody></table>`;
}

const shownPath = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

/** Where the viewer shows an operation. It writes braces as hyphens. */
function placeInViewer({ method, path }: DescribedRoute): string {
  return `${method.toLowerCase()}-${shownPath(path).replace(/[{}]/g, "-")}`;
}

/** The little of Markdown that our own texts use: paragraphs, lists, bold, italic and code. */
function paragraphs(markdown: string): string {
  const inline = (text: string) =>
    escapeHtml(text)
      .replace(/`([^`]+)`/g, "<code>$1</code>")
      .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
      .replace(/\*([^*]+)\*/g, "<em>$1</em>");
  const blocks = markdown.split("\n\n").map((block) => {
    if (!block.startsWith("- ")) return `<p>${inline(block)}</p>`;
    const entries = block.split("\n").map((line) => `<li>${inline(line.slice(2))}</li>`);
    return `<ul>${entries.join("")}</ul>`;
  });
  return blocks.join("\n");
}

const STYLE = `
:root { color-scheme: light dark; --ink: #14201f; --ground: #f7f8f8; --line: #e2e7e6; --accent: #0b6e69; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eeed; --ground: #0e1414; --line: #263231; --accent: #5cc7bd; } }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 24px; padding: 8px 16px; border-block-end: 1px solid var(--line); }
h1 { margin: 0; font-size: 20px; }
main { max-width: 60rem; margin: 0 auto; padding: 16px; }
a { color: var(--accent); }
code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 6px 16px 6px 0; border-block-end: 1px solid var(--line); text-align: start; vertical-align: baseline; }
th:first-child, td:first-child { width: 45%; }
rapi-doc { height: calc(100vh - 48px); }
[hidden] { display: none !important; }
`;

/** The viewer's package, beside the script of the page. */
const VIEWER_FILE = "./docs.js";

/**
 * The script of `/docs`. It shows the operation that the address names in the viewer, whose package leaves fields without
 * names and colours that are hard to read, and has no options for them.
 */
export const VIEWER_SCRIPT = `"use strict";
const sheet = new CSSStyleSheet();
sheet.replaceSync(${JSON.stringify(viewerStyle())});

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

const [list, back] = [document.querySelector("main"), document.querySelector("#back")];
let viewer = null;

function open() {
  viewer = document.querySelector("template").content.firstElementChild.cloneNode(true);
  const night = matchMedia("(prefers-color-scheme: dark)");
  const dress = () => {
    viewer.setAttribute("theme", night.matches ? "dark" : "light");
    viewer.setAttribute("primary-color", night.matches ? "#5cc8bd" : "#0b6b66");
    viewer.setAttribute("text-color", night.matches ? "#e4e8ea" : "#333333");
  };
  night.addEventListener("change", dress);
  dress();
  viewer.setAttribute("nav-text-color", "#dfe3e5");
  document.body.append(viewer);
  import(${JSON.stringify(VIEWER_FILE)});
}

function show() {
  const isList = location.hash === "";
  if (!isList && viewer === null) open();
  if (viewer !== null) viewer.hidden = isList;
  list.hidden = !isList;
  back.hidden = isList;
}
addEventListener("hashchange", show);
show();
`;

/** Is put behind the viewer's own style in each of its trees. */
function viewerStyle(): string {
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
  div:has(> .m-btn) { flex-wrap: wrap; gap: 8px; }
  .summary > div[style*="absolute"] { position: static !important; margin-block: 8px; }
  .summary > div[style*="absolute"] > div { min-width: 0 !important; flex-wrap: wrap; justify-content: flex-start !important; }
  .table-title, .tab-content { overflow-x: auto; }
}
`;
}
