import type { AuditedEntity } from "../access/audit/audit.ts";
import { SYSTEM, type Context } from "../context.ts";
import { deliveries, dropDelivery, type Delivery } from "../events/webhook/delivery.ts";
import type { EventMessage } from "../events/event-type.ts";
import { facts, type Fact } from "../events/event.ts";
import { recordChangeOf } from "../ledger/announcement.ts";
import { commissions } from "../ledger/commission/commission.ts";
import { payments } from "../ledger/payment/payment.ts";
import { payouts } from "../ledger/payout/payout.ts";
import { marked } from "../../storage/marks.ts";
import { keyOf } from "../../storage/record.ts";
import { isSameJson } from "../../storage/digests.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { countErasure } from "../people/erased.ts";

/** Larger commits would disturb the sending. */
const CHANGED_AT_ONCE = 25;

/** The erased person: a lead, or a promoter with their promoter campaigns. */
export type Erased =
  | { account_id: number; lead_id: number }
  | { account_id: number; promoter_id: number; promoter_campaign_ids: ReadonlySet<number> };

/**
 * The records that stay when a person is erased, in the books or because they are about another person, with their fields that
 * may contain the name: banks' errors and companies' notes. All of a promoter's lead is the lead's, but the name of the channel.
 */
export const NAMING_FIELDS: Partial<Record<AuditedEntity, readonly string[]>> = {
  commission: marked(commissions, "isPersonal"),
  payment: marked(payments, "isPersonal"),
  payments_batch: [],
  payout: marked(payouts, "isPersonal"),
  referral: ["sub_id"],
};

/**
 * Erases a person from sent and waiting events. Events about the person and e-mails to them are removed, even
 * unsent ones, so that no personal data is sent after an erasure. Events about others and about money that
 * only mention the person are kept and sent without the name.
 *
 * @see docs/spec/states.md "Erasures"
 */
export async function eraseEvents(context: Context, erased: Erased): Promise<void> {
  const { store } = context;
  // The person's own records are erased already. The new count stops every copy that was read before.
  await countErasure(store, erased.account_id);
  // Facts first: a fact that becomes a delivery meanwhile is found among the deliveries.
  const { account_id } = erased;
  const starts =
    "lead_id" in erased
      ? [
          [account_id, "referral", erased.lead_id],
          [account_id, "commission"],
        ]
      : [[account_id]];
  for (const start of starts) {
    for await (const chunk of store.scan(facts, "id", SYSTEM, start)) {
      await changeAll(store, chunk, (tx, fact) => eraseFact(tx, fact, erased));
    }
  }
  for await (const chunk of store.scan(deliveries, "id", SYSTEM, [])) {
    const concerned = chunk.filter((each) => concerns(each, erased));
    await changeAll(store, concerned, (tx, { id }) => eraseDelivery(tx, context, { id, erased }));
  }
}

/**
 * Changes a few per commit. One by one, a hundred thousand would take minutes, and would still be sent
 * meanwhile.
 */
async function changeAll<R>(
  store: Store,
  records: R[],
  change: (tx: Transaction, record: R) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < records.length; at += CHANGED_AT_ONCE) {
    await store.transact(async (tx) => {
      for (const record of records.slice(at, at + CHANGED_AT_ONCE)) await change(tx, record);
    });
  }
}

async function eraseFact(tx: Transaction, found: Fact, erased: Erased): Promise<void> {
  const key = keyOf(facts, found);
  const fact = await tx.get(facts, SYSTEM, ...key);
  const change = fact && (await recordChangeOf(tx, fact));
  if (fact === null || change === null) return;
  const record = (change.after ?? change.before) as unknown as Json;
  if (isSubject({ ...fact, data: record }, erased)) return tx.remove(facts, SYSTEM, ...key);
  const [owner, id] = "lead_id" in erased ? ["lead_id", erased.lead_id] : ["promoter_id", erased.promoter_id];
  if (record[owner] !== id) return;
  await tx.put(facts, { ...fact, before: unnamed(fact, fact.before), after: unnamed(fact, fact.after) });
}

