import type { Command } from "commander";
import { newProgressView, totalFor } from "./progress.ts";
import { tell, withEngine } from "./store.ts";
import { checkLayout } from "../storage/layout.ts";
import type { Engine } from "../storage/session.ts";
import { findFaults, rebuildStore } from "../transfer/check.ts";
import type { Progress } from "../transfer/progress.ts";

/** Adds the commands that compare a store with its records. */
export function checkCommands(program: Command): void {
  program
    .command("check")
    .description(
      "look for damage in the files, then compare columns and sums with the records; servers may keep running",
    )
    .action(() =>
      withEngine(async (engine) => {
        const damage = (await engine.damage?.()) ?? [];
        // Anything read from a damaged file may be wrong.
        if (damage.length > 0) return conclude(await write(damage), RESTORE);
        await checkLayout(engine);
        await telling(engine, REBUILD, (show) => findFaults(engine, show));
      }),
    );
  program
    .command("rebuild")
    .description("make wrong columns and sums right from the records; stop the servers first")
    .action(() =>
      withEngine(async (engine) => {
        if (await engine.isShared()) {
          throw new Error("A server or another command uses the store: stop it, and run the rebuild again");
        }
        await telling(engine, RESTORE, async function* (show) {
          yield* await rebuildStore(engine, show);
        });
      }),
    );
}

/** What helps against faults. */
const RESTORE = "Stop the servers and restore a backup.";
const REBUILD =
  "`tidemark rebuild` makes columns and sums right; stop the servers first. Against other faults, restore a backup.";

/** Writes the faults that `work` finds, and shows its progress. */
async function telling(
  engine: Engine,
  remedy: string,
  work: (show: Progress) => AsyncIterable<string>,
): Promise<void> {
  const screen = process.stderr;
  const view = newProgressView(screen, await totalFor(screen, engine));
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
