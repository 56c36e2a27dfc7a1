import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { useLayoutEffect } from "preact/hooks";

/** The filters of a list. They stand in the fragment of the address: reloading and going back keep them, no log sees them. */
export interface Filters<F extends Record<string, string>> {
  values: ReadonlySignal<F>;
  /** Changes some filters. Any change but one of the page leads to the first page. */
  set(changes: Partial<F>): void;
  /** The address of this list with some filters changed. */
  link(changes: Partial<F>): string;
}

/** The filters of the page that is shown. `usual` names them all; a filter with its usual value is not written down. */
export function useFilters<F extends Record<string, string>>(usual: F): Filters<F> {
  const { url, path } = useLocation();
  const fragment = useSignal(location.hash);
  useLayoutEffect(() => {
    const read = () => (fragment.value = location.hash);
    read();
    // `set` changes the address behind the router's back, so the router takes a link to the address that it knows for
    // no change. By the next task it has changed the address, or has gone to another page.
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
      // Without a fragment the address has no "#" at all.
      history.replaceState(null, "", hash === "#" ? location.pathname + location.search : hash);
      fragment.value = hash;
    },
  };
}

/** The address of a list with filters: `/admin/leads#state=pending`. */
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
