import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { callCli } from "../support/cli.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { rounds } from "../support/rounds.ts";
import { startServer, v1, v2, type Server } from "../support/server.ts";
import { leadCountsIn, leadCounts } from "../support/stats.ts";
import { withRecords } from "../support/records.ts";

const ALREADY = {
  status: 422,
  body: { transaction_id: "there is already a signup event registered on this lead" },
};

describe.skipIf(POSTGRES_FOLDER === null)("servers on one Postgres", () => {
  let cluster: Cluster;
  let servers: Server[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    servers = [];
  });
  afterAll(() => cluster.remove());

  const start = async () => {
    const server = await startServer("", { STORAGE_URL: cluster.url(), STORAGE_CONNECTIONS: "4" });
    servers.push(server);
    return server;
  };

  it("make the store, and commands that look at it don't", async () => {
    for (const words of [["check"], ["account", "list"], ["upgrade", "--check"]]) {
      const { code, stderr } = await callCli("", words, { STORAGE_URL: cluster.url() });
      expect([code, stderr]).toEqual([
        1,
        "The store of STORAGE_URL can't be opened: there is no store in this database\n",
      ]);
    }
    const tables = "select count(*) from pg_tables where schemaname = 'public'";
    expect((await cluster.query(tables)).rows).toEqual([{ count: "0" }]);
  });

  it("create their tables when they start at the same time, and record one of many simultaneous sign-ups", async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(await v1(first, "/promoters/create", { email: "jane@example.com", ref_id: "jane" })).toMatchObject(
      {
        status: 200,
      },
    );
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        v1(index % 2 ? first : second, "/track/signup", { email: "lead@example.com", ref_id: "jane" }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expect(answer).toEqual(ALREADY);
    expect(await withRecords(cluster.url(), (records) => records.count("account"))).toBe(1);
    expect(await leadCountsIn(cluster.url())).toEqual(leadCounts(1));
    expect(await Promise.all([first.stop(), second.stop()])).toEqual([0, 0]);
  });

  it("keep all custom statuses that were saved at the same time, one of each name", async () => {
    const servers = [await start(), await start()];
    const names = Array.from({ length: 24 }, (_, at) => `status ${at % 16}`);
    const saved = await Promise.all(
      names.map((name, order) =>
        v2(servers[order % 2]!, "PUT /custom_referral_statuses", {
          custom_referral_statuses: [{ name, order }],
        }),
      ),
    );
    expect(saved.filter(({ status }) => status === 200)).toHaveLength(16);
    const { body } = await v2(servers[0]!, "GET /custom_referral_statuses");
    const kept = (body as { name: string }[]).map(({ name }) => name);
    expect(kept.sort()).toEqual([...new Set(names)].sort());
  });

  it("have every acknowledged sign-up, and matching counters, after a server and the database were killed", async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds(2, 3); round++) {
      const pair = [await start(), await start()] as const;
      const signups = Array.from({ length: 80 }, async (_, index) => {
        const email = `lead-${round}-${index}@example.com`;
        const { status } = await v1(pair[index % 2]!, "/track/signup", { email, uid: email, ref_id: "jane" });
        if (status === 200) acknowledged.push(email);
      });
      await Promise.race(signups);
      await pair[0].kill();
      if (round % 2 === 1) {
        await cluster.kill();
        await cluster.start();
      }
      await Promise.allSettled(signups);
      await pair[1].kill();
    }
    const server = await start();
    for (const email of acknowledged) {
      expect(await v1(server, "/track/signup", { email, ref_id: "jane" })).toEqual(ALREADY);
      expect(await v1(server, "/track/signup", { uid: email, ref_id: "jane" })).toEqual(ALREADY);
    }
    // The second server answers all of its sign-ups in the first round.
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);
    const counts = (await leadCountsIn(cluster.url()))!;
    expect(counts.records).toBeGreaterThan(acknowledged.length);
    expect(counts).toEqual(leadCounts(counts.records));
  });

  it("answer 503 while the database is away, and serve again when it is back", async () => {
    const server = await start();
    const ready = async () => {
      const response = await fetch(`${server.url}/readyz`);
      return [response.status, await response.json()];
    };
    const signup = () =>
      fetch(`${server.url}/api/v1/track/signup`, {
        method: "POST",
        headers: { "x-api-key": "key-of-acme" },
        body: new URLSearchParams({ email: "late@example.com", ref_id: "jane" }),
      });
    expect(await ready()).toEqual([200, { status: "ready" }]);
    await cluster.kill();
    const [readiness, answer] = await Promise.all([ready(), signup()]);
    expect(readiness).toEqual([503, { status: "unavailable", reason: expect.stringMatching(/^The store /) }]);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await answer.json()).toEqual({ error: "The store can't be reached or written to; try again" });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(server.output()).toContain("ECONNREFUSED");
    await cluster.start();
    expect((await signup()).status).toBe(200);
    expect(await ready()).toEqual([200, { status: "ready" }]);
    expect(await server.stop()).toBe(0);
  });

  it("say at their start and to /readyz that a crash could lose facts", async () => {
    const options = encodeURIComponent("-c synchronous_commit=off");
    const settings = { STORAGE_URL: `${cluster.url()}?options=${options}`, LOG_LEVEL: "warn" };
    const server = await startServer("", { ...settings, STORAGE_REQUIRE_STANDBY: "1" });
    servers.push(server);
    const ready = await fetch(`${server.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({
      status: "ready",
      warnings: [
        "synchronous_commit is off: a crash of the database loses its latest commits",
        "synchronous_standby_names is empty: commits wait for no standby",
      ],
    });
    expect(server.output()).toContain(
      '"msg":"The store is not as durable as promised: synchronous_commit is off: a crash',
    );
    expect(await server.stop()).toBe(0);
  });

  it("say in one line why they can't start", async () => {
    const refused = (url: string) => startServer("", { STORAGE_URL: url }).then(String, String);
    expect(await refused(`${cluster.url()}-none`)).toContain(
      `Tidemark can't start: The store of STORAGE_URL can't be opened: database "postgres-none" does not exist`,
    );
    expect(await refused("postgres://me:secret@127.0.0.1:1/x")).toMatch(
      /^Error: The server ended with 1: .*can't be opened: connect ECONNREFUSED 127\.0\.0\.1:1\n$/,
    );
  });
});
