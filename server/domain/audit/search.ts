import { sql, type SelectQueryBuilder, type SqlBool } from "kysely";
import { parse } from "../../storage/documents.ts";
import { findPage, isWithin, type Found, type Schema, type Window } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import { isoRange, type Span } from "../span.ts";
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

/** Entries that a download reads at once. */
const CHUNK = 1_000;

type AuditSchema = Schema<{ audits: typeof auditEntries }>;
type AuditQuestion = SelectQueryBuilder<AuditSchema, "audits", object>;

/** Entries of the log, the newest first. */
export function listAuditEntries(
  store: View,
  accountId: number,
  { filter, ...window }: Window & { filter: AuditFilter },
): Promise<Found<AuditEntry>> {
  const question = auditQuestion(store, accountId, filter).orderBy("at", "desc").orderBy("id", "desc");
  return findPage(store, auditEntries, { question, ...window });
}

/** All entries that pass a filter, the oldest first, in chunks. */
export async function* scanAuditEntries(
  store: View,
  accountId: number,
  filter: AuditFilter,
): AsyncGenerator<AuditEntry[]> {
  const all = auditQuestion(store, accountId, filter).select("doc").orderBy("at").orderBy("id").limit(CHUNK);
  let last: AuditEntry | undefined;
  do {
    const rest = last === undefined ? all : all.where(sql<SqlBool>`(at, id) > (${last.at}, ${last.id})`);
    const entries = (await store.rows(rest)).map(({ doc }) => parse(auditEntries, doc));
    yield entries;
    last = entries[CHUNK - 1];
  } while (last !== undefined);
}

function auditQuestion(view: View, accountId: number, filter: AuditFilter): AuditQuestion {
  const { actor, actorId, action, entity, entityId, at } = filter;
  let question: AuditQuestion = view
    .question<AuditSchema>()
    .selectFrom("audits")
    .where("account_id", "=", accountId);
  if (actor !== undefined) question = question.where("actor_kind", "=", actor);
  if (actorId !== undefined) question = question.where("actor_id", "=", actorId);
  if (action !== undefined) question = question.where("action", "=", action);
  if (entity !== undefined) question = question.where("entity", "=", entity);
  if (entityId !== undefined) question = question.where("entity_id", "=", entityId);
  return at === undefined ? question : question.where(isWithin("at", isoRange(at)));
}
