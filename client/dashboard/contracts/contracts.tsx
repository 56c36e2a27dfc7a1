import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { Tabs } from "../../ui/feedback/tabs.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { count, date } from "../../ui/format.ts";
import { useFilters, type Filters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { useCampaigns, type Campaign } from "../campaigns/choices.tsx";
import { may } from "../session/session.ts";
import { ContractDialog } from "./contract-dialog.tsx";
import { Documents, USUAL, type DocumentFilters } from "./documents.tsx";

export type Contract = components["schemas"]["Contract"];

/** `/admin/contracts`: what promoters sign, and who has signed. */
export function Contracts() {
  const filters = useFilters(USUAL);
  const { tab } = filters.values.value;
  return (
    <Page title="Contracts">
      <Tabs
        label="Contracts"
        shown={tab}
        onShow={(id) => filters.set({ ...USUAL, tab: id })}
        tabs={[
          { id: "contracts", title: "Contracts", panel: () => <ContractList filters={filters} /> },
          { id: "documents", title: "Who has signed", panel: () => <Documents filters={filters} /> },
        ]}
      />
    </Page>
  );
}

function ContractList({ filters }: { filters: Filters<DocumentFilters> }) {
  const list = useList(filters, ({ number }, signal) => {
    const query = { page: number, per_page: PAGE_LENGTH };
    return page(api.GET("/api/v2/company/contracts", { params: { query }, signal }));
  });
  const campaigns = useCampaigns();
  const edited = useSignal<Contract | "new" | null>(null);
  const add = (look: string) =>
    may("manager") && (
      <button class={look} onClick={() => (edited.value = "new")}>
        Add a contract
      </button>
    );
  const columns = columnsOf(campaigns.data.value ?? [], filters);
  return (
    <div class="stack">
      <div class="row">{add("button main")}</div>
      <Table
        caption="Contracts"
        columns={
          may("manager")
            ? [...columns, actionsOf((contract) => (edited.value = contract), list.reload)]
            : columns
        }
        list={list}
        empty={
          <Empty title="No contracts yet">
            <p>
              Promoters sign a contract when they join, or in their portal. You see here who has signed which
              version, and when.
            </p>
            {add("button")}
          </Empty>
        }
      />
      {edited.value && (
        <ContractDialog
          contract={edited.value === "new" ? null : edited.value}
          campaigns={campaigns.data.value ?? []}
          reload={list.reload}
          onClose={() => (edited.value = null)}
        />
      )}
    </div>
  );
}

function columnsOf(campaigns: Campaign[], filters: Filters<DocumentFilters>): Column<Contract>[] {
  const documents = (contract: Contract, status: "signed" | "pending") =>
    filters.link({ ...USUAL, tab: "documents", contract: String(contract.id), status });
  return [
    {
      id: "name",
      title: "Name",
      cell: ({ name, default: isDefault }) => (
        <span class="row tight">
          {name}
          {isDefault && <Badge>Default</Badge>}
        </span>
      ),
    },
    { id: "campaigns", title: "For promoters of", cell: (contract) => scopeOf(contract, campaigns) },
    { id: "version", title: "Text of", cell: ({ contract_version: version }) => date(version.added_at) },
    {
      id: "signed",
      title: "Signed",
      isNumber: true,
      cell: (contract) => <a href={documents(contract, "signed")}>{count(contract.signed_count)}</a>,
    },
    {
      id: "pending",
      title: "Not signed",
      isNumber: true,
      cell: (contract) => <a href={documents(contract, "pending")}>{count(contract.pending_count)}</a>,
    },
  ];
}

function scopeOf({ campaign_ids: ids, default: isDefault }: Contract, campaigns: Campaign[]): string {
  const names = campaigns.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  if (isDefault) names.push(names.length === 0 ? "All campaigns without their own" : "all without their own");
  return names.join(", ") || "No promoter yet";
}

function actionsOf(edit: (contract: Contract) => void, reload: () => Promise<void>): Column<Contract> {
  return {
    id: "actions",
    title: "Actions",
    cell: (contract) => (
      <span class="row tight no-wrap">
        <button class="button little" onClick={() => edit(contract)}>
          Edit<span class="unseen"> {contract.name}</span>
        </button>
        <button class="button little" onClick={() => void remove(contract, reload)}>
          Delete<span class="unseen"> {contract.name}</span>
        </button>
      </span>
    ),
  };
}

async function remove({ id, name }: Contract, reload: () => Promise<void>): Promise<void> {
  const title = `Delete ${name}`;
  const text = "Promoters can't sign it any more. What they have signed stays, and you can still read it.";
  if (!(await ask({ title, text, action: title, isDanger: true }))) return;
  await tell(async () => {
    await answer(api.DELETE("/api/v2/company/contracts/{id}", { params: { path: { id } } }));
    await reload();
    return `${name} was deleted`;
  });
}
