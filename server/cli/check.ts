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
      "look for damage in the files, then compare claims, indexes and counters with the records; stop the servers first",
    )
    .action(() =>
      withDriver(async (driver) => {
        const damage = (await driver.damage?.()) ?? [];
        // Anything read from a damaged file may be wrong.
        if (damage.length > 0) return conclude(await write(damage));
        await checkLayout(driver);
        await telling(driver, (show) => findFaults(driver, show));
      }),
    );
  program
    .command("rebuild")
    .description("rebuild claims, indexes and counters from the records; stop the servers first")
    .action(() =>
      withDriver((driver) =>
        telling(driver, async function* (show) {
          yield* await rebuildStore(driver, show);
        }),
      ),
    );
}

/** Writes the faults that `work` finds, and shows its progress. */
async function telling(driver: AtomicDriver, work: (show: Progress) => AsyncIterable<string>): Promise<void> {
  const screen = process.stderr;
  const view = newProgressView(screen, await totalFor(screen, driver));
  const count = await write(work(view.show));
  view.end();
  conclude(count);
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

/** Reports the number of faults. Any fault makes the command fail. */
function conclude(count: number): void {
  tell(count === 0 ? "no faults" : count === 1 ? "1 fault" : `${count} faults`);
  if (count > 0) process.exitCode = 1;
}
