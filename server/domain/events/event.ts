import type { Transaction } from "../../storage/store.ts";
import { isSameJson } from "../../storage/digests.ts";
import { integer, json, table, text, time, type RowOf } from "../../storage/table.ts";
import { SYSTEM, type Context } from "../context.ts";
import {
  BALANCE_EVENT,
  causeOf,
  eventTypesOf,
  isConfirmation,
  v1EventTypesOf,
  type AnnouncedChange,
  type AnnouncedRecords,
  type Entity,
} from "./event-type.ts";

const factFields = {
  owner_id: integer(),
  entity: text<Entity>(),
  entity_id: integer(),
  /** Numbers the waiting facts of one entity. */
  number: integer(),
  at: time(),
  /** Null if the record is new. */
  before: json<AnnouncedRecords[Entity]>().nullable().personal().sealed(),
  /** Null if the record was deleted. If `before` is null too, the record itself has the data. */
  after: json<AnnouncedRecords[Entity]>().nullable().personal().sealed(),
  /** The change of the promoter's balance, if nothing else changed. Otherwise absent. */
  balance: json<{ before: unknown; after: unknown }>().optional(),
  /** The first password that the request gave a new promoter. It is kept nowhere else. */
  temp_password: text().optional().personal().secret(),
};

/**
 * Records that a record was created, changed or deleted. It is written in the same commit, and removed once
 * its deliveries are made. A created record is copied into it only when it changes again. Until then the
 * record itself has the data.
 */
export type Fact = RowOf<typeof factFields>;

/**
 * Unsent events of all accounts, because one process sends them all. Each sign-up writes one, so they are
 * small and have no index besides the id.
 */
export const facts = table("fact", factFields, {
  key: ["owner_id", "entity", "entity_id", "number"],
  owner: ({ owner_id }) => owner_id,
  sealed: {
    isSecret: ({ entity, before, after }) => entity === "payout_method" && (before ?? after) !== null,
    without: (fact) => ({
      ...fact,
      before: fact.before && { ...fact.before, details: {} },
      after: fact.after && { ...fact.after, details: {} },
    }),
  },
});

const wantedEventsFields = {
  event_types: json<string[]>(),
  /** Grows with each write, so that two simultaneous writers conflict. */
  version: integer(),
};

/**
 * The event types that an account's webhooks and campaigns want, updated with them. Absent if there never
 * were any.
 */
type WantedEvents = RowOf<typeof wantedEventsFields>;

export const wantedEvents = table("listening", wantedEventsFields, {
  derived: {
    id: ["integer", () => 1],
  },
});

/** The number of an entity's first waiting fact. */
const FIRST = 1;

/** A change of a record that is part of a promoter's balance. */
export type BalanceRecordChange = Extract<AnnouncedChange, { entity: "commission" | "payout" }>;

type HowAnnounced = Pick<Context, "now" | "isHistory">;

/**
 * Records a change as a fact, in the same commit, if its event is wanted. The same transaction must read and
 * write the changed record, so that two commits can't use one number.
 */
export function announce(
  tx: Transaction,
  context: HowAnnounced,
  change: Exclude<AnnouncedChange, BalanceRecordChange>,
): Promise<void> {
  return announceChange(tx, context, change);
}

/**
 * The same for a record that affects a balance. If events of balances are wanted, `announceBalances` runs
 * first.
 */
export function announceWithBalances(
  tx: Transaction,
  context: HowAnnounced,
  { change, announceBalances }: { change: BalanceRecordChange; announceBalances: () => Promise<void> },
): Promise<void> {
  return announceChange(tx, context, change, announceBalances);
}

/**
 * A new fact about the balance of a promoter, whom the transaction has locked. The caller adds its `balance`.
 */
export async function newBalanceFact(
  tx: Transaction,
  now: Date,
  promoter: AnnouncedRecords["promoter"],
): Promise<Fact> {
  const { account_id: ownerId, id: entityId } = promoter;
  const key = [ownerId, "promoter", entityId] as const;
  await writeDown(tx, key, promoter);
  return {
    account_id: SYSTEM,
    owner_id: ownerId,
    entity: "promoter",
    entity_id: entityId,
    number: await nextNumber(tx, key),
    at: now.toISOString(),
    before: promoter,
    after: promoter,
  };
}

async function announceChange(
  tx: Transaction,
  { now, isHistory = false }: HowAnnounced,
  change: AnnouncedChange,
  announceBalances?: () => Promise<void>,
): Promise<void> {
  const { entity, before, after } = change;
  const record = after ?? before;
  if (record === null || isHistory) return;
  // For receivers, an archived lead is deleted.
  if (change.entity === "referral" && change.before?.archived_at) return;
  const wanted = await tx.get(wantedEvents, record.account_id, 1);
  if (wanted === null) return;
  if (wanted.event_types.includes(BALANCE_EVENT)) await announceBalances?.();
  const key = [record.account_id, entity, record.id] as const;
  if (before !== null) await writeDown(tx, key, before);
  if (!isWanted(wanted, change)) return;
  await tx.insert(facts, {
    account_id: SYSTEM,
    owner_id: record.account_id,
    entity,
    entity_id: record.id,
    // A new record can't have other facts waiting.
    number: before === null ? FIRST : await nextNumber(tx, key),
    at: now.toISOString(),
    before,
    after: before === null ? null : after,
    ...(change.temp_password !== undefined && { temp_password: change.temp_password }),
  });
}

/** The account, the kind and the id of the record that a fact is about. */
type EntityKey = readonly [ownerId: number, entity: Entity, entityId: number];

/**
 * If the fact of a record's creation still waits, writes the record's first state into it. Imports and
 * erasures don't announce their changes and skip this, so that the event shows the record as they left it.
 */
async function writeDown(tx: Transaction, key: EntityKey, asMade: AnnouncedRecords[Entity]): Promise<void> {
  const fact = await tx.get(facts, SYSTEM, ...key, FIRST);
  if (fact?.before === null && fact.after === null) await tx.put(facts, { ...fact, after: asMade });
}

/** The number for the next fact of an entity, after those that still wait. */
async function nextNumber(tx: Transaction, key: EntityKey): Promise<number> {
  const [last] = await tx.view.page(facts, "id", SYSTEM, key, { limit: 1, reverse: true });
  return (last?.number ?? 0) + 1;
}

function isWanted({ event_types }: WantedEvents, change: AnnouncedChange): boolean {
  const { before, after } = change;
  if (before !== null && after !== null && isSameJson(before, after)) return false;
  if (isConfirmation(change)) return true;
  if (eventTypesOf(change).some((type) => event_types.includes(type))) return true;
  return v1EventTypesOf(change).some((type) => event_types.includes(causeOf(type)));
}
