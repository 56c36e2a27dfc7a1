import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join, resolve as resolvePath } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CommandResult } from "../support/cli.ts";
import { makeNextRelease, NEXT_LAYOUT } from "../support/made-up-release.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { startServer, temporaryFolder, v1, v2, type Server } from "../support/server.ts";

const TODAY = "dist";
const NO_FAULTS = { code: 0, stdout: "", stderr: "no faults\n" };
const SHARED =
  "Another server or command uses the store, and this release must upgrade it first: stop all servers, then start this one";
const EARLIER =
  "The store of STORAGE_URL can't be opened: An earlier release of Tidemark made the store: `tidemark upgrade` upgrades it, and so does starting the server";
const LATER = "A later release of Tidemark made the store: use that one, or an empty store";
const mainOf = (release: string) => resolvePath(release, "server/main.js");
const cliOf = (release: string) => resolvePath(release, "server/cli.js");
/** The first try to upgrade is killed after this time, and each later one after a fifth more. */
const FIRST_MS = 100;
const LONGER = 1.2;

describe.each(["SQLite", ...(POSTGRES_FOLDER === null ? [] : ["Postgres"])])("a store in %s", (engine) => {
  let next: string;
  let cluster: Cluster | null = null;
  let folder: string;
  let remove: () => void;
  let url: string;
  let servers: Server[];
  beforeAll(async () => {
    next = makeNextRelease();
    if (engine === "Postgres") cluster = await startCluster();
  });
  afterAll(() => cluster?.remove());
  beforeEach(async () => {
    servers = [];
    ({ folder, remove } = temporaryFolder());
    url = cluster?.url() ?? `sqlite:${folder}/data`;
    const server = await serve(TODAY);
    await v1(server, "/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await cluster?.query("drop schema public cascade; create schema public");
    remove();
  });

  const environment = () => ({ ...process.env, STORAGE_URL: url });

  async function serve(release: string, settings: Record<string, string> = {}): Promise<Server> {
    // In the folder, because the backup of a database is written to the current one.
    const command: [string, ...string[]] = ["env", "-C", folder, process.execPath, mainOf(release)];
    const server = await startServer(folder, { STORAGE_URL: url, ...settings }, { command });
    servers.push(server);
    return server;
  }

  const stop = () => Promise.all(servers.splice(0).map((server) => server.stop()));

  function run(release: string, ...words: string[]): Promise<CommandResult> {
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [cliOf(release), ...words],
        { env: environment(), cwd: folder },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  }

  /** The names of all backups. */
  const backups = () =>
    [folder, join(folder, "data")]
      .flatMap((each) => (engine === "SQLite" || each === folder ? readdirSync(each) : []))
      .filter((name) => name.startsWith("before-upgrade-"));

  it("is upgraded when the next release starts, once, after a backup", async () => {
    await stop();
    for (let start = 0; start < 2; start++) {
      const server = await serve(next, { WORKERS: "2", LOG_LEVEL: "info" });
      const { body } = await v2(server, "GET /promoters");
      expect(body).toMatchObject({ data: [{ id: 1, email: "jane@example.com" }] });
      const lines = server.output().match(/"msg":"[^"]*(so far|upgraded[^"]*)"/g) ?? [];
      expect(lines.map((line) => line.slice(7, -1))).toEqual(
        start === 0
          ? ["the store is being upgraded to this release", "exported so far", "the store was upgraded"]
          : [],
      );
      await stop();
      expect(backups()).toHaveLength(1);
    }
    expect(await run(next, "check")).toEqual(NO_FAULTS);
    await expect(serve(TODAY)).rejects.toThrow(LATER);
  });

  it("stays as it is while another process uses it", async () => {
    await expect(serve(next)).rejects.toThrow(`${SHARED}\n`);
    expect(await run(next, "upgrade")).toMatchObject({ code: 1, stderr: expect.stringContaining(SHARED) });
    expect((await run(next, "upgrade", "--check")).stdout).toContain(
      "Another server or command uses the store now: stop all servers first.\n",
    );
    expect(backups()).toEqual([]);
    await v1(servers[0]!, "/promoters/create", { email: "bob@example.com" });
    await stop();
    expect(await run(TODAY, "check")).toEqual(NO_FAULTS);
  });

  it("is upgraded by hand, and refused by all other commands until then", async () => {
    await stop();
    expect(await run(next, "account", "list")).toEqual({ code: 1, stdout: "", stderr: `${EARLIER}\n` });
    const { code, stdout } = await run(next, "upgrade", "--check");
    expect({ code, told: stdout.trimEnd().split("\n") }).toEqual({
      code: 0,
      told: [
        `The store has layout ${NEXT_LAYOUT - 1}, and this release needs layout ${NEXT_LAYOUT}. It can't be used during the upgrade:`,
        "- Promoters have a nickname.",
        expect.stringMatching(
          /^Before that, a backup of all records is written to .*before-upgrade-[^.]*\.\d+Z\.$/,
        ),
        "No other server or command uses the store now.",
      ],
    });
    expect(backups()).toEqual([]);
    const backup = join(folder, "mine");
    const upgraded = await run(next, "upgrade", "--backup", backup);
    expect(JSON.parse(upgraded.stdout)).toEqual({ layout: NEXT_LAYOUT, backup });
    expect(await run(next, "check")).toEqual(NO_FAULTS);
    expect(JSON.parse((await run(next, "upgrade")).stdout)).toEqual({ layout: NEXT_LAYOUT, backup: null });
    expect((await run(next, "upgrade", "--check")).stdout).toBe(
      "Nothing has to be done: the store has the layout of this release.\n",
    );
    url = `sqlite:${folder}/former`;
    expect((await run(TODAY, "import", backup)).code).toBe(0);
    const { body } = await v2(await serve(TODAY), "GET /promoters");
    expect(body).toMatchObject({ data: [{ id: 1, email: "jane@example.com" }] });
  });

  it("has its former form or the next one wherever an upgrade is killed", async () => {
    await stop();
    let killedCount = 0;
    for (let waitMs = FIRST_MS; ; waitMs *= LONGER) {
      const words = [cliOf(next), "upgrade"];
      const upgrading = spawn(process.execPath, words, { env: environment(), cwd: folder, stdio: "ignore" });
      const ended = once(upgrading, "close");
      await Promise.race([ended, sleep(waitMs)]);
      if (upgrading.exitCode === 0) break;
      upgrading.kill("SIGKILL");
      await ended;
      killedCount++;
      // One of the two releases reads the store. On Postgres, the connection of the killed process ends a moment later.
      await expect
        .poll(async () => [await run(TODAY, "check"), await run(next, "check")])
        .toContainEqual(NO_FAULTS);
    }
    expect(killedCount).toBeGreaterThan(3);
    expect(await run(next, "check")).toEqual(NO_FAULTS);
  });
});
