import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LAYOUT, MARK_KEY } from "../../server/storage/layout.ts";
import { makeNextRelease, NEXT_LAYOUT } from "../support/made-up-release.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { startServer, v1, type Server } from "../support/server.ts";
import { pause, startSignups, type SignupLoad } from "../support/signup-load.ts";

const run = promisify(execFile);
const TAKEN_OVER = /A later release of Tidemark takes the store over; this process stops/;
/** The answer of a server of the former release, in the second before it stops. */
const STOPPING = '503 {"error":"A later release of Tidemark takes the store over: this process stops"}';
/** The record that the next release writes in another form. */
const JANE = "select doc::text from promoters where account_id = 1 and id = 1";

describe.skipIf(POSTGRES_FOLDER === null)("on one Postgres database", () => {
  let cluster: Cluster;
  let folder: string;
  let edits: EditLoad[];
  let loads: SignupLoad[];
  const servers: Server[] = [];
  beforeAll(async () => void (cluster = await startCluster()));
  afterAll(() => cluster.remove());
  beforeEach(() => {
    [edits, loads] = [[], []];
    folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.kill()));
    await cluster.query("drop schema public cascade; create schema public");
    rmSync(folder, { recursive: true });
  });

  async function serve(dist: string): Promise<Server> {
    const settings = { STORAGE_URL: cluster.url(), STORAGE_CONNECTIONS: "3" };
    const command: [string, string] = [process.execPath, join(dist, "server/main.js")];
    const server = await startServer("", settings, { command });
    servers.push(server);
    return server;
  }

  /** Signs people up at a server, and renames and lists promoters there. */
  function load(server: Server): void {
    loads.push(startSignups(server, { clients: 2, name: `lead-${loads.length}` }));
    edits.push(startEdits(server));
  }

  const cli = async (dist: string, ...words: string[]) =>
    run(process.execPath, [join(dist, "server/cli.js"), ...words], {
      env: { ...process.env, STORAGE_URL: cluster.url() },
      cwd: folder,
    });
  const isInNextForm = async () => {
    const { rows } = await cluster.query(JANE);
    return String(rows[0]?.["doc"]).includes('"person":');
  };

  /** Ends all loads, and checks that the store has each acknowledged sign-up once. */
  async function expectNothingLost(): Promise<void> {
    await Promise.all([...loads, ...edits].map((each) => each.stop()));
    // In SQL, because this release may not open a store of the next one.
    const { rows } = await cluster.query("select doc->>'uid' as uid from leads");
    const uids = rows.map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(uids.length);
    const recorded = loads.flatMap((each) => each.recorded);
    expect(recorded.filter((uid) => !uids.includes(uid))).toEqual([]);
  }

  it("servers of two releases serve until all are new, and then the new layout is written", async () => {
    const next = makeNextRelease("next-release", { servesFormer: true });
    const [a, b] = [await serve("dist"), await serve("dist")];
    await v1(a, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    for (const server of [a, b]) load(server);
    const c = await serve(next);
    load(c);
    await Promise.all(loads.map((each) => each.more(20)));
    expect(await isInNextForm()).toBe(false);
    expect(await a.stop()).toBe(0);
    const d = await serve(next);
    load(d);
    expect(await b.stop()).toBe(0);
    expect(await isInNextForm()).toBe(false);

    const upgraded = await cli(next, "upgrade");
    expect(JSON.parse(upgraded.stdout)).toEqual({ layout: NEXT_LAYOUT, backup: null });
    await expect.poll(isInNextForm).toBe(true);
    await Promise.all([loads[2]!.more(20), loads[3]!.more(20)]);
    await expectNothingLost();
    expect([...loads, ...edits].flatMap(({ refused }) => refused)).toEqual([]);
    await expect(serve("dist")).rejects.toThrow("The store was made by a later release of Tidemark");
    expect((await cli(next, "check")).stderr).toBe("no faults\n");
  });

  it("a server of the former release that still runs stops before the new layout is written", async () => {
    const next = makeNextRelease("next-release", { servesFormer: true });
    const [a, c] = [await serve("dist"), await serve(next)];
    await v1(a, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    for (const server of [a, c]) load(server);
    await Promise.all(loads.map((each) => each.more(20)));
    const upgrade = cli(next, "upgrade");
    await Promise.race([a.printed(TAKEN_OVER), upgrade]);
    expect(await isInNextForm()).toBe(false);
    expect(await a.stop()).toBe(1);
    await upgrade;
    await expect.poll(isInNextForm).toBe(true);
    await expectNothingLost();
    const [former, later] = [loads[0]!.refused, loads[1]!.refused];
    expect(former.filter((answer) => answer !== STOPPING)).toEqual([]);
    expect([...later, ...edits[1]!.refused]).toEqual([]);
    expect((await cli(next, "check")).stderr).toBe("no faults\n");
  });

  it("a release that can't serve the former layout refuses to start beside it, and `upgrade` stops what runs and converts", async () => {
    const next = makeNextRelease("next-release-alone", { servesFormer: false });
    const a = await serve("dist");
    await v1(a, "/promoters/create", { email: "jane@example.com", ref_id: "jane", first_name: "Jane" });
    load(a);
    await loads[0]!.more(20);
    await expect(serve(next)).rejects.toThrow(
      "Another server or command uses the store, and this release must convert it first: stop all servers, then start " +
        "this one, or run `tidemark upgrade`, which stops them. `tidemark upgrade --check` says how long it takes\n",
    );
    const { stdout } = await cli(next, "upgrade", "--check");
    expect(stdout).toMatch(
      /^The store has layout \d+, and this release needs layout \d+: it will be converted\. .*\nIt has [\d,]+ entries of .*about \d+ seconds.*\nBefore that, a backup .* is written to before-upgrade-.*\.jsonl\.\nAnother server or command uses the store now\. .*\n$/,
    );
    await loads[0]!.more(20);
    expect(readdirSync(folder)).toEqual([]);
    const upgrading = cli(next, "upgrade");
    await Promise.race([a.printed(TAKEN_OVER), upgrading]);
    expect(await a.stop()).toBe(1);
    await upgrading;
    expect(await isInNextForm()).toBe(true);
    const { rows } = await cluster.query("select nickname from promoters where id = 1");
    expect(String(rows[0]?.["nickname"])).toMatch(/^Jane/);
    await serve(next);
    expect((await cli(next, "check")).stderr).toBe("no faults\n");
    expect(readdirSync(folder)).toHaveLength(1);
    await expectNothingLost();
    expect(loads[0]!.refused.filter((answer) => answer !== STOPPING)).toEqual([]);
    const mark = await cluster.query(`select value from items where key = '${MARK_KEY}'`);
    expect(JSON.parse(String(mark.rows[0]?.["value"]))).toEqual({ version: LAYOUT + 1 });
  });
});

/** A client that changes a promoter and lists all of them, again and again. */
interface EditLoad {
  /** Unsuccessful answers, as status and body. */
  refused: string[];
  stop(): Promise<void>;
}

function startEdits(server: Server): EditLoad {
  const refused: string[] = [];
  const work = { isOver: false };
  async function edit(at: number): Promise<void> {
    const update = await v1(server, "/promoters/update", { id: "1", first_name: `Jane ${at}` });
    const headers = { "x-api-key": "key-of-acme" };
    const list = await fetch(`${server.url}/api/v1/promoters/list`, { headers });
    for (const { status, body } of [update, { status: list.status, body: await list.text() }]) {
      if (status !== 200) refused.push(`${status} ${JSON.stringify(body)}`);
    }
    await pause();
  }
  async function editAll(): Promise<void> {
    try {
      for (let at = 0; !work.isOver; at++) await edit(at);
    } catch {
      // Its server is gone. A client would go to another one; here its part is over.
    }
  }
  const working = editAll();
  return {
    refused,
    async stop() {
      work.isOver = true;
      await working;
    },
  };
}
