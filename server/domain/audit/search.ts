import type { Span } from "../span.ts";
import { lengthCounter } from "../../storage/collection.ts";
import type { Key } from "../../storage/keys.ts";
import { searchNewest } from "../../storage/listing/newest.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import type { Between, Store } from "../../storage/store.ts";
import { auditEntries } from "./audit.ts";
import type { Actor, AuditAction, AuditEntry, AuditedEntity } from "./record.ts";

/** Entries that one search reads at most. Indexes know kind, record and time of an entry, and it must be read for the rest. */
const MOST_READ = 10_000;

/** The entries to find. undefined: any. */
export interface AuditFilter {
  actor?: Actor["kind"] | undefined;
  actorId?: number | undefined;
  action?: AuditAction | undefined;
  entity?: AuditedEntity | undefined;
  entityId?: string | undefined;
  at?: Span | undefined;
}

/** A page of entries. */
export interface FoundEntries extends Found<AuditEntry> {
  /** Entries before this instant were not looked at, and are not in the total. null: all were. */
  searchedUntil: string | null;
}

/** Entries of the log, the newest first. */
export async function listAuditEntries(
  store: Store,
  accountId: number,
  { filter, limit, offset }: Window & { filter: AuditFilter },
): Promise<FoundEntries> {
  const { index, start, between } = rangeOf(filter);
  if (isIndexed(filter)) {
    const total =
      between === undefined
        ? await store.sum(accountId, lengthCounter(auditEntries, lengthOf(index), start))
        : await store.count(auditEntries, index, accountId, start, between);
    const page = { limit, offset, total, reverse: true, between };
    return {
      records: await store.page(auditEntries, index, accountId, start, page),
      total,
      searchedUntil: null,
    };
  }
  const { records, stoppedAt } = await searchNewest(store, auditEntries, {
    accountId,
    index,
    start,
    between,
    keeps: (entry) => passes(entry, filter),
    mostRead: MOST_READ,
  });
  const shown = records.slice(offset, offset + limit);
  return { records: shown, total: records.length, searchedUntil: stoppedAt?.at ?? null };
}

/** All entries that pass a filter, the oldest first, in chunks. */
export async function* scanAuditEntries(
  store: Store,
  accountId: number,
  filter: AuditFilter,
): AsyncGenerator<AuditEntry[]> {
  const { index, start, between } = rangeOf(filter);
  for await (const chunk of store.scan(auditEntries, index, accountId, start, between)) {
    yield chunk.filter((entry) => passes(entry, filter));
  }
}

type Index = keyof typeof auditEntries.indexes;

/** The shortest part of an index that holds all matches. Each is in the order of time. */
function rangeOf({ entity, entityId, at }: AuditFilter): { index: Index; start: Key; between?: Between } {
  // No instant is later, or earlier.
  const between = at && { from: at.from ?? 0, before: at.before ?? Number.MAX_SAFE_INTEGER };
  const within = between === undefined ? {} : { between };
  if (entity === undefined) return { index: "time", start: [], ...within };
  if (entityId === undefined) return { index: "kind", start: [entity], ...within };
  return { index: "entity", start: [entity, entityId], ...within };
}

/** Whether the range of a filter holds nothing but matches. */
function isIndexed({ actor, actorId, action, entity, entityId }: AuditFilter): boolean {
  const hasRecord = entityId === undefined || entity !== undefined;
  return hasRecord && actor === undefined && actorId === undefined && action === undefined;
}

/** The listing whose length is kept: that of all entries is the one of their ids. */
function lengthOf(index: Index): Index | "id" {
  return index === "time" ? "id" : index;
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
