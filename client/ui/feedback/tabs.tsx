import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** One of several views of the same thing. */
export interface Tab {
  id: string;
  title: string;
  panel: () => ComponentChildren;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** Tabs. `shown` usually stands in the address. */
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
  const step = (event: KeyboardEvent) => {
    const next = tabs[(at + (STEPS[event.key] ?? 0) + tabs.length) % tabs.length];
    if (!(event.key in STEPS) || next === undefined) return;
    onShow(next.id);
    document.getElementById(`${base}-${next.id}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
        {tabs.map(({ id, title }, index) => (
          <button
            key={id}
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
