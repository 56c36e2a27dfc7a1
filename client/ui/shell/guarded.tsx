import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Page } from "./page.tsx";

/** Nobody gets a blank page, whatever a page trips over. `helper`: whom the reader should tell. */
export function Guarded({ helper, children }: { helper: string; children: ComponentChildren }) {
  const [fault] = useErrorBoundary((error: unknown) => console.error(error));
  if (!fault) return <>{children}</>;
  return (
    <Page title="This page has a fault">
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
