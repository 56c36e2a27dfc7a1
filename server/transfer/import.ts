import type { AtomicDriver } from "../storage/driver.ts";
import { sourceOf } from "./account/source.ts";
import { openExport } from "./export-file.ts";
import { fillStore, type Interrupted } from "./fill.ts";
import type { Progress } from "./progress.ts";
import { totalsOf } from "./move.ts";
import type { Totals } from "./tally.ts";

interface Importing extends Interrupted {
  file: string;
  /** The public ids of the accounts to import. None: all. */
  accounts?: readonly string[];
  onProgress: Progress;
}

/**
 * Fills an empty store with an export of this or an earlier release. It checks the whole file before it
 * writes anything.
 *
 * @throws Failure `in_use` for a store that isn't empty, `refused` for one with other unfinished work,
 *   `malformed` for a file that is incomplete or changed
 */
export async function importFile(
  driver: AtomicDriver,
  { file, accounts = [], onProgress, ...interrupted }: Importing,
): Promise<Totals> {
  const whole = await openExport(file, onProgress);
  const source = accounts.length === 0 ? whole : await sourceOf(whole, accounts);
  await fillStore(driver, { work: "import", source, onProgress, ...interrupted });
  return totalsOf(driver);
}
