import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A button with a panel below it. The panel closes by Escape, or when the focus or a click goes elsewhere. */
export function Menu({ title, children }: { title: string; children: ComponentChildren }) {
  const element = useRef<HTMLDetailsElement>(null);
  const close = () => element.current?.removeAttribute("open");
  const isOutside = (target: EventTarget | null) =>
    target instanceof Node && !element.current?.contains(target);
  useEffect(() => {
    const point = ({ target }: PointerEvent) => isOutside(target) && close();
    document.addEventListener("pointerdown", point);
    return () => document.removeEventListener("pointerdown", point);
  }, []);
  return (
    <details
      ref={element}
      class="menu"
      onKeyDown={({ key }) => {
        if (key !== "Escape") return;
        close();
        element.current?.querySelector("summary")?.focus();
      }}
      onFocusOut={({ relatedTarget }) => isOutside(relatedTarget) && close()}
    >
      <summary class="button">{title}</summary>
      {/* It is focusable, because a click on its text would otherwise focus the page and close the panel. */}
      <div class="menu-panel stack tight" tabIndex={-1}>
        {children}
      </div>
    </details>
  );
}
