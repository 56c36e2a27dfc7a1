import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { date } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { Choose, optionsOf } from "../../ui/table/filters.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { loadJoined } from "../campaigns/joined.ts";
import { DownloadButton } from "../download.tsx";
import { leadWords } from "../words.ts";
import { LeadForm } from "./lead-form.tsx";
import { t } from "../../languages/messages.ts";

type Lead = components["schemas"]["PortalReferral"];

const KINDS = ["lead", "customer"] as const;
const shown = () =>
  optionsOf(t("leads.everyone"), { lead: t("leads.not_customers"), customer: t("leads.customers") });

/** The people whom the promoter has sent. */
export function Leads() {
  const filters = useFilters({ page: "1", sort: "", type: "" });
  const isAdding = useSignal(false);
  const joined = useLoad(loadJoined);
  const open = joined.data.value?.filter((each) => each.may_add_leads) ?? [];
  const list = useList(filters, ({ number, type }) => {
    const kind = KINDS.find((each) => each === type);
    const query = {
      page: number,
      per_page: PAGE_LENGTH,
      ...(kind !== undefined && { "filters[type]": kind }),
    };
    return page(api.GET("/api/v2/affiliate/referrals", { params: { query } }));
  });
  return (
    <Page
      title={t("page.leads")}
      actions={<Actions canAdd={open.length > 0} add={() => (isAdding.value = true)} />}
    >
      <div class="table-tools">
        <Choose filters={filters} name="type" label={t("show")} options={shown()} />
      </div>
      <Table
        caption={t("page.leads")}
        columns={columnsOf((lead) => takeBack(lead, list.reload))}
        list={list}
        empty={<NoLeads isFiltered={filters.values.value.type !== ""} canAdd={open.length > 0} />}
      />
      {isAdding.value && (
        <LeadForm
          campaigns={open}
          onClose={() => (isAdding.value = false)}
          onAdded={() => {
            isAdding.value = false;
            toast(t("leads.added"));
            void list.reload();
          }}
        />
      )}
    </Page>
  );
}

async function takeBack({ id, email }: Lead, reload: () => Promise<void>): Promise<void> {
  const text = t("leads.take_back.text");
  const title = t("leads.take_back.ask", { lead: email ?? t("leads.this") });
  if (!(await ask({ title, text, action: t("leads.take_back.action"), isDanger: true }))) return;
  await tell(async () => {
    await answer(api.DELETE("/api/v2/affiliate/referrals/{id}", { params: { path: { id } } }));
    await reload();
    return t("leads.taken_back");
  });
}

function Actions({ canAdd, add }: { canAdd: boolean; add: () => void }) {
  const load = () => answer(api.GET("/api/v2/affiliate/referrals/export", { parseAs: "text" }));
  return (
    <>
      <DownloadButton name="leads.csv" load={load} />
      {canAdd && (
        <button class="button main" onClick={add}>
          {t("leads.add")}
        </button>
      )}
    </>
  );
}

function NoLeads({ isFiltered, canAdd }: { isFiltered: boolean; canAdd: boolean }) {
  return (
    <Empty title={t(isFiltered ? "leads.none_fits" : "leads.none")}>
      <p>{t(canAdd ? "leads.none.text_or_add" : "leads.none.text")}</p>
      <a class="button" href="/portal">
        {t("share")}
      </a>
    </Empty>
  );
}

function columnsOf(remove: (lead: Lead) => Promise<void>): Column<Lead>[] {
  return [
    { id: "email", title: t("leads.person"), cell: (lead) => <Person of={lead} /> },
    { id: "state", title: t("state"), cell: (lead) => <State of={lead} remove={remove} /> },
    { id: "created_at", title: t("leads.since"), cell: (lead) => date(lead.created_at) },
    { id: "customer_since", title: t("leads.customer_since"), cell: (lead) => date(lead.customer_since) },
    { id: "sub_id", title: t("channel"), cell: (lead) => lead.sub_id ?? "–" },
    {
      id: "campaign",
      title: t("campaign"),
      cell: ({ promoter_campaign: { campaign } }) => campaign?.name ?? "–",
    },
  ];
}

function Person({ of: { email, first_name: first, last_name: last } }: { of: Lead }) {
  const name = [first, last].filter(Boolean).join(" ");
  return (
    <>
      <span class="no-wrap" title={email ?? undefined}>
        {email ?? t("leads.no_address")}
      </span>
      {name !== "" && <span class="small soft"> {name}</span>}
    </>
  );
}

function State({ of: lead, remove }: { of: Lead; remove: (lead: Lead) => Promise<void> }) {
  return (
    <span class="row tight">
      <Badge {...leadWords(lead.state)} />
      {lead.is_removable && (
        <button
          class="button plain little"
          aria-label={t("leads.take_back.of", { lead: lead.email ?? t("leads.this") })}
          onClick={() => void remove(lead)}
        >
          {t("leads.take_back")}
        </button>
      )}
    </span>
  );
}
