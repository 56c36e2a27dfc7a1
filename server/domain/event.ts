import { SYSTEM, type Fact, type Listening } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Store, Transaction } from "../storage/store.ts";
import type { Context } from "./context.ts";
import { eventTypesOf, type Happening } from "./event-type.ts";

/** What happened and was not told to anybody yet; of all accounts, as one process tells it all. */
export const facts = collection<Fact>()({
  name: "fact",
  id: ({ ownerId, entity, entityId, number }) => [ownerId, entity, entityId, number],
  claims: {},
  indexes: { order: ({ order }) => [order] },
});

export const listenings = collection<Listening>()({
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
  happening: Happening,
): Promise<void> {
  const { entity, before, after } = happening;
  const record = after ?? before;
  if (record === null) return;
  const listening = await tx.get(listenings, record.accountId, 1);
  if (listening === null || !isWanted(listening, happening)) return;
  const fact: Fact = {
    accountId: SYSTEM,
    ownerId: record.accountId,
    entity,
    entityId: record.id,
    number: 1,
    order: now.getTime(),
    at: now.toISOString(),
    before,
    after,
  };
  // Of what has just come to be, no other fact can wait.
  await tx.insert(facts, before === null ? fact : await behindOthers(tx, store, fact));
}

/** The number and order that put a fact behind those of the same entity that still wait. */
async function behindOthers(tx: Transaction, store: Store, fact: Fact): Promise<Fact> {
  const key = [fact.ownerId, fact.entity, fact.entityId] as const;
  const [last] = await store.page(facts, "id", SYSTEM, key, { limit: 1, reverse: true });
  let number = (last?.number ?? 0) + 1;
  // What this transaction itself has noted is in no listing yet.
  while ((await tx.get(facts, SYSTEM, ...key, number)) !== null) number += 1;
  return { ...fact, number, order: Math.max(fact.order, last?.order ?? 0) };
}

function isWanted({ eventTypes }: Listening, happening: Happening): boolean {
  const { before, after } = happening;
  if (before !== null && after !== null && JSON.stringify(before) === JSON.stringify(after)) return false;
  return eventTypesOf(happening).some((type) => eventTypes.includes(type));
}
