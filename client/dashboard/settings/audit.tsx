import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { toDisk } from "../../ui/api/download.ts";
import type { operations } from "../../ui/api/types.ts";
import { endOf, startOf } from "../../ui/day.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { dateTime } from "../../ui/format.ts";
import { useFilters, type Filters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { Choose, Day, FoldedFilters, NoneFits, optionsOf } from "../../ui/table/filters.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { SavedViews } from "../saved-views.tsx";
import { ACTIONS, ACTORS, ENTITIES, type AuditEntry } from "./audit-words.ts";

type Query = NonNullable<operations["listAuditLog"]["parameters"]["query"]>;

const USUAL = { actor: "", action: "", entity: "", id: "", from: "", to: "", page: "1", sort: "" };

const columns = (show: (entry: AuditEntry) => void): Column<AuditEntry>[] => [
  {
    id: "what",
    title: "What",
    cell: (entry) => (
      <button class="link" onClick={() => show(entry)}>
        {whatOf(entry)}
      </button>
    ),
  },
  { id: "who", title: "Who", cell: whoOf },
  { id: "at", title: "When", cell: ({ at }) => dateTime(at) },
];

/** `/admin/settings/audit` */
export function AuditLog() {
  const filters = useFilters(USUAL);
  const list = useList(filters, ({ number, ...wanted }, signal) => {
    const query = { ...queryOf(wanted), page: number, per_page: PAGE_LENGTH };
    return page(api.GET("/api/v2/company/audit_log", { params: { query }, signal }));
  });
  const shown = useSignal<AuditEntry | null>(null);
  const save = () =>
    tell(async () => {
      const params = { query: queryOf(filters.values.value) };
      await answer(api.GET("/api/v2/company/audit_log/download", { params, fetch: toDisk }));
      return "The log is being downloaded";
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
      <AuditFilters filters={filters} />
      <Table
        caption="Audit log"
        columns={columns((entry) => (shown.value = entry))}
        list={list}
        empty={
          <NoneFits filters={filters} usual={USUAL} one="change">
            <NoneYet />
          </NoneFits>
        }
      />
      {shown.value && <EntryDialog entry={shown.value} onClose={() => (shown.value = null)} />}
    </Page>
  );
}

const FOLDED = ["actor", "action", "entity", "from", "to"] as const;

function AuditFilters({ filters }: { filters: Filters<typeof USUAL> }) {
  return (
    <div class="table-tools">
      <FoldedFilters filters={filters} usual={USUAL} names={FOLDED}>
        <Choose filters={filters} name="actor" label="Who" options={optionsOf("Anyone", ACTORS)} />
        <Choose
          filters={filters}
          name="action"
          label="What was done"
          options={optionsOf("Any change", ACTIONS)}
        />
        <Choose filters={filters} name="entity" label="To what" options={optionsOf("Anything", ENTITIES)} />
        <Day filters={filters} name="from" label="From" />
        <Day filters={filters} name="to" label="To" />
      </FoldedFilters>
      <SavedViews list="audit_log" filters={filters} usual={USUAL} />
    </div>
  );
}

function NoneYet() {
  return (
    <Empty title="Nothing has been changed yet">
      <p>Every change of settings, people, money and keys is recorded here, with its author.</p>
    </Empty>
  );
}

function queryOf({ actor, action, entity, id, from, to }: Omit<typeof USUAL, "page" | "sort">) {
  return {
    ...(actor && { "filters[actor]": actor as NonNullable<Query["filters[actor]"]> }),
    ...(action && { "filters[action]": action as AuditEntry["action"] }),
    ...(entity && { "filters[entity]": entity as AuditEntry["entity"] }),
    ...(id && { "filters[entity_id]": id }),
    ...(from && { "filters[at][from]": startOf(from) }),
    ...(to && { "filters[at][to]": endOf(to) }),
  };
}

/** `Changed: payout of Jane Doe (188)` */
function whatOf({ action, entity, entity_id: id, entity_name: name }: AuditEntry): string {
  const kind = `${ACTIONS[action]}: ${ENTITIES[entity].toLowerCase()}`;
  if (name === null) return `${kind} ${id}`;
  return `${kind} ${BELONGS.has(entity) ? "of " : ""}${name} (${id})`;
}

/** Records that are identified by their owner. */
const BELONGS: ReadonlySet<AuditEntry["entity"]> = new Set([
  "commission",
  "payout",
  "payout_method",
  "promoter_campaign",
]);

function whoOf({ actor }: AuditEntry): string {
  if (actor.name === null) return ACTORS[actor.kind];
  return actor.kind === "user" ? actor.name : `${actor.name} (${ACTORS[actor.kind].toLowerCase()})`;
}

/** A record's values before and after. */
function EntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { before, after } = entry;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <Dialog title={whatOf(entry)} onClose={onClose}>
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
