import { options, type VNode } from "preact";

/** The path below which the server is reached, such as `/partners`. "": the root of its host. */
export const BASE = document.documentElement.dataset["base"] ?? "";

/** The address of a path of this server. Links get it by themselves; only what the script itself opens needs it. */
export function at(path: string): string {
  return BASE + path;
}

/** The path of this server that an address names. */
export function pathOf(pathname: string): string {
  return pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : pathname;
}

// Pages write `<a href="/admin/leads">`, wherever the server is. One hook is less to forget than a call in each link.
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
