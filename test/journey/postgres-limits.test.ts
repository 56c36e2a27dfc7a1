import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { KEY, startServer, type Server } from "../support/server.ts";

describe.skipIf(POSTGRES_FOLDER === null)("limits of servers on one Postgres", () => {
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

  /** Starts one process, and two under a primary. */
  const startTwo = async (environment: Record<string, string>) => {
    const settings = { STORAGE_URL: cluster.url(), STORAGE_CONNECTIONS: "3", ...environment };
    servers = [await startServer("", settings), await startServer("", { ...settings, WORKERS: "2" })];
    return servers as [Server, Server];
  };

  const list = (server: Server, key: string) =>
    fetch(`${server.url}/api/v1/leads/list`, { headers: { "x-api-key": key } });

  it("are shared by all of their processes exactly", async () => {
    const pair = await startTwo({ RATE_LIMIT_V1: "40" });
    const answers: Response[] = [];
    // A few at a time: a server that waits for the database for a second counts by itself.
    while (answers.length < 70) {
      answers.push(...(await Promise.all(Array.from({ length: 7 }, (_, at) => list(pair[at % 2]!, KEY)))));
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
    const remaining = answers.map(({ headers }) => Number(headers.get("ratelimit-remaining")));
    const expected = Array.from({ length: 70 }, (_, at) => Math.max(0, 39 - at));
    expect(remaining.sort((left, right) => right - left)).toEqual(expected);
    for (const server of pair) {
      const { status, headers } = await list(server, KEY);
      expect(status).toBe(429);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60);
    }
  });

  it("of failed attempts to authenticate are shared by all of them, and store no address", async () => {
    const pair = await startTwo({});
    for (let tries = 0; tries < 30; tries++) {
      expect((await list(pair[tries % 2]!, `wrong${tries}`)).status).toBe(401);
    }
    for (const server of pair) {
      const { status, headers } = await list(server, "wrong");
      expect(status).toBe(429);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const { rows } = await cluster.query("select key from tidemark_limits");
    for (const { key } of rows) expect(key).toMatch(/^[\w-]+:[\w-]{43}$/);
  });

  it("of browsers' sign-ups are shared by all of them", async () => {
    const pair = await startTwo({});
    const signUp = (at: number) =>
      fetch(`${pair[at % 2]!.url}/t/signup`, {
        method: "POST",
        headers: { origin: pair[at % 2]!.url, "user-agent": "Mozilla/5.0 Chrome/140" },
        body: new URLSearchParams({ cid: "acme", email: `lead-${at}@example.com`, ref_id: "nobody" }),
      });
    // One after the other, for the same reason.
    const statuses: number[] = [];
    for (let at = 0; at < 80; at++) statuses.push((await signUp(at)).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });
});
