import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Copyable } from "../../ui/feedback/copy.tsx";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { may } from "../session/session.ts";
import { PromoCodeDialog } from "./promo-code-dialog.tsx";
import { loadPromoCodes, type PromoCode } from "./query.ts";

const COLUMNS: Column<PromoCode>[] = [
  { id: "code", title: "Code", cell: ({ code }) => <Copyable text={code} of={`the code ${code}`} /> },
  { id: "promoter", title: "Promoter", cell: ({ owner }) => <Owner owner={owner} /> },
  { id: "reward", title: "The customer gets", cell: ({ reward }) => reward.name },
  { id: "description", title: "Description", cell: ({ description }) => description ?? "–" },
  {
    id: "state",
    title: "State",
    cell: ({ archived_at: at }) =>
      at === null ? <Badge tone="good">In use</Badge> : <Badge>Archived</Badge>,
  },
];

/** `/admin/promo-codes` */
export function PromoCodes() {
  const filters = useFilters({ page: "1", sort: "" });
  const list = useList(filters, ({ number }, signal) => loadPromoCodes(number, signal));
  const edited = useSignal<PromoCode | "new" | null>(null);
  const add = () => (edited.value = "new");
  const edit = (code: PromoCode) => (edited.value = code);
  return (
    <Page
      title="Promo codes"
      actions={
        may("manager") && (
          <button class="button main" onClick={add}>
            Add a promo code
          </button>
        )
      }
    >
      <Table
        caption="Promo codes"
        columns={may("manager") ? [...COLUMNS, actionsOf(edit, list.reload)] : COLUMNS}
        list={list}
        empty={<NoCodes add={add} />}
      />
      {edited.value && (
        <PromoCodeDialog
          code={edited.value === "new" ? null : edited.value}
          reload={list.reload}
          onClose={() => (edited.value = null)}
        />
      )}
    </Page>
  );
}

function actionsOf(edit: (code: PromoCode) => void, reload: () => Promise<void>): Column<PromoCode> {
  return {
    id: "actions",
    title: "Actions",
    cell: (code) =>
      code.archived_at === null && (
        <span class="row tight no-wrap">
          <button class="button little" onClick={() => edit(code)}>
            Edit<span class="unseen"> {code.code}</span>
          </button>
          <button class="button little" onClick={() => archive(code, reload)}>
            Archive<span class="unseen"> {code.code}</span>
          </button>
        </span>
      ),
  };
}

function NoCodes({ add }: { add: () => void }) {
  return (
    <Empty title="No promo codes yet">
      <p>
        Customers type a promo code at the checkout. The sale counts as the promoter's, even without a click
        on their link.
      </p>
      {may("manager") && (
        <button class="button" onClick={add}>
          Add a promo code
        </button>
      )}
    </Empty>
  );
}

function Owner({ owner }: Pick<PromoCode, "owner">) {
  if (owner === null) return <>Was deleted</>;
  const { promoter, campaign } = owner;
  return (
    <span>
      <a href={`/admin/promoters/${promoter.id}`}>{promoter.name}</a>{" "}
      <small class="faint">in {campaign.name}</small>
    </span>
  );
}

async function archive({ id, code }: PromoCode, reload: () => Promise<void>): Promise<void> {
  const title = `Archive ${code}`;
  const text = "Sales with this code no longer count for the promoter. The code can be given to another one.";
  if (!(await ask({ title, text, action: title, isDanger: true }))) return;
  await tell(async () => {
    await answer(api.DELETE("/api/v2/company/promo_codes/{id}", { params: { path: { id } } }));
    await reload();
    return `${code} was archived`;
  });
}
