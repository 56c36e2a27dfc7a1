import { SYSTEM, type Context, type Actor } from "../../context.ts";
import { numberOf } from "../../../storage/digests.ts";
import { keyOf } from "../../../storage/record.ts";
import { ownerOf, type Key, type Table } from "../../../storage/table.ts";
import type { Store, Transaction } from "../../../storage/store.ts";
import { AUDITED, writeAuditEntry, type AuditedChange, type AuditedEntity } from "./audit.ts";

const PLAIN = Symbol("plain");

interface AuditedStore extends Store {
  /** The underlying store. */
  [PLAIN]: Store;
}

/**
 * A store that adds an entry to the audit log for each record that a transaction changes, in the same commit.
 * No operation writes entries itself, so none can forget it. Tracking uses the plain store, because clicks,
 * sign-ups and sales are records of their own.
 *
 * @see docs/spec/common.md "Audit log"
 */
export function auditedStore(store: Store, { actor, clock }: { actor: Actor; clock: () => Date }): Store {
  const below = plainStore(store);
  const logging: AuditedStore = {
    ...below,
    [PLAIN]: below,
    transact: (work) => below.transact((tx) => audited(tx, { store: below, actor, now: clock() }, work)),
  };
  return logging;
}

/**
 * Does a part of a transaction whose changes are logged, although the rest is not: tracking that changes what
 * was recorded before.
 */
export async function audited<T>(
  tx: Transaction,
  by: { store: Store; actor: Actor; now: Date },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const changes: Changes = new Map();
  const result = await work(watched(tx, changes));
  for (const change of changes.values()) await writeAuditEntry(tx, by, change);
  return result;
}

/** A context whose changes are not logged: erasures, made-up people, and actions of customers. */
export function withoutLog(context: Context): Context {
  return { ...context, store: plainStore(context.store) };
}

function plainStore(store: Store): Store {
  return PLAIN in store ? (store as AuditedStore)[PLAIN] : store;
}

/** The changes of a transaction, by record. Several changes of one record are merged. */
type Changes = Map<string, AuditedChange>;

function watched(tx: Transaction, changes: Changes): Transaction {
  function note<R>(from: Table<R>, id: Key, { before, after }: { before: R | null; after: R | null }) {
    const entity = (AUDITED as Record<string, AuditedEntity>)[from.name];
    const record = (after ?? before) as (R & { account_id: number }) | null;
    if (entity === undefined || record === null) return;
    const accountId = ownerOf(from as Table<typeof record>, record);
    // Changes of the whole server, such as exchange rates that `tidemark rates` imports for all accounts, are
    // in no account's log: a central bank's file has thousands of days.
    // @see docs/spec/common.md "Audit log"
    if (accountId === SYSTEM) return;
    const key = JSON.stringify([record.account_id, from.name, ...id]);
    const known = changes.get(key);
    const entityId = String(entity === "api_key" ? numberOf(String(id[0])) : id[0]);
    const first = known === undefined ? (before as object | null) : known.before;
    changes.set(key, {
      account_id: accountId,
      of: from,
      entity,
      entity_id: entityId,
      before: first,
      after: after as object | null,
    });
  }

  return {
    view: tx.view,
    get: tx.get,
    find: tx.find,
    lock: tx.lock,
    isTaken: tx.isTaken,
    // Only payouts add their commissions this way, which leaves no entries.
    fill: tx.fill,
    nextId: tx.nextId,
    async put(into, record, refusals) {
      const id = keyOf(into, record);
      const before = isAudited(into) ? await tx.get(into, record.account_id, ...id) : null;
      await tx.put(into, record, refusals);
      note(into, id, { before, after: record });
    },
    async insert(into, record, refusals) {
      await tx.insert(into, record, refusals);
      note(into, keyOf(into, record), { before: null, after: record });
    },
    async remove(from, accountId, ...id) {
      const before = isAudited(from) ? await tx.get(from, accountId, ...id) : null;
      await tx.remove(from, accountId, ...id);
      note(from, id, { before, after: null });
    },
  };
}

function isAudited({ name }: { name: string }): boolean {
  return name in AUDITED;
}
