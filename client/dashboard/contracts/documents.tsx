import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { ContractFile } from "../../ui/contract-file.tsx";
import { ContractText } from "../../ui/contract-text.tsx";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { date, dateTime } from "../../ui/format.ts";
import type { Filters } from "../../ui/fragment.ts";
import { Choose, NoneFits, Only, optionsOf, SearchField } from "../../ui/table/filters.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { SavedViews } from "../saved-views.tsx";

type Document = components["schemas"]["ContractDocument"];

/** The filters of the page, with their defaults. */
export const USUAL = { tab: "contracts", q: "", status: "", contract: "", page: "1", sort: "" };
export type DocumentFilters = typeof USUAL;

const STATUSES = optionsOf("Signed or not", { signed: "Signed", pending: "Not signed" });

/** Who has signed which contract, and who is to. */
export function Documents({ filters }: { filters: Filters<DocumentFilters> }) {
  const list = useList(filters, ({ number, q, status, contract }, signal) => {
    const query = {
      page: number,
      per_page: PAGE_LENGTH,
      ...(q && { q }),
      ...(status && { "filters[status]": status as Document["status"] }),
      ...(contract && { "filters[contract_id]": Number(contract) }),
    };
    return page(api.GET("/api/v2/company/contract_documents", { params: { query }, signal }));
  });
  const shown = useSignal<Document | null>(null);
  return (
    <div class="stack">
      <div class="table-tools">
        <SearchField filters={filters} label="Search signatures" placeholder="Name or e-mail" />
        <Choose filters={filters} name="status" label="State" options={STATUSES} />
        <SavedViews list="signatures" filters={filters} usual={{ ...USUAL, tab: "documents" }} />
      </div>
      <Only filters={filters} name="contract" />
      <Table
        caption="Signatures"
        columns={columnsOf((document) => (shown.value = document))}
        list={list}
        empty={
          <NoneFits filters={filters} usual={{ ...USUAL, tab: "documents" }} one="signature">
            <Empty title="No one is to sign yet">
              <p>
                Promoters of the contracts' campaigns appear here. Add a contract on the tab “Contracts”
                first.
              </p>
            </Empty>
          </NoneFits>
        }
      />
      {shown.value && <Text of={shown.value} onClose={() => (shown.value = null)} />}
    </div>
  );
}

function columnsOf(show: (document: Document) => void): Column<Document>[] {
  return [
    {
      id: "promoter",
      title: "Promoter",
      cell: ({ promoter }) => (
        <div class="named">
          <a class="one-line" href={`/admin/promoters/${promoter.id}`}>
            {promoter.name}
          </a>
          <small class="one-line faint">{promoter.email}</small>
        </div>
      ),
    },
    { id: "contract", title: "Contract", cell: ({ contract }) => contract.name },
    {
      id: "version",
      title: "Text of",
      cell: ({ contract_version: version }) => date(version.added_at),
    },
    {
      id: "status",
      title: "State",
      cell: ({ status }) =>
        status === "signed" ? <Badge tone="good">Signed</Badge> : <Badge tone="warn">Not signed</Badge>,
    },
    { id: "signed", title: "Signed", cell: ({ signed_at: at }) => (at === null ? "–" : dateTime(at)) },
    { id: "ip", title: "From", cell: ({ signed_ip: ip }) => ip ?? "–" },
    {
      id: "actions",
      title: "Text",
      cell: (document) => {
        const { contract_version: version, contract, promoter } = document;
        const who = (
          <span class="unseen">
            {" "}
            the contract {contract.name} of {promoter.name}
          </span>
        );
        return version.content_hosted ? (
          <button class="button little" onClick={() => show(document)}>
            Read{who}
          </button>
        ) : (
          <a class="button little" href={version.external_link ?? ""} target="_blank" rel="noreferrer">
            Open{who}
          </a>
        );
      },
    },
  ];
}

function Text({ of, onClose }: { of: Document; onClose: () => void }) {
  const load = (type: "html" | "pdf", signal?: AbortSignal) => {
    const params = { path: { id: of.id }, query: { content_type: type } };
    return answer(api.GET("/api/v2/company/contract_documents/{id}", { params, ...(signal && { signal }) }));
  };
  const loaded = useLoad((signal) => load("html", signal), [of.id]);
  return (
    <Dialog title={`${of.contract.name}: ${of.promoter.name}`} onClose={onClose}>
      <Await loaded={loaded}>
        {({ data }) => (
          <div class="stack">
            <ContractText content={data.content} label={of.contract.name} />
            <ContractFile name={`${of.contract.name}, ${of.promoter.name}`} load={() => load("pdf")} />
          </div>
        )}
      </Await>
    </Dialog>
  );
}
