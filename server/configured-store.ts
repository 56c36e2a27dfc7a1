import type { Config } from "./config.ts";
import { openStore } from "./storage/open.ts";
import type { Store } from "./storage/store.ts";

/** Opens the store that the environment names. @throws Error that says so, in one line */
export async function openConfiguredStore({ storageUrl, storageConnections }: Config): Promise<Store> {
  try {
    return await openStore(storageUrl, { connections: storageConnections });
  } catch (error) {
    // The fault alone names no setting, as LMDB's "No such file or directory".
    throw new Error(`The store of STORAGE_URL can't be opened: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
