import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { IS_LONG } from "../support/rounds.ts";

const run = promisify(execFile);

/** Whether a path fits a name with at most one star. */
function fits(path: string, wanted: string): boolean {
  const [start, end] = wanted.split("*") as [string, string?];
  return end === undefined ? path === wanted : path.startsWith(start) && path.endsWith(end);
}

it("the command line is a program of its own", async () => {
  const { stdout } = await run("dist/server/cli.js", ["key", "--help"]);
  expect(stdout).toMatch(/^Usage: tidemark key /);
});

it.runIf(IS_LONG)("a package is built before it is packed, and has every file that it promises", async () => {
  const { bin, exports, scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
    bin: Record<string, string>;
    exports: Record<string, string | Record<string, string>>;
    scripts: { prepack: string };
  };
  expect(scripts.prepack).toBe("npm run --silent build");
  // Without its scripts, which would rebuild files that other tests are running.
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]);
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const entries = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? entry : Object.values(entry),
  );
  const promised = [...Object.values(bin), ...entries].map((path) => path.replace(/^\.\//, ""));
  // A star stands for the hash in a name.
  const missing = promised.filter((wanted) => !files.some(({ path }) => fits(path, wanted)));
  expect(missing).toEqual([]);
});
