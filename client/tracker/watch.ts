/** Reports when the page's URL changes, or the page becomes visible for the first time. */
export function watchAddress(look: () => void): void {
  document.addEventListener("prerenderingchange", look);
  addEventListener("popstate", look);
  // Wrapped, because no event reports them in every browser: the Navigation API is new, and some pages redefine its global.
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    history[name] = function (...given) {
      original.apply(history, given);
      look();
    };
  }
}
