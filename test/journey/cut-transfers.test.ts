import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCli } from "../support/cli.ts";
import { newDice } from "../support/fuzz/dice.ts";
import { textsOf } from "../support/exports.ts";
import { rounds } from "../support/rounds.ts";
import { temporaryFolder } from "../support/server.ts";

/** A long run kills 24 imports. */
const STORES = rounds(2, 12);
const LEADS = "500";
const LONG_MS = 60 * 60_000;
/** How often an import is interrupted before it may finish. */
const CUTS = rounds(1, 2);
const SEED = Number(process.env.CUT_SEED ?? 20_261_122);
/** What `check` says about a store after an interruption: it is whole, refused, or not begun. */
const STATES =
  /^(no faults|.*there is no store in .*|An import into the store is unfinished: run `tidemark import` again .*)\n$/;

let folder: string;
let remove: () => void;
const url = (name: string) => `sqlite:${join(folder, name)}`;
const run = (words: string[], name = "source") => runCli(folder, words, { STORAGE_URL: url(name) });
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
});
afterEach(() => remove());

/** Runs a command, and kills it after a while if it has not finished by then. */
function cut(words: string[], { name, afterMs }: { name: string; afterMs: number }): Promise<void> {
  const env = { ...process.env, STORAGE_URL: url(name) };
  const child = spawn(process.execPath, ["dist/server/cli.js", ...words], { env, stdio: "ignore" });
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  return new Promise((resolve) => {
    child.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const NAME = `imports into ${STORES} stores are completed after random interruptions (CUT_SEED=${SEED})`;

it(NAME, { timeout: LONG_MS }, async () => {
  const dice = newDice(SEED);
  await run(["account", "create", "Acme", "--id", "acme", "--landing-url", "https://www.acme.example/"]);
  await run(["seed", "acme", "--promoters", "50", "--leads", LEADS, "--sales", "200"]);
  const all = join(folder, "all");
  await run(["export", all]);
  const began = performance.now();
  await run(["import", all], "whole");
  const tookMs = performance.now() - began;

  for (let round = 0; round < STORES; round++) {
    const name = `target-${round}`;
    const words = ["import", all];
    let how: string[] = [];
    for (let cuts = 0; cuts < CUTS; cuts++) {
      await cut([...words, ...how], { name, afterMs: dice.below(Math.ceil(tookMs)) });
      const { stdout, stderr } = await run(["check"], name);
      expect({ stdout, stderr }).toEqual({ stdout: "", stderr: expect.stringMatching(STATES) });
      how = [dice.percent(75) ? "--resume" : "--force"];
    }
    // It may have finished before it was killed.
    const { code, stderr } = await run([...words, ...how], name);
    if (code !== 0) expect(stderr).toContain("The target store is not empty\n");
    expect(await run(["check"], name)).toEqual({ code: 0, stdout: "", stderr: "no faults\n" });
    const again = join(folder, `${name}-again`);
    await run(["export", again], name);
    expect(textsOf(again)).toEqual(textsOf(all));
  }
});
