import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A button with a panel below it. Escape closes the panel, and so does whoever goes elsewhere by Tab or by pointer. */
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
      {/* Takes the focus from a click on a word in it. Otherwise the page around it would, which closes the panel. */}
      <div class="menu-panel stack tight" tabIndex={-1}>
        {children}
      </div>
    </details>
  );
}
