import { useSignal } from "@preact/signals";
import { api, page } from "../../ui/api/client.ts";
import { download } from "../../ui/api/download.ts";
import type { components, operations } from "../../ui/api/types.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { dateTime } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { Choose } from "../../ui/table/choose.tsx";
import { Day } from "../../ui/table/day.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";

type Entry = components["schemas"]["AuditEntry"];
type Query = NonNullable<operations["listAuditLog"]["parameters"]["query"]>;

const USUAL = { actor: "", action: "", entity: "", id: "", from: "", to: "", page: "1", sort: "" };

const ACTORS: Record<Entry["actor"]["kind"], string> = {
  user: "Somebody of the team",
  key: "An API key",
  promoter: "A promoter",
  command_line: "The command line",
  process: "The server itself",
};
const ACTIONS: Record<Entry["action"], string> = {
  created: "Made",
  updated: "Changed",
  deleted: "Deleted",
  erased: "Erased",
  viewed: "Looked at",
  exported: "Exported",
};
const ENTITIES: Record<Entry["entity"], string> = {
  account: "Account",
  api_key: "API key",
  billing_connection: "Billing connection",
  campaign: "Campaign",
  commission: "Commission",
  rates: "Exchange rates",
  referral: "Lead",
  payments_batch: "Payments batch",
  payout: "Payout",
  payout_method: "Payout method",
  product: "Product",
  promo_code: "Promo code",
  promoter: "Promoter",
  promoter_campaign: "Promoter in a campaign",
  reward: "Reward",
  user: "User",
  webhook: "Webhook",
};

const options = (any: string, words: Record<string, string>): [string, string][] => [
  ["", any],
  ...Object.entries(words),
];

const columns = (show: (entry: Entry) => void): Column<Entry>[] => [
  {
    id: "what",
    title: "What",
    cell: (entry) => (
      <button class="link" onClick={() => show(entry)}>
        {ACTIONS[entry.action]}: {ENTITIES[entry.entity].toLowerCase()} {entry.entity_id}
      </button>
    ),
  },
  { id: "who", title: "Who", cell: whoOf },
  { id: "at", title: "When", cell: ({ at }) => dateTime(at) },
];

/** `/admin/settings/audit` */
export function AuditLog() {
  const filters = useFilters(USUAL);
  /** How far back the server has looked. null: to the beginning. */
  const searchedUntil = useSignal<string | null>(null);
  const list = useList(filters, async ({ number, ...wanted }, signal) => {
    const query = { ...queryOf(wanted), page: number, per_page: PAGE_LENGTH };
    const call = await api.GET("/api/v2/company/audit_log", { params: { query }, signal });
    searchedUntil.value = call.response.headers.get("searched-until");
    return page(Promise.resolve(call));
  });
  const shown = useSignal<Entry | null>(null);
  const save = () =>
    tell(async () => {
      const params = { query: queryOf(filters.values.value) };
      await download(api.GET("/api/v2/company/audit_log/download", { params, parseAs: "blob" }));
      return "The log was downloaded";
    });
  return (
    <Page
      title="Audit log"
      actions={
        <button class="button" onClick={() => void save()}>
          Download CSV
        </button>
      }
    >
      <div class="table-tools">
        <Choose filters={filters} name="actor" label="Who" options={options("Anybody", ACTORS)} />
        <Choose
          filters={filters}
          name="action"
          label="What was done"
          options={options("Any change", ACTIONS)}
        />
        <Choose filters={filters} name="entity" label="To what" options={options("Anything", ENTITIES)} />
        <Day filters={filters} name="from" label="From" />
        <Day filters={filters} name="to" label="To" />
      </div>
      {searchedUntil.value !== null && (
        <div class="notice" role="status">
          <span>
            The newest 10,000 changes were searched, back to {dateTime(searchedUntil.value)}. Choose an
            earlier last day to search further.
          </span>
        </div>
      )}
      <Table
        caption="Audit log"
        columns={columns((entry) => (shown.value = entry))}
        list={list}
        empty={
          <Empty title="No such change">
            <p>Every change of settings, people, money and keys is noted here, with who made it.</p>
            <button class="button" onClick={() => filters.set(USUAL)}>
              Show all changes
            </button>
          </Empty>
        }
      />
      {shown.value && <EntryDialog entry={shown.value} onClose={() => (shown.value = null)} />}
    </Page>
  );
}

function queryOf({ actor, action, entity, id, from, to }: Omit<typeof USUAL, "page" | "sort">) {
  return {
    ...(actor && { "filters[actor]": actor as NonNullable<Query["filters[actor]"]> }),
    ...(action && { "filters[action]": action as Entry["action"] }),
    ...(entity && { "filters[entity]": entity as Entry["entity"] }),
    ...(id && { "filters[entity_id]": id }),
    ...(from && { "filters[at][from]": from }),
    ...(to && { "filters[at][to]": to }),
  };
}

function whoOf({ actor }: Entry): string {
  return actor.name === null ? ACTORS[actor.kind] : `${actor.name} (${ACTORS[actor.kind].toLowerCase()})`;
}

/** What a record held before and after. */
function EntryDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { action, entity, entity_id: id, before, after } = entry;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <Dialog title={`${ACTIONS[action]}: ${ENTITIES[entity].toLowerCase()} ${id}`} onClose={onClose}>
      <div class="stack">
        <p class="soft">
          {whoOf(entry)}, {dateTime(entry.at)}
        </p>
        <dl class="facts">
          {names.map((name) => (
            <>
              <dt>{name}</dt>
              <dd>
                {before && <del>{written(before[name])}</del>} {after && <ins>{written(after[name])}</ins>}
              </dd>
            </>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}

function written(value: unknown): string {
  if (value === undefined || value === null) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
