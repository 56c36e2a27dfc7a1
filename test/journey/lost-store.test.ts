import { spawn } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callCli } from "../support/cli.ts";
import { childrenOf } from "../support/child-processes.ts";
import { rounds } from "../support/rounds.ts";
import { startServer, temporaryFolder, v1, type Server } from "../support/server.ts";

let folder: string;
let remove: () => void;
let server: Server | null;
beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  server = null;
});
afterEach(async () => {
  await server?.kill();
  remove();
});

const file = (beside = "") => join(folder, `tidemark.db${beside}`);
const GONE = "The store's file was deleted or replaced; try again later";

async function answers(url: string): Promise<unknown[]> {
  const [signup, list] = await Promise.all([
    v1({ url }, "/track/signup", { email: `lead-${Math.random()}@example.com`, ref_id: "jane" }),
    v1({ url }, "/leads/list", {}).catch(() => null),
  ]);
  const ready = await fetch(`${url}/readyz`);
  return [signup.status, signup.body, list === null ? null : list.status, ready.status, await ready.json()];
}

describe.each(["1", "2"])("with WORKERS=%s", (WORKERS) => {
  it.each<[string, () => void, () => void]>([
    ["deleted", () => renameSync(file(), file(".away")), () => renameSync(file(".away"), file())],
    [
      "replaced",
      () => (renameSync(file(), file(".away")), copyFileSync(file(".away"), file())),
      () => renameSync(file(".away"), file()),
    ],
    [
      "deleted with its log",
      () => ["", "-wal"].forEach((beside) => renameSync(file(beside), file(`${beside}.away`))),
      () => ["", "-wal"].forEach((beside) => renameSync(file(`${beside}.away`), file(beside))),
    ],
  ])(
    "a server whose file is %s acknowledges nothing, and goes on when it is back",
    async (_, lose, restore) => {
      server = await startServer(folder, { WORKERS });
      const { url } = server;
      await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
      lose();
      for (let request = 0; request < 10; request++) {
        expect(await answers(url)).toEqual([
          503,
          { error: GONE },
          503,
          503,
          { status: "unavailable", reason: GONE },
        ]);
      }
      expect(server.output()).toMatch(/tidemark\.db or its log was deleted or replaced while it was in use/);
      restore();
      expect((await answers(url))[0]).toBe(200);
      expect(await server.stop()).toBe(0);
    },
  );
});

it("a worker that dies after the store was deleted makes no new one", async () => {
  server = await startServer(folder, { WORKERS: "2" });
  for (const beside of ["", "-wal"]) rmSync(file(beside));
  for (const pid of childrenOf(server.pid)) process.kill(pid, "SIGKILL");
  await server.printed(/worker could not start[\s\S]*worker could not start/);
  expect(server.output()).toContain(`there is no store in ${folder}`);
  expect(existsSync(file())).toBe(false);
});

describe("a store's file that is empty", () => {
  const WHY = () =>
    `${file()} is empty, so what it held is lost: restore a backup, or remove the file to begin a new store`;

  it.each([
    [["check"]],
    [["account", "list"]],
    [["account", "create", "Acme", "--landing-url", "https://www.acme.example/"]],
    [["import", "test/fixtures/payout-methods"]],
    [["upgrade"]],
    [["backup", "/tmp/never-made"]],
  ])("is refused by %j, and stays as it is", async (words) => {
    writeFileSync(file(), "");
    const { code, stdout, stderr } = await callCli(folder, words);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: `The store of STORAGE_URL can't be opened: ${WHY()}\n`,
    });
    expect(readdirSync(folder)).toEqual(["tidemark.db"]);
    expect(statSync(file()).size).toBe(0);
  });

  it.each(["", "-wal"])("is refused by a server, whether or not its log%s is left", async (left) => {
    writeFileSync(file(left), "left");
    writeFileSync(file(), "");
    await expect(startServer(folder)).rejects.toThrow(
      `Tidemark can't start: The store of STORAGE_URL can't be opened: ${WHY()}\n`,
    );
    expect(statSync(file()).size).toBe(0);
  });
});

it("a log without its file is no store, and none is begun beside it", async () => {
  writeFileSync(file("-wal"), "left");
  const why = `The store of STORAGE_URL can't be opened: ${file()} is missing, but its log is there: put it back or restore a backup, or remove tidemark.db-wal to begin a new store\n`;
  for (const words of [
    ["check"],
    ["account", "create", "Acme", "--landing-url", "https://www.acme.example/"],
  ])
    expect(await callCli(folder, words)).toEqual({ code: 1, stdout: "", stderr: why });
  await expect(startServer(folder)).rejects.toThrow(why);
  expect(readdirSync(folder)).toEqual(["tidemark.db-wal"]);
});

it("a file without tables is no store, until a command that makes one fills it", async () => {
  const db = new DatabaseSync(file());
  db.exec("pragma user_version = 0; vacuum");
  db.close();
  for (const words of [["check"], ["account", "list"], ["export", "/tmp/never-made"], ["upgrade"]]) {
    expect(await callCli(folder, words)).toEqual({
      code: 1,
      stdout: "",
      stderr: `The store of STORAGE_URL can't be opened: there is no store in ${folder}\n`,
    });
  }
  const create = ["account", "create", "Acme", "--landing-url", "https://www.acme.example/"];
  expect(await callCli(folder, create)).toMatchObject({ code: 0 });
  expect(await callCli(folder, ["check"])).toMatchObject({ code: 0, stderr: "no faults\n" });
});

it("a table that is missing is damage, and no command makes it anew", async () => {
  await callCli(folder, ["account", "create", "Acme", "--landing-url", "https://www.acme.example/"]);
  const db = new DatabaseSync(file());
  db.exec("drop table payouts");
  db.close();
  const { code, stderr } = await callCli(folder, ["check"]);
  expect(code).toBe(1);
  expect(stderr).toContain("is damaged");
});

it("a first start that is killed at any moment is completed by the next one", async () => {
  for (let round = 0; round < rounds(4, 10); round++) {
    const env = {
      ...process.env,
      PORT: "0",
      STORAGE_URL: `sqlite:${join(folder, `${round}`)}`,
      LOG_LEVEL: "error",
    };
    const child = spawn(process.execPath, ["dist/server/main.js"], { env, stdio: "ignore" });
    // The folder appears when the start comes to the store.
    while (!existsSync(join(folder, `${round}`))) await sleep(1);
    await sleep(Math.random() * 40);
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGKILL");
    await ended;
    const next = await startServer(join(folder, `${round}`));
    expect(await next.stop()).toBe(0);
  }
});
