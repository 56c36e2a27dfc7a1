import { SYSTEM } from "../account/record.ts";
import type { Entity, EntityRecords, Fact, WantedEvents } from "./record.ts";
import { collection } from "../../storage/collection.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { eventTypesOf, type RecordChange } from "./event-type.ts";

/**
 * Events that wait to be sent, of all accounts, because one process sends them all. Each sign-up writes one, so they
 * are small and have no index besides the id.
 */
export const facts = collection<Fact>()({
  name: "fact",
  id: ({ ownerId, entity, entityId, number }) => [ownerId, entity, entityId, number],
  claims: {},
  indexes: {},
});

/** The number of an entity's first waiting fact. */
const FIRST = 1;

export const wantedEvents = collection<WantedEvents>()({
  name: "listening",
  id: () => [1],
  claims: {},
  indexes: {},
});

/**
 * Records a change as a fact, in the same commit, if somebody wants its event. The same transaction must read and
 * write the changed record, so that two commits can't use one number.
 */
export async function announce(
  tx: Transaction,
  { store, now }: Pick<Context, "store" | "now">,
  change: RecordChange,
): Promise<void> {
  const { entity, before, after } = change;
  const record = after ?? before;
  if (record === null) return;
  const wanted = await tx.get(wantedEvents, record.accountId, 1);
  if (wanted === null) return;
  const key = [record.accountId, entity, record.id] as const;
  if (before !== null) await writeDown(tx, key, before);
  if (!isWanted(wanted, change)) return;
  await tx.insert(facts, {
    accountId: SYSTEM,
    ownerId: record.accountId,
    entity,
    entityId: record.id,
    // A new record can't have other facts waiting.
    number: before === null ? FIRST : await nextNumber(tx, store, key),
    at: now.toISOString(),
    before,
    after: before === null ? null : after,
  });
}

/** The account, the kind and the id of the record that a fact is about. */
type EntityKey = readonly [ownerId: number, entity: Entity, entityId: number];

/**
 * If the fact that a record was created still waits, writes the record's first state into it.
 *
 * Choice: imports and erasures don't announce their changes and don't do this. The event then shows the record as
 * they left it.
 */
async function writeDown(tx: Transaction, key: EntityKey, asMade: EntityRecords[Entity]): Promise<void> {
  const fact = await tx.get(facts, SYSTEM, ...key, FIRST);
  if (fact?.before === null && fact.after === null) await tx.put(facts, { ...fact, after: asMade });
}

/** The number for the next fact of an entity, after those that still wait. */
async function nextNumber(tx: Transaction, store: Store, key: EntityKey): Promise<number> {
  const [last] = await store.page(facts, "id", SYSTEM, key, { limit: 1, reverse: true });
  let number = (last?.number ?? 0) + 1;
  // The listing does not show facts that this transaction has added.
  while ((await tx.get(facts, SYSTEM, ...key, number)) !== null) number += 1;
  return number;
}

function isWanted({ eventTypes }: WantedEvents, change: RecordChange): boolean {
  const { before, after } = change;
  if (before !== null && after !== null && JSON.stringify(before) === JSON.stringify(after)) return false;
  return eventTypesOf(change).some((type) => eventTypes.includes(type));
}
