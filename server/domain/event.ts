import { SYSTEM, type Entity, type EntityRecords, type Fact, type WantedEvents } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Store, Transaction } from "../storage/store.ts";
import type { Context } from "./context.ts";
import { eventTypesOf, type RecordChange } from "./event-type.ts";

/**
 * What happened and was not told to anybody yet; of all accounts, as one process tells it all. Each sign-up writes
 * one, so that these are small, and in no list but that by id.
 */
export const facts = collection<Fact>()({
  name: "fact",
  id: ({ ownerId, entity, entityId, number }) => [ownerId, entity, entityId, number],
  claims: {},
  indexes: {},
});

/** The number of an entity's first fact of those that wait at the same time. */
const FIRST = 1;

export const wantedEvents = collection<WantedEvents>()({
  name: "listening",
  id: () => [1],
  claims: {},
  indexes: {},
});

/**
 * Notes within a commit what it does to a record, for those who want to be told of it; nothing where
 * nobody does. The record itself must be read and written by the same transaction: that keeps two
 * commits from giving one number.
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
    // Of what has just come to be, no other fact can wait.
    number: before === null ? FIRST : await nextNumber(tx, store, key),
    at: now.toISOString(),
    before,
    after: before === null ? null : after,
  });
}

/** Whose record a fact is of, what it is of, and its id. */
type EntityKey = readonly [ownerId: number, entity: Entity, entityId: number];

/**
 * Writes into the fact that a record came to be what it was then, if that still waits to be told. Choice: imports and
 * erasures, which announce nothing, do not: it is told as they have left it.
 */
async function writeDown(tx: Transaction, key: EntityKey, asMade: EntityRecords[Entity]): Promise<void> {
  const fact = await tx.get(facts, SYSTEM, ...key, FIRST);
  if (fact?.before === null && fact.after === null) await tx.put(facts, { ...fact, after: asMade });
}

/** The number that puts a fact behind those of the same entity that still wait. */
async function nextNumber(tx: Transaction, store: Store, key: EntityKey): Promise<number> {
  const [last] = await store.page(facts, "id", SYSTEM, key, { limit: 1, reverse: true });
  let number = (last?.number ?? 0) + 1;
  // What this transaction itself has noted is in no listing yet.
  while ((await tx.get(facts, SYSTEM, ...key, number)) !== null) number += 1;
  return number;
}

function isWanted({ eventTypes }: WantedEvents, change: RecordChange): boolean {
  const { before, after } = change;
  if (before !== null && after !== null && JSON.stringify(before) === JSON.stringify(after)) return false;
  return eventTypesOf(change).some((type) => eventTypes.includes(type));
}
