import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Whether a page was shown before. On the first page, the browser sets the focus. */
let hasShownPage = false;

/** A page: its title, what can be done on it, and its content. Screen readers announce the title when it appears. */
export function Page({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => void (document.title = `${title} · Tidemark`), [title]);
  useEffect(() => {
    if (hasShownPage) heading.current?.focus({ preventScroll: true });
    hasShownPage = true;
  }, []);
  return (
    <>
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div class="row">{actions}</div>}
      </div>
      {children}
    </>
  );
}

/** A page without navigation, for a single task. */
export function LonePage({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => void (document.title = `${title} · Tidemark`), [title]);
  return (
    <main class="lone">
      <div class="card stack">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
