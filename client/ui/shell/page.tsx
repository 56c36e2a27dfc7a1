import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { brand } from "../brand.ts";
import { LongName } from "../long-text.tsx";
import { Logo } from "./logo.tsx";

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
  useTitle(title);
  useEffect(() => {
    if (hasShownPage) heading.current?.focus({ preventScroll: true });
    hasShownPage = true;
  }, []);
  return (
    <>
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          <LongName text={title} />
        </h1>
        {actions && <div class="row">{actions}</div>}
      </div>
      {children}
    </>
  );
}

/** A page without navigation, for a single task. */
export function LonePage({ title, children }: { title: string; children: ComponentChildren }) {
  useTitle(title);
  const shown = brand.value;
  // The title of the sign-up page has the name, and that is enough without a logo.
  const isNamed = shown?.logo_url === null && title.includes(shown.name);
  return (
    <main class="lone">
      {shown !== null && !isNamed && (
        <p class="brand">
          <Logo name={shown.name} />
        </p>
      )}
      <div class="card stack">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** Names the tab after the page and the company. */
function useTitle(title: string): void {
  const name = brand.value?.name ?? "Tidemark";
  useEffect(() => void (document.title = `${title} · ${name}`), [title, name]);
}
