import { render } from "preact";
import { useEffect } from "preact/hooks";
import { loadJoinPage } from "../ui/api/join-page.ts";
import { pathOf } from "../ui/base.ts";
import { useLoad } from "../ui/api/load.ts";
import { LonePage } from "../ui/shell/page.tsx";
import { givenBy, JoinForm } from "./join-form.tsx";
import { t } from "../languages/messages.ts";
import { served, speak } from "../languages/languages.ts";

/** The sign-up page for promoters: `/join/{campaign}`. */
function Join() {
  const loaded = useLoad(() => loadJoinPage(campaignOf(location), givenBy(location).invitation));
  // The user may paste the rest of a truncated link.
  useEffect(() => addEventListener("hashchange", () => void loaded.reload()), []);
  const found = loaded.data.value;
  if (found !== null) return <JoinForm campaign={found} />;
  const refusal = loaded.refusal.value;
  if (refusal === null) return <div aria-busy="true" />;
  const isMissing = refusal.status === 404;
  return (
    <LonePage title={t(isMissing ? "missing" : "failed")}>
      <p role="alert">{isMissing ? t("join.missing.text") : refusal.message}</p>
      {!isMissing && (
        <div>
          <button class="button" onClick={loaded.reload}>
            {t("retry")}
          </button>
        </div>
      )}
    </LonePage>
  );
}

const campaignOf = ({ pathname }: Location) => Number(/^\/join\/(\d+)/.exec(pathOf(pathname))?.[1] ?? 0);

void speak(served).then(() => render(<Join />, document.getElementById("app")!));
