/**
 * The script of `/docs`. It shows the operation that the address names in the viewer, whose package leaves fields without
 * names and colours that are hard to read, and has no options for them.
 */
export const VIEWER_SCRIPT = `"use strict";
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
  import("./docs.js");
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
  div:has(> .m-btn) { flex-wrap: wrap; gap: 8px; }
  .summary > div[style*="absolute"] { position: static !important; margin-block: 8px; }
  .summary > div[style*="absolute"] > div { min-width: 0 !important; flex-wrap: wrap; justify-content: flex-start !important; }
  .table-title, .tab-content { overflow-x: auto; }
}
`;
}
