import { options, type VNode } from "preact";

/** The base path of the server, such as `/partners`, or "" for the root of its host. */
export const BASE = document.documentElement.dataset["base"] ?? "";

/** Adds the base path. Links get it automatically; only URLs that scripts open need this. */
export function at(path: string): string {
  return BASE + path;
}

/** The path without the base path. */
export function pathOf(pathname: string): string {
  return pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : pathname;
}

// Pages write `<a href="/admin/leads">` without the base path. A hook adds it, so that no link can forget it.
if (BASE !== "") {
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    if (vnode.type === "a") lead(vnode.props as { href?: unknown });
    before?.(vnode);
  };
}

function lead(props: { href?: unknown }): void {
  const { href } = props;
  if (typeof href === "string" && href.startsWith("/") && !href.startsWith("//")) props.href = at(href);
}
