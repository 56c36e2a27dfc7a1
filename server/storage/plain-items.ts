import { NOTHING, type AtomicDriver } from "./driver.ts";

type PlainItems = Required<Pick<AtomicDriver, "hasItem" | "getItem" | "setItem" | "removeItem" | "getKeys">>;

/**
 * The part of a driver that unstorage calls, built on our own verbs. `getItemRaw` is missing on purpose:
 * unstorage then keeps bytes as base64 and reads them back as bytes.
 */
export function plainItems({
  getItem,
  getKeys,
  commit,
}: Pick<AtomicDriver, "getItem" | "getKeys" | "commit">): PlainItems {
  return {
    hasItem: async (key) => (await getItem(key)) !== null,
    getItem,
    setItem: async (key, value) => void (await commit({ ...NOTHING, puts: [[key, value]] })),
    removeItem: async (key) => void (await commit({ ...NOTHING, removes: [key] })),
    getKeys,
  };
}

/** Runs its work only once. unstorage disposes of a driver once for each place where it is mounted. */
export function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
