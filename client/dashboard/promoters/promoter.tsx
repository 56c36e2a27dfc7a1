import { useRoute } from "preact-iso/router";
import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad, type Loaded } from "../../ui/api/load.ts";
import { these } from "../../ui/batch/selection.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { Tabs } from "../../ui/feedback/tabs.tsx";
import { useFilters } from "../../ui/fragment.ts";
import { lazy } from "../../ui/shell/lazy.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { may } from "../session/session.ts";
import { EraseButton } from "../erase.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import type { ActionName } from "./batches.ts";
import { PromoterChanges } from "./changes.tsx";
import { PromoterFamily } from "./family.tsx";
import { PromoterCommissions, PromoterLeads, PromoterPayouts } from "./belongings.tsx";
import { LetInButton } from "./let-in.tsx";
import { SignOutButton } from "./sign-out.tsx";
import { PromoterOverview } from "./overview.tsx";
import { PortalButton } from "./portal-button.tsx";
import type { Promoter } from "./words.ts";
import { PromoterStates } from "./summary.tsx";

const ProfileDialog = lazy(async () => (await import("./profile-dialog.tsx")).ProfileDialog, null);

/** The tab, and the page and order of its list. */
const USUAL = { tab: "overview", page: "1", sort: "" };

/** `/admin/promoters/:id` */
export function PromoterPage() {
  const id = Number(useRoute().params["id"]);
  const loaded = useLoad((signal) => loadPromoter(id, signal), [id]);
  const title = loaded.data.value?.name ?? "Promoter";
  return (
    <Page
      title={title}
      actions={loaded.data.value && <Actions promoter={loaded.data.value} loaded={loaded} />}
    >
      <Await
        loaded={loaded}
        wayBack={
          <a class="button" href="/admin/promoters">
            All promoters
          </a>
        }
      >
        {(promoter) => <Views promoter={promoter} loaded={loaded} />}
      </Await>
    </Page>
  );
}

function Views({ promoter, loaded }: { promoter: Promoter; loaded: Loaded<Promoter> }) {
  const filters = useFilters(USUAL);
  const { id } = promoter;
  const show = (tab: string) => filters.set({ tab, sort: "", page: "1" });
  return (
    <div class="stack wide">
      <div class="row">
        <a href={`mailto:${encodeURIComponent(promoter.email)}`}>{promoter.email}</a>
        <PromoterStates promoter={promoter} />
      </div>
      <div>
        <Tabs
          label="About this promoter"
          shown={filters.values.value.tab}
          onShow={show}
          tabs={[
            {
              id: "overview",
              title: "Overview",
              panel: () => <PromoterOverview promoter={promoter} reload={loaded.reload} />,
            },
            { id: "leads", title: "Leads", panel: () => <PromoterLeads id={id} filters={filters} /> },
            {
              id: "commissions",
              title: "Commissions",
              panel: () => <PromoterCommissions id={id} filters={filters} />,
            },
            { id: "payouts", title: "Payouts", panel: () => <PromoterPayouts id={id} filters={filters} /> },
            {
              id: "family",
              title: "Brought in",
              panel: () => <PromoterFamily promoter={promoter} filters={filters} />,
            },
            { id: "changes", title: "Changes", panel: () => <PromoterChanges id={id} filters={filters} /> },
          ]}
        />
      </div>
    </div>
  );
}

function Actions({ promoter, loaded }: { promoter: Promoter; loaded: Loaded<Promoter> }) {
  const asked = useSignal<ActionName | null>(null);
  const isEditing = useSignal(false);
  const { id, name, archived_at: archivedAt } = promoter;
  if (!may("manager")) return null;
  return (
    <>
      <PortalButton promoter={promoter} />
      {archivedAt === null && may("owner") && <LetInButton promoter={promoter} />}
      <SignOutButton promoter={promoter} />
      <button class="button" onClick={() => (isEditing.value = true)}>
        Edit
      </button>
      <button class="button" onClick={() => (asked.value = archivedAt === null ? "archive" : "restore")}>
        {archivedAt === null ? "Archive" : "Restore"}
      </button>
      {may("owner") && (
        <EraseButton
          kind="promoter"
          name={name}
          stays="Earnings and payouts stay with their id, for your bookkeeping."
          erase={() => answer(api.POST("/api/v2/company/promoters/{id}/erase", { params: { path: { id } } }))}
          reload={loaded.reload}
        />
      )}
      {isEditing.value && (
        <ProfileDialog promoter={promoter} reload={loaded.reload} onClose={() => (isEditing.value = false)} />
      )}
      {asked.value && (
        <ActionDialog
          name={asked.value}
          records={these([id])}
          who={name}
          campaigns={[]}
          campaignId=""
          onClose={() => (asked.value = null)}
          onBegin={() => {}}
          reload={loaded.reload}
        />
      )}
    </>
  );
}

function loadPromoter(id: number, signal: AbortSignal): Promise<Promoter> {
  const params = { path: { id: String(id) }, query: { include_parent_promoter: true } };
  return answer(api.GET("/api/v2/company/promoters/{id}", { params, signal }));
}
