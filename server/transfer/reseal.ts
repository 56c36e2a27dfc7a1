import type { Context } from "../domain/context.ts";
import { hasFormerSecrets, resealPayments } from "../domain/ledger/payment/connection.ts";
import { listAccounts, type Account } from "../domain/program/account/account.ts";
import type { Seal } from "../seal.ts";
import { keyOf, recordOf } from "../storage/record.ts";
import { ownerOf, type Key } from "../storage/table.ts";
import { isFrozen } from "../storage/freeze.ts";
import { isSealed, openRecord, renewProof } from "../storage/sealed.ts";
import type { Engine, Reads } from "../storage/session.ts";
import { TABLES, type AnyTable } from "../tables.ts";
import { rowsIn } from "./stored-items.ts";

/** A record that is sealed with a former key. */
interface Former {
  table: AnyTable;
  account_id: number;
  key: Key;
}

/** Records per commit. */
const CHUNK = 100;

/**
 * Encrypts all secrets of a store with the first key, while servers that have it keep running. It looks first whether it
 * can, so that it changes all or nothing. If it is killed, the next call continues. Resolves to the number of secrets that
 * had a former key.
 *
 * @throws Failure `refused` if no key opens a secret, Error if an account can't be changed
 */
export async function resealStore(engine: Engine, context: Context): Promise<number> {
  const { store } = context;
  const { seal } = store;
  const former = await formerIn(engine.reads, seal);
  const due: Account[] = [];
  for (const account of await listAccounts(store))
    if (former.has(account.id) || (await hasFormerSecrets(store, account.id, seal))) due.push(account);
  const frozen: Account[] = [];
  for (const account of due) if (await isFrozen(store, account.id)) frozen.push(account);
  if (frozen.length > 0) throw new Error(`Nothing was encrypted anew: ${frozenWords(frozen)}`);
  let resealedCount = 0;
  for (const account of due) {
    try {
      resealedCount += await resealPayments(context, account.id, seal);
      resealedCount += await resealRecords(context, former.get(account.id) ?? []);
    } catch (error) {
      // Someone has begun to move it just now.
      if (!(await isFrozen(store, account.id))) throw error;
      frozen.push(account);
    }
  }
  if (frozen.length > 0) throw new Error(`Some secrets have their former key: ${frozenWords(frozen)}`);
  await renewProof(engine);
  return resealedCount;
}

/** The records that a former key has sealed, by account. @throws Failure `refused` if no key opens one */
async function formerIn(reads: Reads, seal: Seal): Promise<Map<number, Former[]>> {
  const found = new Map<number, Former[]>();
  for (const table of TABLES.filter(({ sealed }) => sealed !== undefined)) {
    for await (const rows of rowsIn(reads, table)) {
      for (const record of rows.map((row) => recordOf(table, row))) {
        if (!isSealed(record) || seal.isCurrent(record.sealed)) continue;
        openRecord(table, record, seal);
        const owner = ownerOf(table, record);
        const own = found.get(owner) ?? [];
        found.set(owner, own);
        own.push({ table, account_id: record.account_id, key: keyOf(table, record) });
      }
    }
  }
  return found;
}

/** Writes records as they are, which seals them with the first key. They may have changed or gone. */
async function resealRecords({ store }: Context, former: Former[]): Promise<number> {
  for (let at = 0; at < former.length; at += CHUNK) {
    await store.transact(async (tx) => {
      for (const { table, account_id, key } of former.slice(at, at + CHUNK)) {
        const record = await tx.get(table, account_id, ...key);
        if (record !== null) await tx.put(table, record);
      }
    });
  }
  return former.length;
}

function frozenWords(accounts: Account[]): string {
  const names = accounts.map(({ public_id }) => public_id).join(", ");
  return `${names} can't be changed while being moved or removed. Finish that, or run \`tidemark account unfreeze\`, and rotate again. Keep the former key until then`;
}
