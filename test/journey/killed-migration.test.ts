import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { runCli, useAccountOnDisk } from "../support/cli.ts";
import { allEntries, findFaults, inStore } from "../support/consistency.ts";
import { archiveStandIn, contentOf, fillRates, withStoreIn } from "../support/migrations.ts";
import { rounds } from "../support/rounds.ts";
import { newDice } from "../support/sources/program.ts";
import { startRewardful } from "../support/sources/rewardful.ts";

/** How often the command is killed. A long run does it twenty times. */
const KILLS = rounds(1, 3);
const LONG_MS = 600_000;

const folder = useAccountOnDisk();
/** Runs the command, and kills it after a while if it has not finished by then. Whether it was killed. */
function cut(words: string[], afterMs: number): Promise<boolean> {
  const env = { ...process.env, STORAGE_URL: `sqlite:${folder()}` };
  const child = spawn(process.execPath, ["dist/server/cli.js", ...words], { env, stdio: "ignore" });
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  return new Promise((resolve) => {
    child.once("close", (_code, signal) => {
      clearTimeout(timer);
      resolve(signal === "SIGKILL");
    });
  });
}

it(`is complete after ${KILLS} kills of the command at random moments`, { timeout: LONG_MS }, async () => {
  const standIn = await startRewardful({ size: 6_000 });
  await archiveStandIn(standIn, `${folder()}/files`);
  await standIn.close();
  await withStoreIn(folder(), (store) => fillRates(store, 1));
  const words = ["migrate", "acme", "rewardful", "--from-archive"];
  const dry = await runCli(folder(), [...words, "--dry-run"]);
  const dice = newDice(7);
  let killed = 0;
  for (let kill = 0; kill < KILLS; kill++) killed += Number(await cut(words, 800 + dice(2_500)));
  expect(killed).toBeGreaterThan(0);
  const done = await runCli(folder(), words);
  const { dry_run: _dry, ...said } = JSON.parse(dry.stdout) as Record<string, unknown>;
  const { promoters_compared: compared, promoters_that_differ: differing } = JSON.parse(
    done.stdout,
  ) as typeof said;
  expect([compared, differing]).toEqual([said["promoters_compared"], 0]);
  const url = `sqlite:${folder()}`;
  expect(await inStore(url, findFaults)).toEqual([]);
  const before = await inStore(url, async (engine) => contentOf(await allEntries(engine)));
  const again = await runCli(folder(), words);
  expect(again.code).toBe(0);
  expect(await inStore(url, async (engine) => contentOf(await allEntries(engine)))).toEqual(before);
});
