import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callCli, runCli } from "../support/cli.ts";
import { rounds } from "../support/rounds.ts";
import { temporaryFolder } from "../support/server.ts";

let program: ReturnType<typeof temporaryFolder>;
let target: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  program = temporaryFolder();
  target = temporaryFolder();
  const create = ["account", "create", "Acme", "--id", "acme", "--landing-url", "https://www.acme.example/"];
  expect(await callCli(program.folder, create)).toMatchObject({ code: 0 });
  const size = ["--promoters", "200", "--leads", "4000", "--sales", "1000"];
  expect(await callCli(program.folder, ["seed", "acme", ...size])).toMatchObject({ code: 0 });
});
afterAll(() => {
  program.remove();
  target.remove();
});

/** The files of a folder that have their final names, with their sizes. */
function finishedIn(folder: string): Map<string, number> {
  const names = readdirSync(folder).filter((name) => !/unfinished|-(wal|shm)$/.test(name));
  return new Map(names.map((name) => [name, statSync(join(folder, name)).size]));
}

it.each<[command: string, words: (folder: string) => string[]]>([
  ["backup", (folder) => ["backup", folder]],
  ["export", (folder) => ["export", folder]],
  ["export --csv", (folder) => ["export", folder, "--csv"]],
])("a killed %s leaves no file under its name, and the next one makes it", async (command, words) => {
  const whole = join(target.folder, command);
  mkdirSync(whole);
  expect(await runCli(program.folder, words(whole))).toMatchObject({ code: 0 });
  const sizes = finishedIn(whole);
  let killedCount = 0;
  for (let round = 0; round < rounds(3, 6); round++) {
    const folder = join(target.folder, `${command} ${round}`);
    mkdirSync(folder);
    const env = { ...process.env, STORAGE_URL: `sqlite:${program.folder}` };
    const child = spawn(process.execPath, ["dist/server/cli.js", ...words(folder)], { env, stdio: "ignore" });
    const ended = new Promise((resolve) => child.once("close", resolve));
    while (child.exitCode === null && readdirSync(folder).length === 0) await sleep(1);
    await sleep(Math.random() * 20);
    child.kill("SIGKILL");
    await ended;
    // The last moment may have given some of them their names.
    for (const [name, size] of finishedIn(folder)) expect([name, size]).toEqual([name, sizes.get(name)]);
    if (finishedIn(folder).size === 0) {
      killedCount++;
      expect(await runCli(program.folder, words(folder))).toMatchObject({ code: 0 });
      expect(finishedIn(folder)).toEqual(sizes);
      expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([]);
    }
    if (command === "backup") {
      expect(await runCli(folder, ["check"])).toMatchObject({ code: 0, stderr: "no faults\n" });
      expect((await runCli(folder, ["account", "list"])).stdout).toContain("acme");
    }
    rmSync(folder, { recursive: true });
  }
  expect(killedCount).toBeGreaterThan(0);
});
