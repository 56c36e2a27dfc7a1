import type { Command } from "commander";
import { newProgressView, totalFor } from "./progress.ts";
import { tell, withDriver } from "./store.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { checkLayout } from "../storage/layout.ts";
import { findFaults } from "../transfer/check.ts";
import type { Progress } from "../transfer/progress.ts";
import { rebuildStore } from "../transfer/rebuild.ts";

/** Adds the commands that compare a store with its records. */
export function checkCommands(program: Command): void {
  program
    .command("check")
    .description(
      "look for damage in the files, then compare claims, indexes and counters with the records; servers may keep running",
    )
    .action(() =>
      withDriver(async (driver) => {
        const damage = (await driver.damage?.()) ?? [];
        // Anything read from a damaged file may be wrong.
        if (damage.length > 0) return conclude(await write(damage), RESTORE);
        await checkLayout(driver);
        await telling(driver, REBUILD, (show) => findFaults(driver, show));
      }),
    );
  program
    .command("rebuild")
    .description("rebuild claims, indexes and counters from the records; stop the servers first")
    .action(() =>
      withDriver(async (driver) => {
        if (await driver.isShared?.()) {
          throw new Error("A server or another command uses the store: stop it, and run the rebuild again");
        }
        await telling(driver, RESTORE, async function* (show) {
          yield* await rebuildStore(driver, show);
        });
      }),
    );
}

/** What helps against faults. */
const RESTORE = "Stop the servers and restore a backup.";
const REBUILD =
  "`tidemark rebuild` makes claims, indexes and counters again; stop the servers first. Against other faults, restore a backup.";

/** Writes the faults that `work` finds, and shows its progress. */
async function telling(
  driver: AtomicDriver,
  remedy: string,
  work: (show: Progress) => AsyncIterable<string>,
): Promise<void> {
  const screen = process.stderr;
  const view = newProgressView(screen, await totalFor(screen, driver));
  const count = await write(work(view.show));
  view.end();
  conclude(count, remedy);
}

/** Writes each fault to standard output. */
async function write(faults: AsyncIterable<string> | Iterable<string>): Promise<number> {
  let count = 0;
  for await (const fault of faults) {
    process.stdout.write(`${fault}\n`);
    count++;
  }
  return count;
}

/** Reports the number of faults and what helps. Any fault makes the command fail. */
function conclude(count: number, remedy: string): void {
  if (count === 0) return tell("no faults");
  tell(`${count === 1 ? "1 fault" : `${count} faults`}. ${remedy}`);
  process.exitCode = 1;
}
