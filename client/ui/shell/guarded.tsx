import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Page } from "./page.tsx";

/** An error boundary, instead of a blank page. `helper` is the contact to name. */
export function Guarded({ helper, children }: { helper: string; children: ComponentChildren }) {
  const [fault] = useErrorBoundary((error: unknown) => console.error(error));
  if (!fault) return <>{children}</>;
  return (
    <Page title="This page has an error">
      <div class="stack">
        <p>Reload it. If that does not help, tell {helper} what you did.</p>
        <div>
          <button class="button" onClick={() => location.reload()}>
            Reload
          </button>
        </div>
      </div>
    </Page>
  );
}