function unnamed({ entity }: Fact, record: Fact["after"]): Fact["after"] {
  if (record === null) return null;
  const blank = NAMING_FIELDS[entity]?.filter((field) => field in record).map((field) => [field, null]);
  return { ...record, ...Object.fromEntries(blank ?? []) };
}

async function eraseDelivery(
  tx: Transaction,
  context: Context,
  { id, erased }: { id: number; erased: Erased },
): Promise<void> {
  const delivery = await tx.get(deliveries, SYSTEM, id);
  if (delivery === null) return;
  const { message } = delivery;
  if (message === null || isSubject(message, erased)) {
    return dropDelivery(tx, delivery, context.now);
  }
  // Receivers may have echoed the event in their answers.
  await tx.put(deliveries, { ...delivery, message: nameless(message, erased), response_body: null });
}

function concerns({ owner_id, message, email }: Delivery, erased: Erased): boolean {
  if (owner_id !== erased.account_id) return false;
  if (message === null) return "promoter_id" in erased && email?.promoter_id === erased.promoter_id;
  if (isSubject(message, erased)) return true;
  return !isSameJson(message, nameless(message, erased));
}

type Json = Record<string, unknown>;

/** An event. `data` is its record, or V2's view of it. */
interface Shown {
  entity: string;
  entity_id: number;
  data: Json;
}

/** Whether an event is about the person, or about a record of theirs. */
function isSubject({ entity, entity_id: id, data }: Shown, erased: Erased): boolean {
  if ("lead_id" in erased) return entity === "referral" && id === erased.lead_id;
  if (entity === "promoter") return id === erased.promoter_id;
  if (entity === "promoter_campaign") return erased.promoter_campaign_ids.has(id);
  if (entity === "payout_method" || entity === "contract_document")
    return ownerIdOf(data) === erased.promoter_id;
  const owner = data["promoter_campaign_id"] ?? data["promoter_campaign_id"];
  return entity === "promo_code" && erased.promoter_campaign_ids.has(Number(owner));
}

function ownerIdOf(shown: Json): unknown {
  return shown["promoter_id"] ?? (shown["promoter"] as Json | null | undefined)?.["id"];
}

/** How events show further fields that may contain the person's name. */
const SHOWN_FIELDS = ["payout_method", "visitor_sub_id"];

function nameless(message: EventMessage, erased: Erased): EventMessage {
  const data = without(message.data, erased) as Json;
  const changes = without(message.changes, erased) as EventMessage["changes"];
  // Only events about the person have changed.
  if (isSameJson(data, message.data)) return { ...message, data, changes };
  const fields = [...(NAMING_FIELDS[message.entity] ?? []), ...SHOWN_FIELDS];
  return {
    ...message,
    data: blanked(data, fields) as Json,
    changes: Object.fromEntries(Object.entries(changes).filter(([name]) => !fields.includes(name))),
  };
}

/** A copy in which these fields are null at any depth. */
function blanked(value: unknown, fields: string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => blanked(each, fields));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, fields.includes(name) ? null : blanked(inner, fields)]),
  );
}

/** A copy with null in place of the person, wherever a record shows its promoter or lead. */
function without(value: unknown, erased: Erased): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, erased));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    const unlessThem = (shown: unknown) => (isThem(name, shown, erased) ? null : without(shown, erased));
    // A change contains two values, the old and the new one.
    return [name, Array.isArray(inner) ? inner.map(unlessThem) : unlessThem(inner)];
  });
  return Object.fromEntries(entries);
}

function isThem(name: string, shown: unknown, erased: Erased): boolean {
  const { id, promoter_id: ownerId } = (shown ?? {}) as Json;
  if ("lead_id" in erased) return (name === "referral" || name === "lead") && id === erased.lead_id;
  // V1's promotion contains the promoter's links.
  if (name === "promotion") return ownerId === erased.promoter_id;
  return (name === "promoter" || name === "parent_promoter") && id === erased.promoter_id;
}
