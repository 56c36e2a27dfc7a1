import { render } from "preact";
import { answer, api } from "../ui/api/client.ts";
import { useLoad } from "../ui/api/load.ts";
import { LonePage } from "../ui/shell/page.tsx";
import { JoinForm } from "./join-form.tsx";

/** The page for whoever wants to promote: `/join/{campaign}`. */
function Join() {
  const campaign = Number(/^\/join\/(\d+)/.exec(location.pathname)?.[1] ?? 0);
  const loaded = useLoad(() =>
    answer(api.GET("/api/v2/join/{campaign}", { params: { path: { campaign } } })),
  );
  const found = loaded.data.value;
  if (found !== null) return <JoinForm campaign={found} />;
  const refusal = loaded.refusal.value;
  if (refusal === null) return <div aria-busy="true" />;
  const isMissing = refusal.status === 404;
  return (
    <LonePage title={isMissing ? "There is nothing here" : "This could not be loaded"}>
      <p role="alert">
        {isMissing ? "The address may be mistyped, or the campaign has ended." : refusal.message}
      </p>
      {!isMissing && (
        <div>
          <button class="button" onClick={loaded.reload}>
            Try again
          </button>
        </div>
      )}
    </LonePage>
  );
}

render(<Join />, document.getElementById("app")!);
