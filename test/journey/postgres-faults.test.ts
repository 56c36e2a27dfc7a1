import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { startReceiver } from "../support/receiver.ts";
import { rounds } from "../support/rounds.ts";
import { KEY, startServer, v1, v2, type Server } from "../support/server.ts";
import { leadCountsIn, leadCounts } from "../support/stats.ts";

/** The deadline of the test itself comes first. */

const PATIENT = { timeout: 240_000 };

/** How long a request may take while the database is away, on a busy machine. */
const PATIENCE_MS = 60_000;

describe.skipIf(POSTGRES_FOLDER === null)("servers on a Postgres that fails", () => {
  let cluster: Cluster;
  let servers: Server[] = [];
  let signedUpCount = 0;
  beforeAll(async () => {
    cluster = await startCluster();
    const server = await start();
    await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  });
  afterEach(async () => {
    // Stopped cleanly, so that the next server need not wait for the outbox's lease to expire.
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
  });
  afterAll(() => cluster.remove());

  async function start(environment: Record<string, string> = {}): Promise<Server> {
    const settings = { STORAGE_URL: cluster.url(), STORAGE_CONNECTIONS: "4", ...environment };
    const server = await startServer("", settings);
    servers.push(server);
    return server;
  }

  /** Signs one person up until the answer says that the lead is recorded or was recorded before. */
  async function signUp(ofServer: () => Server): Promise<{ id: unknown; statuses: number[] }> {
    const email = `lead-${++signedUpCount}@example.com`;
    const statuses: number[] = [];
    for (;;) {
      const began = performance.now();
      const { status, body } = await v1(ofServer(), "/track/signup", { email, uid: email, ref_id: "jane" });
      expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
      statuses.push(status);
      if (status !== 503) return { id: (body["lead"] as { id: number } | undefined)?.id, statuses };
    }
  }

  /** Checks that every person is recorded once and the counters agree. */
  async function expectAllOnce(): Promise<void> {
    expect(await leadCountsIn(cluster.url())).toEqual(leadCounts(signedUpCount));
  }

  /** Signs people up one after the other, eight at a time, while something happens. */
  async function signUpDuring(pair: Server[], event: () => Promise<void>): Promise<void> {
    const state = { isOver: false };
    const answers: Awaited<ReturnType<typeof signUp>>[] = [];
    const clients = Array.from({ length: 8 }, async (_, client) => {
      while (!state.isOver) answers.push(await signUp(() => pair[client % pair.length]!));
    });
    const enough = (count: number) => until(() => answers.length >= count);
    await enough(40);
    await event();
    await enough(answers.length + 40);
    state.isOver = true;
    await Promise.all(clients);
    const ids = answers.map(({ id }) => id).filter((id) => id !== undefined);
    expect(new Set(ids).size).toBe(ids.length);
    const last = answers.flatMap(({ statuses }) => statuses.slice(-1));
    // 422: the lead was recorded, but the database died with the first answer.
    expect(last.filter((status) => status !== 200 && status !== 422)).toEqual([]);
    for (const { statuses } of answers) if (statuses.at(-1) === 422) expect(statuses[0]).toBe(503);
    await expectAllOnce();
  }

  it("record everybody once even if Postgres is killed under the load of several processes", async () => {
    const pair = [await start({ WORKERS: "2" }), await start()];
    await signUpDuring(pair, async () => {
      for (let round = 0; round < rounds(1, 3); round++) {
        await cluster.kill();
        await cluster.start();
        await signUp(() => pair[round % 2]!);
      }
    });
  });

  it("answer 503 soon while it hangs, and record everybody once when it continues", async () => {
    const pair = [await start(), await start()];
    await signUpDuring(pair, async () => {
      await cluster.freeze();
      const statuses = await Promise.all(pair.map(async ({ url }) => (await fetch(`${url}/readyz`)).status));
      expect(statuses).toEqual([503, 503]);
      for (const server of pair)
        expect(await firstAnswer(server, ["/readyz", "/api/v1/leads/list"])).toBe("/readyz");
      expect((await v1(pair[0]!, "/promoters/create", { email: "x@example.com" })).status).toBe(503);
      await cluster.thaw();
    });
  });

  it("are not ready while the database has no room, and ready when it has some again", async () => {
    const server = await start();
    const readiness = async () => (await fetch(`${server.url}/readyz`)).status;
    await cluster.query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$`);
    for (const table of ["promoters", "items"])
      await cluster.query(
        `create trigger full_disk before insert or update on ${table} execute function refuse()`,
      );
    const refused = await v1(server, "/promoters/create", { email: "room@example.com" });
    expect([refused.status, await readiness(), await readiness()]).toEqual([503, 503, 503]);
    await cluster.query("drop function refuse cascade");
    await expect.poll(readiness).toBe(200);
    expect((await v1(server, "/promoters/create", { email: "room@example.com" })).status).toBe(200);
  });

  it("post the event of each lead even if Postgres is killed while events are sent", async () => {
    const receiver = await startReceiver();
    const server = await start({ WEBHOOK_ALLOW_PRIVATE: "1" });
    const webhook = { url: receiver.url, event_types: ["referral.created"] };
    expect((await v2(server, "POST /webhooks", webhook)).status).toBe(201);
    const people = await Promise.all(Array.from({ length: 40 }, () => signUp(() => server)));
    await receiver.has(5);
    await cluster.kill();
    await cluster.start();
    people.push(await signUp(() => server));
    const posted = () => new Set(receiver.received.map(({ body }) => body["entity_id"]));
    await until(() => posted().size === people.length);
    expect([...posted()].sort()).toEqual(people.map(({ id }) => id).sort());
    await receiver.close();
  });

  it("wait a little for a Postgres that starts after them", async () => {
    await cluster.kill();
    // Where the database was, it finds someone who hangs up.
    const other = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => other.listen(cluster.port, "127.0.0.1", resolve));
    const starting = start();
    await once(other, "connection");
    await new Promise((resolve) => other.close(resolve));
    await cluster.start();
    const server = await starting;
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  /** Asks for several paths together, and resolves to the one that is answered first. */
  function firstAnswer({ url }: Server, paths: string[]): Promise<string> {
    const headers = { "x-api-key": KEY };
    return Promise.race(paths.map((path) => fetch(`${url}${path}`, { headers }).then(() => path)));
  }

  async function until(isSo: () => boolean): Promise<void> {
    await expect.poll(isSo, PATIENT).toBe(true);
  }
});
