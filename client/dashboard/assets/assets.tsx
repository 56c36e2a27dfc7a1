import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { count } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { may } from "../session/session.ts";
import { AssetDialog } from "./asset-dialog.tsx";
import { loadAssets, TYPES, type Asset } from "./query.ts";

const COLUMNS: Column<Asset>[] = [
  { id: "name", title: "Name", cell: (asset) => <Name of={asset} /> },
  { id: "type", title: "Type", cell: (asset) => new Map(TYPES).get(asset.asset_type) },
  { id: "category", title: "Category", cell: ({ category }) => category?.name ?? "–" },
  {
    id: "campaigns",
    title: "Campaigns",
    cell: ({ allowed_campaigns: allowed }) => allowed.map(({ name }) => name).join(", ") || "All",
  },
  { id: "clicks", title: "Clicks", isNumber: true, cell: (asset) => count(asset.clicks_count) },
];

/** `/admin/assets`: what promoters can use. */
export function Assets() {
  const filters = useFilters({ page: "1", sort: "" });
  const list = useList(filters, ({ number }, signal) => loadAssets(number, signal));
  const edited = useSignal<Asset | "new" | null>(null);
  const add = () => (edited.value = "new");
  return (
    <Page
      title="Assets"
      actions={
        may("manager") && (
          <button class="button main" onClick={add}>
            Add an asset
          </button>
        )
      }
    >
      <Table
        caption="Assets"
        columns={
          may("manager") ? [...COLUMNS, actionsOf((asset) => (edited.value = asset), list.reload)] : COLUMNS
        }
        list={list}
        empty={
          <Empty title="No assets yet">
            <p>
              Banners, texts, pages and documents that you add here appear in the promoters' portal, each with
              the promoter's own link.
            </p>
            {may("manager") && (
              <button class="button" onClick={add}>
                Add an asset
              </button>
            )}
          </Empty>
        }
      />
      {edited.value && (
        <AssetDialog
          asset={edited.value === "new" ? null : edited.value}
          reload={list.reload}
          onClose={() => (edited.value = null)}
        />
      )}
    </Page>
  );
}

function Name({ of: { name, url, thumbnail_url: thumbnail, details } }: { of: Asset }) {
  // Images of other servers are not loaded, because those servers could track the user.
  const isOurs = details.file_format !== null;
  return (
    <span class="row tight">
      {thumbnail !== null && isOurs && <img class="thumbnail" src={thumbnail} alt="" loading="lazy" />}
      {url === null ? name : <a href={url}>{name}</a>}
    </span>
  );
}

function actionsOf(edit: (asset: Asset) => void, reload: () => Promise<void>): Column<Asset> {
  return {
    id: "actions",
    title: "Actions",
    cell: (asset) => (
      <span class="row tight no-wrap">
        <button class="button little" onClick={() => edit(asset)}>
          Edit<span class="unseen"> {asset.name}</span>
        </button>
        <button class="button little" onClick={() => void remove(asset, reload)}>
          Delete<span class="unseen"> {asset.name}</span>
        </button>
      </span>
    ),
  };
}

async function remove({ id, name, details }: Asset, reload: () => Promise<void>): Promise<void> {
  const title = `Delete ${name}`;
  const text =
    details.file_format === null
      ? "Promoters no longer see it. Links that they have copied keep working."
      : "Its file is deleted too, so it disappears from sites that show it. Links keep working.";
  if (!(await ask({ title, text, action: title, isDanger: true }))) return;
  await tell(async () => {
    await answer(api.DELETE("/api/v2/company/assets/destroy", { body: { ids: [id] } }));
    await reload();
    return `${name} was deleted`;
  });
}
