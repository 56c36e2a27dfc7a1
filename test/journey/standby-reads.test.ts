import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startPair, type Pair } from "../support/postgres-pair.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { ACCOUNT, KEY, startServer, v1, type Server } from "../support/server.ts";

const HEADERS = { authorization: `Bearer ${KEY}`, "account-id": ACCOUNT };

describe.skipIf(POSTGRES_FOLDER === null)("reports from a standby", () => {
  let pair: Pair;
  let servers: Server[];
  beforeEach(async () => {
    servers = [];
    pair = await startPair();
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await pair.remove();
  });

  async function start(settings: Record<string, string>): Promise<Server> {
    const server = await startServer("", { STORAGE_URL: pair.url, STORAGE_CONNECTIONS: "4", ...settings });
    servers.push(server);
    return server;
  }

  const signUp = async (server: Server, uid: string) =>
    expect(await v1(server, "/track/signup", { uid, ref_id: "jane" })).toMatchObject({ status: 200 });

  /** How many sign-ups this year's report shows, and how old it says that it may be. */
  async function report({ url }: Server): Promise<[count: number, ageSeconds: number | null]> {
    const year = new Date().getUTCFullYear();
    const query = `columns[]=referrals_count&group_by=year&start_date=${year}-01-01&end_date=${year}-12-31`;
    const response = await fetch(`${url}/api/v2/company/reports/overview?${query}`, { headers: HEADERS });
    const [row] = (await response.json()) as { data: { referrals_count: number } }[];
    const age = response.headers.get("x-data-age");
    return [row!.data.referrals_count, age === null ? null : Number(age)];
  }

  it("tell their age while its replay is paused, and come from the primary when they are too old or it is gone", async () => {
    const server = await start({ STORAGE_READ_URL: pair.url, STORAGE_READ_MAX_AGE: "100000" });
    const strict = await start({ STORAGE_READ_URL: pair.url, STORAGE_READ_MAX_AGE: "0" });
    const plain = await start({});
    await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    await signUp(server, "first");
    await expect.poll(() => report(server)).toEqual([1, 0]);
    await pair.standby().query("select pg_wal_replay_pause()");
    await signUp(server, "second");
    await expect.poll(async () => (await report(server))[1]).toBeGreaterThan(1);
    expect((await report(server))[0]).toBe(1);
    expect(await report(strict)).toEqual([2, 0]);
    expect(await report(plain)).toEqual([2, null]);
    await pair.standby().query("select pg_wal_replay_resume()");
    await expect.poll(() => report(server)).toEqual([2, 0]);
    await pair.standby().kill();
    expect(await report(server)).toEqual([2, 0]);
  });

  it("go on after the standby was promoted, without a restart", async () => {
    const server = await start({ STORAGE_READ_URL: pair.url });
    await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    await signUp(server, "first");
    await pair.primary().kill();
    await pair.promote();
    const status = () =>
      v1(server, "/track/signup", { uid: "second", ref_id: "jane" }).then((answer) => answer.status);
    await expect.poll(status).toBe(200);
    expect(await report(server)).toEqual([2, 0]);
    await pair.rejoin();
    await expect.poll(() => report(server)).toEqual([2, 0]);
  });
});
