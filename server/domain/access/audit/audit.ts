import { sql, type RawBuilder, type SqlBool } from "kysely";
import { isHidden } from "../../../storage/marks.ts";
import { integer, json, table, text, time, type RowOf, type Table } from "../../../storage/table.ts";
import { isSameJson } from "../../../storage/digests.ts";
import { allOf, type Schema } from "../../../storage/query.ts";
import type { Store, Transaction, View } from "../../../storage/store.ts";
import type { Actor } from "../../context.ts";

/** The server's own jobs. */
export const PROCESS: Actor = { kind: "process", id: null, name: null };

/** A person who runs `tidemark` on the server. */
export const COMMAND_LINE: Actor = { kind: "command_line", id: null, name: null };

/**
 * `viewed`: a user viewed the portal as the promoter sees it. `exported`: all records of the kind were
 * downloaded. `imported`: a file of them was uploaded. `let_in`: a user made a sign-in link or a first
 * password for the promoter.
 */
export const AUDIT_ACTIONS = [
  "created",
  "updated",
  "deleted",
  "erased",
  "viewed",
  "exported",
  "imported",
  "let_in",
] as const;

/** The audited kinds of records, by their tables' names. */
export const AUDITED = {
  account: "account",
  "api-key": "api_key",
  "billing-connection": "billing_connection",
  campaign: "campaign",
  commission: "commission",
  "company-email": "email",
  contract: "contract",
  "contract-document": "contract_document",
  "custom-status": "custom_referral_status",
  "day-rates": "rates",
  invoice: "invoice",
  "invoice-agreement": "invoice_agreement",
  "invoice-text": "invoice_text",
  "email-layout": "email_layout",
  lead: "referral",
  migration: "migration",
  payment: "payment",
  "payment-connection": "payment_connection",
  "payments-batch": "payments_batch",
  payout: "payout",
  "payout-hold": "payout_hold",
  "payout-method": "payout_method",
  product: "product",
  "promo-code": "promo_code",
  promoter: "promoter",
  "promoter-campaign": "promoter_campaign",
  reward: "reward",
  "saved-view": "saved_view",
  "stripe-account": "stripe_account",
  switch: "switch",
  "tax-details": "tax_details",
  user: "user",
  webhook: "webhook",
} as const;

export type AuditedEntity = (typeof AUDITED)[keyof typeof AUDITED];

const fields = {
  id: integer(),
  at: time(),
  actor: json<Actor>().personal((actor) => ({ ...actor, name: null })),
  action: text<AuditAction>(),
  entity: text<AuditedEntity>(),
  /** The record's id as text. */
  entity_id: text(),
  /** The promoter, the promoter campaign and the lead that the record is about, or null. */
  promoter_id: integer().nullable(),
  promoter_campaign_id: integer().nullable(),
  lead_id: integer().nullable(),
  /** The changed fields, before and after. Null: the record was new or is gone, or the person was erased. */
  before: json<AuditedFields>().nullable().personal(),
  after: json<AuditedFields>().nullable().personal(),
};

/** One change of one record, written in the commit that made it. */
export type AuditEntry = RowOf<typeof fields>;

type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Fields of a record by name. Secrets are replaced by `hidden`. */
export type AuditedFields = Record<string, unknown>;

export const auditEntries = table("audit", fields, {
  derived: {
    actor_kind: ["text", ({ actor }) => actor.kind],
    actor_id: ["integer", ({ actor }) => actor.id],
  },
  few: ["entity"],
  indexes: {
    time: { on: ["at"] },
    // All three are ordered by time, so that a range of days is a range of the index.
    kind: { on: ["entity", "at"] },
    entity: { on: ["entity", "entity_id", "at"] },
  },
});

/** A change of one record. */
export interface AuditedChange {
  account_id: number;
  /** The record's table. */
  of: Pick<Table<never>, "fields">;
  entity: AuditedEntity;
  entity_id: string;
  before: object | null;
  after: object | null;
}

/** Writes a change into the log, in the same commit. Changes of mere bookkeeping leave no entry. */
export async function writeAuditEntry(
  tx: Transaction,
  { store, actor, now }: { store: Store; actor: Actor; now: Date },
  change: AuditedChange,
): Promise<void> {
  const { account_id, entity, entity_id } = change;
  const changes = fieldChanges(change);
  if (changes === null) return;
  await tx.insert(auditEntries, {
    account_id,
    id: await store.nextId("audit"),
    at: now.toISOString(),
    actor,
    action: actionOf(change),
    entity,
    entity_id,
    ...subjectsOf(change),
    ...changes,
  });
}

/** Logs that a user opens a promoter's portal, for themselves or for the promoter. */
export async function writePromoterAccess(
  tx: Transaction,
  { store, actor, now }: { store: Store; actor: Actor; now: Date },
  { action, promoter }: { action: "viewed" | "let_in"; promoter: { account_id: number; id: number } },
): Promise<void> {
  await tx.insert(auditEntries, {
    account_id: promoter.account_id,
    id: await store.nextId("audit"),
    at: now.toISOString(),
    actor,
    action,
    entity: "promoter",
    entity_id: String(promoter.id),
    ...subjectsOf({ entity: "promoter", before: null, after: promoter }),
    before: null,
    after: null,
  });
}

