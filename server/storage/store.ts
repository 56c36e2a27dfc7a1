import { createStorage } from "unstorage";
import type { AtomicDriver } from "./driver.ts";
import { idSource } from "./ids.ts";
import { encodeKey } from "./keys.ts";
import type { Transaction } from "./transaction/transaction.ts";
import { transactor } from "./transaction/transactor.ts";
import { newView, type View } from "./transaction/view.ts";

export type { Transaction } from "./transaction/transaction.ts";
export type { Page, Reader, View } from "./transaction/view.ts";

/** Records over an atomic driver. */
export interface Store extends View {
  /**
   * Runs `work` and commits what it wrote, if all that it read by key still stands; else runs it again.
   *
   * @throws Failure whatever `work` refuses with, and `conflict` when others kept getting in between
   */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** An id that was never given before, for a kind of record. Ids grow, with gaps. */
  nextId(kind: string): Promise<number>;
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}

/** Makes a store of a driver. */
export function newStore(driver: AtomicDriver): Store {
  const storage = createStorage({ driver });
  // Encoded keys are as unstorage would make them, so its own folding of each (a third of a read) is spared.
  const read = (key: string) => driver.getItem(key);
  const transact = transactor(driver, read);

  return {
    ...newView({ read, list: driver.list, count: driver.count }),
    transact,
    nextId: idSource(driver),
    async isReady() {
      try {
        await read(encodeKey([0, "ready"]));
        return true;
      } catch {
        return false; // whatever keeps the store from answering, it is not ready
      }
    },
    close: () => storage.dispose(),
  };
}
