import { useSignal, type Signal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad, useRepeat } from "../../ui/api/load.ts";
import { asRefusal, type Refusal } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { dateTime } from "../../ui/format.ts";

type Result = components["schemas"]["ScriptCheck"];

/** Often enough that the mark appears while the user switches between tabs. */
const LOOK_MS = 5_000;
/** How many campaigns are offered. */
const MOST_CAMPAIGNS = 100;

/** Whether the script is on the company's site: where it was last loaded, and a button to check a page. */
export function ScriptCheck() {
  const campaigns = useLoad((signal) => {
    const query = { per_page: MOST_CAMPAIGNS };
    return page(api.GET("/api/v2/company/campaigns", { params: { query }, signal }));
  });
  const chosen = useSignal<number | null>(null);
  return (
    <div class="stack tight">
      <LastSeen />
      <Await loaded={campaigns}>
        {({ rows }) => {
          const campaign = rows.find(({ id }) => id === chosen.value) ?? rows[0];
          if (campaign === undefined) return null;
          return (
            <>
              {rows.length > 1 && (
                <div>
                  <select
                    class="input auto"
                    aria-label="Campaign whose landing page is looked at"
                    value={campaign.id}
                    onChange={(event) => (chosen.value = Number(event.currentTarget.value))}
                  >
                    {rows.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </select>
                </div>
              )}
              <p class="small soft said">Landing page: {campaign.landing_url}</p>
              <Look key={campaign.id} id={campaign.id} />
              <p class="small soft">
                Is a click missing? Those of bots are not recorded, and headless browsers of tests and
                monitors count as bots. Try your link in an ordinary browser.
              </p>
            </>
          );
        }}
      </Await>
    </div>
  );
}

/** Where a browser last loaded the script. It is refreshed automatically. */
function LastSeen() {
  const setup = useLoad((signal) => answer(api.GET("/api/v2/company/setup", { signal })));
  useRepeat(setup.reload, LOOK_MS);
  if (setup.data.value === null) return null;
  const { script_seen: seen, steps } = setup.data.value;
  return (
    <div class="row tight" aria-live="polite">
      {seen !== null && (
        <>
          <Badge tone="good">Seen on your site</Badge>
          <span class="small said">
            Last at {seen.site}, {dateTime(seen.at)}
          </span>
        </>
      )}
      {seen === null && steps.script && <Badge tone="warn">Seen, but on no site of your campaigns</Badge>}
      {seen === null && !steps.script && (
        <>
          <Badge tone="warn">Not seen on your site yet</Badge>
          {steps.click && <span class="small">The demo page of this server works, but does not count.</span>}
        </>
      )}
    </div>
  );
}

function Look({ id }: { id: number }) {
  const result = useSignal<Result | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const isBusy = useSignal(false);
  const look = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    refusal.value = null;
    try {
      result.value = await answer(api.POST("/api/v2/company/setup/script", { body: { campaign_id: id } }));
    } catch (error) {
      result.value = null;
      refusal.value = asRefusal(error);
    }
    isBusy.value = false;
  };
  return (
    <>
      <div>
        <button class="button" aria-disabled={isBusy.value} onClick={() => void look()}>
          {isBusy.value ? "Looking …" : "Look for the script on my site"}
        </button>
      </div>
      <div class="stack tight" aria-live="polite">
        {refusal.value && <Notice refusal={refusal.value} />}
        <Outcome of={result} />
      </div>
    </>
  );
}

const OUTCOMES: Record<Result["result"], { title: string; tone: Tone }> = {
  found: { title: "Found", tone: "good" },
  other_account: { title: "Found, with a wrong account id", tone: "bad" },
  tag_manager: { title: "A tag manager may load it", tone: "warn" },
  not_found: { title: "Not found", tone: "bad" },
  not_fetched: { title: "The page could not be read", tone: "bad" },
};

function Outcome({ of }: { of: Signal<Result | null> }) {
  if (of.value === null) return null;
  const { result, url } = of.value;
  const { title, tone } = OUTCOMES[result];
  return (
    <>
      <div>
        <Badge tone={tone}>{title}</Badge>
      </div>
      <p class="said">{explained(of.value)}</p>
      {result === "tag_manager" && (
        <p>
          <a href={url} target="_blank" rel="noopener">
            Open the page
          </a>
        </p>
      )}
    </>
  );
}

function explained({ result, url, other_account_id: otherId, error }: Result): string {
  switch (result) {
    case "found":
      return `${url} loads the script with your account id.`;
    case "other_account":
      return otherId === null
        ? `${url} loads the script without an account id. Copy the whole tag above.`
        : `${url} loads the script for the account ${otherId}. Copy the tag above, which has yours.`;
    case "tag_manager":
      return `${url} doesn't show what its tag manager loads. Open the page: if the script is on it, it is marked as seen here within a minute.`;
    case "not_found":
      return `${url} doesn't load the script. Paste the tag above into it.`;
    case "not_fetched":
      return `${url}: ${error}`;
  }
}
