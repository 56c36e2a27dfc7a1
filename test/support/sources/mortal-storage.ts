import type { Storage } from "unstorage";
import type { Dice } from "./program.ts";

/** A storage whose process is killed while it writes for the first or second time: a part of a file stays. */
export function mortalStorage(storage: Storage, dice: Dice): Storage {
  let lives = 1 + dice(2);
  const setItemRaw: Storage["setItemRaw"] = async (key, value) => {
    const bytes = value as unknown as Uint8Array;
    lives -= 1;
    if (lives > 0) return storage.setItemRaw(key, bytes);
    await storage.setItemRaw(key, bytes.subarray(0, dice(bytes.length)));
    throw new Error("killed");
  };
  return { ...storage, setItemRaw };
}
