import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { useLayoutEffect } from "preact/hooks";

/** The filters of a list, stored in the URL's fragment: they survive reloading and going back, and are in no log. */
export interface Filters<F extends Record<string, string>> {
  values: ReadonlySignal<F>;
  /** Changes some filters. Any change except of the page returns to the first page. */
  set(changes: Partial<F>): void;
  /** The URL of this list with some filters changed. */
  link(changes: Partial<F>): string;
}

/** The filters of the current page. `usual` has their defaults, which are left out of the URL. */
export function useFilters<F extends Record<string, string>>(usual: F): Filters<F> {
  const { url, path } = useLocation();
  const fragment = useSignal(location.hash);
  useLayoutEffect(() => {
    const read = () => (fragment.value = location.hash);
    read();
    // `set` changes the URL without the router, so the router ignores a link to the URL that it still knows. By the next
    // task, it has changed the URL or opened another page.
    const readLater = () => setTimeout(() => isHere(path) && read());
    addEventListener("hashchange", read);
    addEventListener("click", readLater);
    return () => {
      removeEventListener("hashchange", read);
      removeEventListener("click", readLater);
    };
  }, [url]);
  const values = useComputed(() => readFragment(fragment.value, usual));
  const link = (changes: Partial<F>) => {
    const isOtherList = Object.keys(changes).some((name) => name !== "page");
    const page = isOtherList && "page" in usual ? { page: usual["page"] } : {};
    return writeFragment({ ...values.peek(), ...page, ...changes }, usual);
  };
  return {
    values,
    link,
    set(changes) {
      const hash = link(changes);
      // Without a fragment, the URL has no "#".
      history.replaceState(null, "", hash === "#" ? location.pathname + location.search : hash);
      fragment.value = hash;
    },
  };
}

/** The URL of a list with filters: `/admin/leads#state=pending`. */
export function listAddress(path: string, filters: Record<string, string>): string {
  const hash = writeFragment(filters, {});
  return hash === "#" ? path : path + hash;
}

function isHere(path: string): boolean {
  return location.pathname.replace(/\/+$/, "") === path.replace(/\/+$/, "");
}

function readFragment<F extends Record<string, string>>(hash: string, usual: F): F {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const entries = Object.entries(usual).map(([name, value]) => [name, given.get(name) ?? value]);
  return Object.fromEntries(entries) as F;
}

function writeFragment(filters: Record<string, string>, usual: Record<string, string>): string {
  const written = Object.entries(filters).filter(([name, value]) => value !== (usual[name] ?? ""));
  return `#${new URLSearchParams(written)}`;
}
