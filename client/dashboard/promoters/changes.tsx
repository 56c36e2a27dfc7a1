import { api, page } from "../../ui/api/client.ts";
import { Empty } from "../../ui/feedback/state.tsx";
import { dateTime } from "../../ui/format.ts";
import type { Filters } from "../../ui/fragment.ts";
import { PAGE_LENGTH, useList, type ListFilters } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { ACTIONS, ACTORS, type AuditEntry } from "../settings/audit-words.ts";

const COLUMNS: Column<AuditEntry>[] = [
  { id: "at", title: "When", cell: ({ at }) => <span class="one-line">{dateTime(at)}</span> },
  { id: "actor", title: "Who", cell: ({ actor }) => actor.name ?? ACTORS[actor.kind] },
  { id: "action", title: "What", cell: ({ action }) => ACTIONS[action] },
  { id: "change", title: "Before and after", cell: (entry) => <Change entry={entry} /> },
];

/** The changes of a promoter, and who made them. */
export function PromoterChanges<F extends ListFilters>({ id, filters }: { id: number; filters: Filters<F> }) {
  const list = useList(filters, ({ number }, signal) => {
    const query = {
      "filters[entity]": "promoter" as const,
      "filters[entity_id]": String(id),
      page: number,
      per_page: PAGE_LENGTH,
    };
    return page(api.GET("/api/v2/company/audit_log", { params: { query }, signal }));
  });
  return (
    <Table
      caption="Changes"
      columns={COLUMNS}
      list={list}
      empty={
        <Empty title="Nothing has been changed yet">
          <p>Each change of this promoter is recorded here, with its author and the values before.</p>
        </Empty>
      }
    />
  );
}

/** The fields that differ. */
function Change({ entry: { before, after } }: { entry: AuditEntry }) {
  const names = Object.keys({ ...before, ...after });
  return (
    <dl class="facts small">
      {names.map((name) => (
        <>
          <dt>{name}</dt>
          <dd>
            <del>{words(before?.[name])}</del> {words(after?.[name])}
          </dd>
        </>
      ))}
    </dl>
  );
}

function words(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
