import { accounts, SYSTEM, type Account } from "../../domain/account/account.ts";
import { deliveries, destinationOf, lanes, type Delivery } from "../../domain/webhook/delivery.ts";
import { freezes } from "../../storage/freeze.ts";
import type { Engine } from "../../storage/session.ts";
import { keyOf, sqlName } from "../../storage/sql.ts";
import type { Store } from "../../storage/store.ts";
import { ownerOf } from "../../storage/table.ts";
import { runOn } from "../../storage/transaction.ts";
import { SUM_TABLES, TABLES, type AnyRecord, type AnyTable } from "../../tables.ts";
import { counting, type Progress } from "../progress.ts";
import { recordsIn } from "../stored-items.ts";
import { freeze } from "./freezing.ts";
import { SHARED_TABLES } from "./owned-items.ts";

/** Rows that are removed in one transaction, so that those of other accounts wait only a moment. */
const CHUNK = 1_000;

/**
 * Removes everything that a store holds of an account, while others use the store. The account's own record goes last, so that
 * the same command can complete an interrupted removal.
 */
export async function removeAccount(
  [engine, store]: [Engine, Store],
  { id }: Account,
  onProgress: Progress,
): Promise<void> {
  // The freeze stays for ever, so that a change that was under way all the time is refused, too.
  await freeze(store, id, "removed");
  const removed = counting("removed", onProgress);
  const isAccounts = ({ name }: { name: string }) => name === accounts.name;
  for (const table of SHARED_TABLES.filter((each) => !isAccounts(each)))
    await removeShared(engine, table, id, removed);
  for (const table of TABLES.filter(({ name }) => name !== freezes.name))
    await removeOwn(engine, table, id, removed);
  const { value } = engine.dialect;
  for (const { name } of SUM_TABLES) {
    const text = `delete from ${name} where account_id = ${value(1)}`;
    await engine.transact((session) => Promise.resolve(session.run({ text, values: [id] })));
  }
  await removeShared(engine, TABLES.find(isAccounts)!, id, removed);
}

/** Removes the records of an account from those that a table keeps for all accounts, with what they add to sums. */
async function removeShared(
  engine: Engine,
  from: AnyTable,
  accountId: number,
  onItems: (count: number) => void,
): Promise<void> {
  for await (const items of recordsIn(engine.reads, from, SYSTEM)) {
    const records = items.map(({ text }) => JSON.parse(text) as AnyRecord);
    const owned = records.filter((record) => ownerOf(from, record) === accountId);
    if (owned.length > 0) {
      await engine.transact((session) =>
        runOn(session, async (tx) => {
          for (const record of owned) {
            await tx.remove(from, SYSTEM, ...keyOf(from, record));
            if (from.name !== deliveries.name) continue;
            // All others in its lane are the same account's.
            const { lane, ...delivery } = record as Delivery;
            await tx.remove(lanes, SYSTEM, destinationOf(delivery), lane);
          }
        }),
      );
    }
    onItems(owned.length);
  }
}

/** Removes all that a table keeps under the number of an account. */
async function removeOwn(
  engine: Engine,
  from: AnyTable,
  accountId: number,
  onItems: (count: number) => void,
): Promise<void> {
  const key = `account_id, ${from.key.join(", ")}`;
  const place = engine.dialect.value(1);
  const name = sqlName(from);
  const some = `select ${key} from ${name} where account_id = ${place} limit ${CHUNK}`;
  for (let count = CHUNK; count === CHUNK; onItems(count)) {
    count = await engine.transact(async (session) =>
      session.run({ text: `delete from ${name} where (${key}) in (${some})`, values: [accountId] }),
    );
  }
}
