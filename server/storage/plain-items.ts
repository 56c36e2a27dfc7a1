import { NOTHING, type AtomicDriver } from "./driver.ts";

type PlainItems = Required<Pick<AtomicDriver, "hasItem" | "getItem" | "setItem" | "removeItem" | "getKeys">>;

/**
 * The part of a driver that unstorage calls, on top of our own verbs. There is no `getItemRaw`: unstorage then
 * keeps bytes as base64 and reads them back as bytes.
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

/** Does its work once, however often it is called: unstorage disposes of a driver once for each place it is mounted at. */
export function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
