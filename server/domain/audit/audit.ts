import { table } from "../../storage/table.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { fieldChanges } from "./fields.ts";
import type { Actor, AuditAction, AuditEntry, AuditedEntity } from "./record.ts";

export const auditEntries = table<AuditEntry>()({
  name: "audit",
  columns: {
    id: "integer",
    at: "text",
    actor_kind: ["text", ({ actor }) => actor.kind],
    actor_id: ["integer", ({ actor }) => actor.id],
    action: "text",
    entity: "text",
    entity_id: "text",
    promoter_id: "integer",
    promoter_campaign_id: "integer",
    lead_id: "integer",
  },
  few: ["entity"],
  indexes: {
    time: { on: ["at"] },
    // All three in the order of time, so that a range of days is a part of them.
    kind: { on: ["entity", "at"] },
    entity: { on: ["entity", "entity_id", "at"] },
  },
});

/** A change of one record. */
export interface AuditedChange {
  accountId: number;
  entity: AuditedEntity;
  entityId: string;
  before: object | null;
  after: object | null;
}

/** Writes a change into the log, in the same commit. A change that nobody would look for leaves no entry. */
export async function writeAuditEntry(
  tx: Transaction,
  { store, actor, now }: { store: Store; actor: Actor; now: Date },
  change: AuditedChange,
): Promise<void> {
  const { accountId, entity, entityId, before, after } = change;
  const changes = fieldChanges(before, after);
  if (changes === null) return;
  await tx.insert(auditEntries, {
    accountId,
    id: await store.nextId("audit"),
    at: now.toISOString(),
    actor,
    action: actionOf(change),
    entity,
    entityId,
    ...subjectsOf(change),
    ...changes,
  });
}

/** Writes into the log that somebody of the company opens a promoter's portal. */
export async function writePortalView(
  tx: Transaction,
  { store, actor, now }: { store: Store; actor: Actor; now: Date },
  promoter: { accountId: number; id: number },
): Promise<void> {
  await tx.insert(auditEntries, {
    accountId: promoter.accountId,
    id: await store.nextId("audit"),
    at: now.toISOString(),
    actor,
    action: "viewed",
    entity: "promoter",
    entityId: String(promoter.id),
    ...subjectsOf({
      accountId: promoter.accountId,
      entity: "promoter",
      entityId: "",
      before: null,
      after: promoter,
    }),
    before: null,
    after: null,
  });
}

/** Writes into the log that somebody takes a file of all records of a kind. */
export async function writeExport(
  tx: Transaction,
  { store, actor, now }: { store: Store; actor: Actor; now: Date },
  { accountId, entity }: { accountId: number; entity: AuditedEntity },
): Promise<void> {
  await tx.insert(auditEntries, {
    accountId,
    id: await store.nextId("audit"),
    at: now.toISOString(),
    actor,
    action: "exported",
    entity,
    entityId: "all",
    promoterId: null,
    promoterCampaignId: null,
    leadId: null,
    before: null,
    after: null,
  });
}

function actionOf({ before, after }: AuditedChange): AuditAction {
  if (before === null) return "created";
  return after === null ? "deleted" : "updated";
}

/** The people that a record is about, by whom erasures find it. */
function subjectsOf({ entity, before, after }: AuditedChange) {
  const { id, promoterId, promoterCampaignId, leadId } = (after ?? before) as Record<string, unknown>;
  const numberOr = (value: unknown, fallback: number | null) =>
    typeof value === "number" ? value : fallback;
  const own = (kind: AuditedEntity) => (entity === kind ? numberOr(id, null) : null);
  return {
    promoterId: numberOr(promoterId, own("promoter")),
    promoterCampaignId: numberOr(promoterCampaignId, own("promoter_campaign")),
    leadId: numberOr(leadId, own("referral")),
  };
}
