import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Page } from "./page.tsx";
import { t } from "../../languages/messages.ts";

/** An error boundary, instead of a blank page. `helper` is the contact to name. */
export function Guarded({ helper, children }: { helper: string; children: ComponentChildren }) {
  const [fault] = useErrorBoundary((error: unknown) => console.error(error));
  if (!fault) return <>{children}</>;
  return (
    <Page title={t("fault")}>
      <div class="stack">
        <p>{t("fault.text", { helper })}</p>
        <div>
          <button class="button" onClick={() => location.reload()}>
            {t("reload")}
          </button>
        </div>
      </div>
    </Page>
  );
}
