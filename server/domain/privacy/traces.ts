import type { Store, Transaction } from "../../storage/store.ts";
import { isSameJson } from "../../storage/digests.ts";
import { auditEntries, PROCESS, type AuditedFields, type AuditEntry } from "../access/audit/audit.ts";
import type { Context } from "../context.ts";
import { leads } from "../people/lead/lead.ts";
import { nameKey, originKeys, originNames, type Origin } from "../people/origin.ts";
import { pastClicks, visitors } from "../people/visitor/visitor.ts";
import { NAMING_FIELDS, type Erased } from "./events.ts";

/** Logs who erased a person, in the same commit. */
export async function logErasure(
  tx: Transaction,
  { store, now, actor = PROCESS }: Context,
  { account_id, entity, id }: { account_id: number; entity: "promoter" | "referral"; id: number },
): Promise<void> {
  await tx.insert(auditEntries, {
    account_id,
    id: await store.nextId("audit"),
    at: now.toISOString(),
    actor,
    action: "erased",
    entity,
    entity_id: String(id),
    promoter_id: entity === "promoter" ? id : null,
    promoter_campaign_id: null,
    lead_id: entity === "referral" ? id : null,
    before: null,
    after: null,
  });
}

/** Entries in one commit: enough to share its cost, few enough to let other requests in. */
const CHANGED_AT_ONCE = 25;

/** Erases a person from the audit log. It still shows when their records changed, and by whom. */
export async function eraseAuditEntries(store: Store, erased: Erased): Promise<void> {
  for await (const chunk of store.scan(auditEntries, "id", erased.account_id, [])) {
    const concerned = chunk.filter((entry) => !isSameJson(entry, nameless(entry, erased)));
    for (let at = 0; at < concerned.length; at += CHANGED_AT_ONCE) {
      await store.transact(async (tx) => {
        for (const entry of concerned.slice(at, at + CHANGED_AT_ONCE)) {
          await tx.put(auditEntries, nameless(entry, erased));
        }
      });
    }
  }
}

interface Originated extends Origin {
  promoter_id: number;
}

/**
 * Forgets the names of the sites and pages that only one promoter's visitors came from: a blog may have its
 * author's name. Reports count them as "other" from now on.
 */
export async function forgetOrigins(store: Store, accountId: number, promoterId: number): Promise<void> {
  const [own, others] = [new Set<string>(), new Set<string>()];
  const note = (records: Originated[]) => {
    for (const record of records) {
      const keys = record.promoter_id === promoterId ? own : others;
      for (const [, key] of originKeys(record)) keys.add(key);
    }
  };
  for await (const chunk of store.scan(visitors, "id", accountId, [])) note(chunk);
  for await (const chunk of store.scan(pastClicks, "id", accountId, [])) note(chunk);
  for await (const chunk of store.scan(leads, "id", accountId, [])) note(chunk);
  for await (const chunk of store.scan(originNames, "id", accountId, [])) {
    for (const { kind, name } of chunk) {
      const key = nameKey(name);
      if (!own.has(key) || others.has(key)) continue;
      await store.transact((tx) => tx.remove(originNames, accountId, kind, key));
    }
  }
}

function nameless(entry: AuditEntry, erased: Erased): AuditEntry {
  const actor = isThem(entry.actor, erased) ? { ...entry.actor, name: null } : entry.actor;
  if (!concerns(entry, erased)) return { ...entry, actor };
  if (isOwn(entry, erased)) return { ...entry, actor, before: null, after: null };
  const names = NAMING_FIELDS[entry.entity] ?? [];
  return { ...entry, actor, before: without(names, entry.before), after: without(names, entry.after) };
}

function isThem(actor: AuditEntry["actor"], erased: Erased): boolean {
  return actor.kind === "promoter" && "promoter_id" in erased && actor.id === erased.promoter_id;
}

function concerns({ promoter_id, promoter_campaign_id, lead_id }: AuditEntry, erased: Erased): boolean {
  if ("lead_id" in erased) return lead_id === erased.lead_id;
  if (promoter_id === erased.promoter_id) return true;
  return promoter_campaign_id !== null && erased.promoter_campaign_ids.has(promoter_campaign_id);
}

/** Whether the record is the person's alone. A promoter's leads are other people. */
function isOwn({ entity }: AuditEntry, erased: Erased): boolean {
  return !(entity in NAMING_FIELDS) || (entity === "referral" && "lead_id" in erased);
}

function without(names: readonly string[], fields: AuditedFields | null): AuditedFields | null {
  return fields && Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
