import { createStorage, type Storage } from "unstorage";
import { COMMAND_LINE } from "../domain/access/audit/audit.ts";
import { auditedStore } from "../domain/access/audit/audited-store.ts";
import { tableDriver } from "../storage/unstorage.ts";
import { TABLES } from "../tables.ts";
import { openConfiguredStore } from "./configured-store.ts";

/** How `tidemarkStorage` opens a store. */
export interface TidemarkStorageOptions {
  /** The file with the key of the store's secrets. Absent: the usual one, beside the store. */
  secretFile?: string | undefined;
}

/**
 * Opens a store of Tidemark as an unstorage, beside its servers. `url` is what `STORAGE_URL` is: `sqlite:` and a folder, or
 * `postgres://…`. A record has the key TABLE:ACCOUNT:ID, such as `promoters:1:7`. Call `dispose()` in the end.
 *
 * @throws Error in one sentence if there is no store, if another release made it, or without its key
 */
export async function tidemarkStorage(url: string, options: TidemarkStorageOptions = {}): Promise<Storage> {
  const config = {
    storageUrl: url,
    storageConnections: 10,
    requiresStandby: false,
    secretKeys: [],
    secretFile: options.secretFile ?? null,
  };
  const notify = (notice: string) => process.emitWarning(notice, "TidemarkWarning");
  const store = await openConfiguredStore(config, { makes: "nothing", notify });
  const audited = auditedStore(store, { actor: COMMAND_LINE, clock: () => new Date() });
  return createStorage({ driver: tableDriver(audited, TABLES) });
}