/** Logs a download of all records of a kind. */
export async function writeExport(
  tx: Transaction,
  { store, actor, now }: { store: Store; actor: Actor; now: Date },
  { account_id, entity }: { account_id: number; entity: AuditedEntity },
): Promise<void> {
  await tx.insert(auditEntries, {
    account_id,
    id: await store.nextId("audit"),
    at: now.toISOString(),
    actor,
    action: "exported",
    entity,
    entity_id: "all",
    promoter_id: null,
    promoter_campaign_id: null,
    lead_id: null,
    before: null,
    after: null,
  });
}

/** Logs an upload of a file of records. The records are history and get no entries of their own. */
export async function writeImport(
  tx: Transaction,
  { store, actor, now }: { store: Store; actor: Actor; now: Date },
  { account_id, entity, file }: { account_id: number; entity: AuditedEntity; file: AuditedFields },
): Promise<void> {
  await tx.insert(auditEntries, {
    account_id,
    id: await store.nextId("audit"),
    at: now.toISOString(),
    actor,
    action: "imported",
    entity,
    entity_id: "all",
    promoter_id: null,
    promoter_campaign_id: null,
    lead_id: null,
    before: null,
    after: file,
  });
}

/** The number of entries that a download reads at a time. */
const CHUNK = 1_000;

/** All entries that meet the conditions, the oldest first, in chunks. */
export async function* scanAuditEntries(
  store: View,
  accountId: number,
  conditions: readonly RawBuilder<SqlBool>[],
): AsyncGenerator<AuditEntry[]> {
  const ofAccount = store
    .query<Schema<{ audits: typeof auditEntries }>>()
    .selectFrom("audits")
    .where("account_id", "=", accountId);
  const all = conditions
    .reduce((query, condition) => query.where(condition), ofAccount)
    .select(allOf(auditEntries))
    .orderBy("at")
    .orderBy("id")
    .limit(CHUNK);
  let last: AuditEntry | undefined;
  do {
    const rest = last === undefined ? all : all.where(sql<SqlBool>`(at, id) > (${last.at}, ${last.id})`);
    const entries = (await store.rows(rest)).map((row) => store.record(auditEntries, row)!);
    yield entries;
    last = entries[CHUNK - 1];
  } while (last !== undefined);
}

/** They change along with other fields, or with every sign-in. */
const BOOKKEEPING = new Set([
  "updated_at",
  "customer_history",
  "last_sign_in_at",
  "last_login_at",
  "visit",
  "sign_in_count",
  "asked_at",
  "checked_at",
  "next_ask_at",
  "sent_count",
  "ran_at",
]);

/** The fields of a record that changed, or null if none is worth logging. */
function fieldChanges({ of, before, after }: AuditedChange): Pick<AuditEntry, "before" | "after"> | null {
  if (before === null || after === null) return { before: shown(of, before), after: shown(of, after) };
  const old = new Map(Object.entries(before));
  const changed = Object.entries({ ...before, ...after })
    .map(([name]) => name)
    .filter((name) => !isSameJson(old.get(name), valueIn(after, name)));
  if (changed.every((name) => BOOKKEEPING.has(name) || joinsPayout(name, old))) return null;
  return { before: shown(of, before, changed), after: shown(of, after, changed) };
}

/** They identify the record itself. */
const IDENTIFYING = new Set(["account_id", "id"]);

function shown(of: AuditedChange["of"], record: null | object, only?: string[]): AuditedFields | null {
  if (record === null) return null;
  const names = only ?? Object.keys(record);
  const fields = names.filter((name) => !IDENTIFYING.has(name) && !BOOKKEEPING.has(name));
  return Object.fromEntries(fields.map((name) => [name, kept(of, name, valueIn(record, name))]));
}

/** Papers, and other programs' documents. The log only says that they changed, because each may be long. */
const LONG = new Set(["details", "metadata"]);

/** Replaces a value that must not be stored a second time. It shows that the value changed. */
const HIDDEN = "hidden";

function kept(of: AuditedChange["of"], name: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  return LONG.has(name) || isHidden(of, name) ? HIDDEN : value;
}

function valueIn(record: object, name: string): unknown {
  return (record as Record<string, unknown>)[name];
}

/**
 * A commission that joins a payout leaves no entry, because a run would add thousands. The payout has one,
 * and the commission names its payout.
 *
 * @see docs/spec/common.md "Audit log"
 */
function joinsPayout(name: string, old: ReadonlyMap<string, unknown>): boolean {
  return name === "payout_id" && old.get(name) === null;
}

function actionOf({ before, after }: AuditedChange): AuditAction {
  if (before === null) return "created";
  return after === null ? "deleted" : "updated";
}

/** The people that a record is about, so that an erasure finds it. */
function subjectsOf({ entity, before, after }: Pick<AuditedChange, "entity" | "before" | "after">) {
  const { id, promoter_id, promoter_campaign_id, lead_id } = (after ?? before) as Record<string, unknown>;
  const numberOr = (value: unknown, fallback: number | null) =>
    typeof value === "number" ? value : fallback;
  const own = (kind: AuditedEntity) => (entity === kind ? numberOr(id, null) : null);
  return {
    promoter_id: numberOr(promoter_id, own("promoter")),
    promoter_campaign_id: numberOr(promoter_campaign_id, own("promoter_campaign")),
    lead_id: numberOr(lead_id, own("referral")),
  };
}
