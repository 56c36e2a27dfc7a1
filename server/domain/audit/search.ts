import type { Span } from "../payout/filter.ts";
import { searchPage, type SearchRange } from "../../storage/listing/filter-search.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import type { Store } from "../../storage/store.ts";
import { auditEntries } from "./audit.ts";
import type { Actor, AuditAction, AuditEntry, AuditedEntity } from "./record.ts";

/** The entries to find. undefined: any. */
export interface AuditFilter {
  actor?: Actor["kind"] | undefined;
  actorId?: number | undefined;
  action?: AuditAction | undefined;
  entity?: AuditedEntity | undefined;
  entityId?: string | undefined;
  at?: Span | undefined;
}

type Range = SearchRange<keyof typeof auditEntries.indexes, keyof AuditFilter>;

/** Entries of the log, the newest first. */
export function listAuditEntries(
  store: Store,
  accountId: number,
  { filter, ...window }: Window & { filter: AuditFilter },
): Promise<Found<AuditEntry>> {
  const given = (Object.keys(filter) as (keyof AuditFilter)[]).filter((name) => filter[name] !== undefined);
  return searchPage(store, auditEntries, {
    accountId,
    given,
    ranges: rangesOf(filter),
    sorting: [{ by: "time", isDescending: true }],
    newJudge: () => Promise.resolve((entry: AuditEntry) => passes(entry, filter)),
    ...window,
  });
}

function rangesOf({ entity, entityId }: AuditFilter): Range[] {
  const ranges: Range[] = [{ index: "id", start: [], passes: [] }];
  if (entity !== undefined) ranges.push({ index: "entity", start: [entity], passes: ["entity"] });
  if (entity !== undefined && entityId !== undefined)
    ranges.push({ index: "entity", start: [entity, entityId], passes: ["entity", "entityId"] });
  return ranges;
}

function passes({ actor, action, entity, entityId, at }: AuditEntry, filter: AuditFilter): boolean {
  const time = Date.parse(at);
  const { from, before } = filter.at ?? { from: null, before: null };
  return (
    actor.kind === (filter.actor ?? actor.kind) &&
    actor.id === (filter.actorId ?? actor.id) &&
    action === (filter.action ?? action) &&
    entity === (filter.entity ?? entity) &&
    entityId === (filter.entityId ?? entityId) &&
    time >= (from ?? -Infinity) &&
    time < (before ?? Infinity)
  );
}
