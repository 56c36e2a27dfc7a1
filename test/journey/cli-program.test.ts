import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("the command line is run by its name, as npx does in the folder of the clone", async () => {
  const { stdout } = await promisify(execFile)("dist/server/cli.js", ["key", "--help"]);
  expect(stdout).toMatch(/^Usage: tidemark key /);
});
