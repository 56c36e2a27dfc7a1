import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

/** One of several views of the same thing. */
export interface Tab {
  id: string;
  title: string;
  panel: () => ComponentChildren;
}

/** The index of the tab that a key selects. The first follows the last. */
const TARGETS: Record<string, (at: number) => number> = {
  ArrowRight: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  Home: () => 0,
  End: () => -1,
};

/** Where text runs from right to left, the next tab is on the left. */
const MIRRORED: Record<string, string> = { ArrowRight: "ArrowLeft", ArrowLeft: "ArrowRight" };

/** Tabs. `shown` is usually in the URL. */
export function Tabs({
  tabs,
  shown,
  onShow,
  label,
}: {
  tabs: readonly Tab[];
  shown: string;
  onShow: (id: string) => void;
  label: string;
}) {
  const base = useId();
  const at = Math.max(
    0,
    tabs.findIndex(({ id }) => id === shown),
  );
  const chosen = useRef<HTMLButtonElement>(null);
  // On a phone, the selected tab may be out of view. The page itself must not scroll.
  useEffect(() => bringIntoView(chosen.current), [at]);
  const step = (event: KeyboardEvent) => {
    const isRightToLeft = document.documentElement.dir === "rtl";
    const target = TARGETS[(isRightToLeft && MIRRORED[event.key]) || event.key]?.(at);
    const next = target === undefined ? undefined : tabs.at(target % tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    onShow(next.id);
    document.getElementById(`${base}-${next.id}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
        {tabs.map(({ id, title }, index) => (
          <button
            key={id}
            ref={index === at ? chosen : null}
            type="button"
            role="tab"
            id={`${base}-${id}`}
            aria-selected={index === at}
            aria-controls={`${base}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => onShow(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${tabs[at]?.id}`}>
        {tabs[at]?.panel()}
      </div>
    </>
  );
}

/** Scrolls the row of tabs until a tab is completely visible. */
function bringIntoView(tab: HTMLElement | null): void {
  const row = tab?.parentElement;
  if (!tab || !row) return;
  const [own, all] = [tab.getBoundingClientRect(), row.getBoundingClientRect()];
  if (own.left < all.left) row.scrollLeft -= all.left - own.left;
  else if (own.right > all.right) row.scrollLeft += own.right - all.right;
}
