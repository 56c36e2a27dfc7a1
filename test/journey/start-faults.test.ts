import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { IS_LONG, rounds } from "../support/rounds.ts";
import { temporaryFolder } from "../support/server.ts";

let folder: string;
let remove: () => void;
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
});
afterEach(() => remove());

function run(file: string, args: string[], environment: Record<string, string>) {
  const env = { ...process.env, STORAGE_URL: "memory:", PORT: "0", ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [`dist/server/${file}`, ...args], {
    env,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

it("a server says in one line that its port is in use", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const { status, stdout, stderr } = run("main.js", [], { PORT: String(port) });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^Tidemark can't start: HOST 127\.0\.0\.1 and PORT \d+ .*already in use.*\n$/);
  other.close();
});

it.runIf(IS_LONG)("a server says in one line that the address of its metrics is in use", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const { status, stdout, stderr } = run("main.js", [], { PORT: "0", METRICS_URL: `127.0.0.1:${port}` });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^Tidemark can't start: METRICS_URL 127\.0\.0\.1:\d+ .*already in use.*\n$/);
  other.close();
});

it.runIf(IS_LONG)("a server says in one line that its host does not belong to this machine", () => {
  const { status, stdout, stderr } = run("main.js", [], { HOST: "300.1.1.1" });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^Tidemark can't start: HOST 300\.1\.1\.1 and PORT 0 can't be listened on: .*\n$/);
});

it.runIf(IS_LONG)("a server says in one line that the driver of its files is unknown", () => {
  const { status, stdout, stderr } = run("main.js", [], { FILES_URL: "nowhere:x" });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^Tidemark can't start: FILES_URL nowhere:x names no driver .*\n$/);
});

it.each(
  (
    [
      ["main.js", []],
      ["cli.js", ["start"]],
      ["cli.js", ["account", "list"]],
    ] as [string, string[]][]
  ).slice(0, rounds(1, 3)),
)("%s %o says in one line what is wrong with its store", (file, args) => {
  writeFileSync(join(folder, "file"), "");
  const urls = ["redis://x", `sqlite:${join(folder, "file")}`, `sqlite:${join(folder, "file", "below")}`];
  for (const url of urls.slice(0, rounds(1, urls.length))) {
    const { status, stdout, stderr } = run(file, args, { STORAGE_URL: url });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^(Tidemark can't start: )?The store of STORAGE_URL can't be opened: .*\n$/);
  }
});

it("the command line, too, says what is wrong with its environment", () => {
  const { status, stdout, stderr } = run("cli.js", ["start"], { PORT: "x" });
  const why = "Tidemark can't start: These environment variables are wrong:\n  PORT must be a whole number\n";
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: why });
});

it("a server that can't start makes no account, because nobody would see its key", () => {
  mkdirSync(join(folder, "mail/accepted.txt"), { recursive: true });
  const store = { STORAGE_URL: `sqlite:${join(folder, "data")}` };
  const { status, stdout, stderr } = run("main.js", [], { ...store, FILES_URL: folder });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^Tidemark can't start: mail\/accepted\.txt of FILES_URL can't be read: .*\n$/);
  expect(run("cli.js", ["account", "list"], store)).toEqual({ status: 0, stdout: "[]\n", stderr: "" });
});

it("the command line shows the version of its package", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const { status, stdout } = run("cli.js", ["--version"], {});
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${version}\n` });
});
