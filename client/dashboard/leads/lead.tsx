import { EraseButton } from "../erase.tsx";
import { useSignal } from "@preact/signals";
import { useLocation, useRoute } from "preact-iso/router";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { these } from "../../ui/batch/selection.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { date } from "../../ui/format.ts";
import { Page } from "../../ui/shell/page.tsx";
import { may } from "../session/session.ts";
import { actOnLeads } from "./actions.tsx";
import { MoveLeads } from "./move-leads.tsx";
import { NewRefund, NewSale } from "./new-sale.tsx";
import { ChooseStatus } from "./own-statuses.tsx";
import { leadName, SOURCES, type Lead } from "./words.ts";
import { LeadState } from "./summary.tsx";
import { Suspicion } from "./suspicion.tsx";
import { Timeline } from "./timeline.tsx";
import { at } from "../../ui/base.ts";

type Reload = () => Promise<void>;

/** `/admin/leads/:id` */
export function LeadPage() {
  const id = useRoute().params["id"] ?? "";
  const loaded = useLoad((signal) => loadStory(id, signal), [id]);
  const lead = loaded.data.value?.lead;
  return (
    <Page
      title={lead ? leadName(lead) : "Lead"}
      actions={lead && may("manager") && <Actions lead={lead} reload={loaded.reload} />}
    >
      <Await
        loaded={loaded}
        wayBack={
          <a class="button" href="/admin/leads">
            All leads
          </a>
        }
      >
        {({ lead, entries }) => (
          <div class="stack wide">
            <LeadState lead={lead} />
            {may("manager") && <ChooseStatus lead={lead} reload={loaded.reload} />}
            <Suspicion lead={lead} reload={loaded.reload} />
            <div class="grid sides">
              <section class="card">
                <h2>What happened</h2>
                <Timeline entries={entries} />
              </section>
              <Facts lead={lead} />
            </div>
          </div>
        )}
      </Await>
    </Page>
  );
}

function Actions({ lead, reload }: { lead: Lead; reload: Reload }) {
  const { route, path } = useLocation();
  const isMoving = useSignal(false);
  const adding = useSignal<"sale" | "refund" | null>(null);
  const { id, state } = lead;
  const given = { records: these([id]), who: leadName(lead), reload };
  // The change may have been refused, and the user may be on another page by now.
  const leave = async (deletedCount: number) => {
    if (deletedCount === 0) await reload();
    else if (location.pathname === path) route(at("/admin/leads"));
  };
  return (
    <>
      {state === "pending" && (
        <button class="button main" onClick={() => actOnLeads("approve", given)}>
          Approve
        </button>
      )}
      <button class="button" onClick={() => (adding.value = "sale")}>
        Add a sale
      </button>
      {lead.customer_since !== null && (
        <button class="button" onClick={() => (adding.value = "refund")}>
          Record a refund
        </button>
      )}
      <button class="button" onClick={() => (isMoving.value = true)}>
        Move to promoter…
      </button>
      {state === "denied" ? (
        <button class="button" onClick={() => actOnLeads("enable", given)}>
          Enable
        </button>
      ) : (
        <button class="button" onClick={() => actOnLeads("disable", given)}>
          Disable
        </button>
      )}
      <button class="button danger" onClick={() => actOnLeads("delete", { ...given, reload: leave })}>
        Delete from the lists
      </button>
      {may("owner") && (
        <EraseButton
          kind="lead"
          name={leadName(lead)}
          stays="Sales and commissions stay, without a name."
          erase={() => answer(api.POST("/api/v2/company/referrals/{id}/erase", { params: { path: { id } } }))}
          reload={reload}
        />
      )}
      {adding.value === "sale" && (
        <NewSale lead={lead} reload={reload} onClose={() => (adding.value = null)} />
      )}
      {adding.value === "refund" && (
        <NewRefund lead={lead} reload={reload} onClose={() => (adding.value = null)} />
      )}
      {isMoving.value && <MoveLeads {...given} onBegin={() => {}} onClose={() => (isMoving.value = false)} />}
    </>
  );
}

function Facts({ lead }: { lead: Lead }) {
  const { promoter, campaign } = lead.promoter_campaign;
  const facts: [name: string, value: string | null][] = [
    ["How it came", SOURCES[lead.entry_source]],
    ["Signed up", date(lead.created_at)],
    ["Customer since", lead.customer_since && date(lead.customer_since)],
    ["E-mail", lead.email],
    ["Your id", lead.uid],
    ["Name", [lead.first_name, lead.last_name].filter(Boolean).join(" ")],
    ["Username", lead.username],
    ["Website", lead.website],
    ["The promoter's comment", lead.comment],
    ...Object.entries(lead.metadata).map(([name, value]): [string, string] => [name, String(value)]),
  ];
  return (
    <section class="card">
      <h2>About this lead</h2>
      <dl class="facts">
        <dt>Promoter</dt>
        <dd>{promoter ? <a href={`/admin/promoters/${promoter.id}`}>{promoter.name}</a> : "Was deleted"}</dd>
        <dt>Campaign</dt>
        <dd>{campaign ? <a href={`/admin/campaigns/${campaign.id}`}>{campaign.name}</a> : "Was deleted"}</dd>
        {facts.map(([name, value]) =>
          value ? (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ) : null,
        )}
      </dl>
    </section>
  );
}

async function loadStory(id: string, signal: AbortSignal) {
  const params = { path: { id } };
  const [lead, entries] = await Promise.all([
    answer(api.GET("/api/v2/company/referrals/{id}", { params, signal })),
    answer(api.GET("/api/v2/company/referrals/{id}/timeline", { params, signal })),
  ]);
  return { lead, entries };
}
