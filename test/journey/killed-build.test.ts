import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../support/server.ts";

/** What a clone does not have. */
const MADE = new Set(["node_modules", "dist", ".git"]);

let folder: string;
let remove: () => void;
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  const names = readdirSync(".").filter((name) => !MADE.has(name));
  for (const name of names) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
});
afterEach(() => remove());

const built = (name: string) => join(folder, "dist", name);
const build = ["server/build-if-needed.mjs"];

it("a first build that was killed is made again, and a complete one is not", async () => {
  const first = spawn(process.execPath, build, { cwd: folder, stdio: "ignore", detached: true });
  const ended = new Promise((done) => first.once("close", done));
  while (!existsSync(built("pages/dashboard.json"))) await sleep(5);
  process.kill(-first.pid!, "SIGKILL");
  await ended;
  expect(existsSync(built("pages/join.json"))).toBe(false);
  const again = () => spawnSync(process.execPath, build, { cwd: folder }).status;
  expect([again(), existsSync(built("pages/join.json"))]).toEqual([0, true]);
  // Another build would write it again.
  rmSync(built("svc.js"));
  expect([again(), existsSync(built("svc.js"))]).toEqual([0, false]);
});
