import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startPair, waitForStandby, type Pair } from "../support/postgres-pair.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { startServer, v1, type Server } from "../support/server.ts";

const GONE = "no synchronous standby is connected: every write waits for one";
const EMPTY = "synchronous_standby_names is empty: commits wait for no standby";
const AWAY = "The store does not answer in time";
const FIRST = Array.from({ length: 64 }, (_, at) => `first-${at}`);

describe.skipIf(POSTGRES_FOLDER === null)("a server on a Postgres that loses its synchronous standby", () => {
  let pair: Pair;
  let server: Server;
  beforeEach(async () => {
    pair = await startPair();
  });
  afterEach(async () => {
    await server.kill();
    await pair.remove();
  });

  async function start(environment: Record<string, string>): Promise<void> {
    server = await startServer("", {
      STORAGE_URL: pair.primary().url(),
      STORAGE_CONNECTIONS: "4",
      LOG_LEVEL: "warn",
      ...environment,
    });
    await v1(server, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    // From now on there are ids in stock, and only commits write.
    for (const uid of FIRST) expect((await signUp(uid)).status).toBe(200);
  }

  const signUp = (uid: string) => v1(server, "/track/signup", { uid, ref_id: "jane" });

  /** The people in the database, also those whom a commit added that still waits. */
  async function recorded(): Promise<string[]> {
    const { rows } = await pair.primary().query("select uid from leads order by id");
    return rows.map(({ uid }) => uid as string);
  }

  async function waitingForStandby(): Promise<number> {
    const text = "select count(*) as found from pg_stat_activity where wait_event = 'SyncRep'";
    return Number((await pair.primary().query(text)).rows[0]!["found"]);
  }

  async function readiness(): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${server.url}/readyz`);
    return { status: response.status, body: await response.json() };
  }

  const logged = (text: string) => server.output().split(text).length - 1;

  it("never records what waited behind another change until it was refused", async () => {
    await start({});
    await pair.standby().freeze();
    const sent = signUp("sent");
    await expect.poll(waitingForStandby).toBeGreaterThan(0);
    const behind = ["behind-1", "behind-2", "behind-3"];
    const answers = await Promise.all([sent, ...behind.map(signUp)]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    await pair.standby().thaw();
    // The store takes changes again as soon as it has found out what became of the one that was sent.
    await expect.poll(async () => (await signUp("last")).status).toBe(200);
    expect(await recorded()).toEqual([...FIRST, "sent", "last"]);
    for (const uid of ["sent", ...behind]) expect([200, 422]).toContain((await signUp(uid)).status);
    expect((await recorded()).toSorted()).toEqual([...FIRST, "last", "sent", ...behind].toSorted());
  });

  it("logs once when the standby goes, and when it is back", async () => {
    await start({ STORAGE_REQUIRE_STANDBY: "1" });
    await pair.standby().kill();
    await server.printed(new RegExp(`not as durable as promised: ${GONE}`));
    expect(await readiness()).toEqual({ status: 200, body: { status: "ready", warnings: [GONE] } });
    await pair.standby().start();
    await server.printed(new RegExp(`this is over: ${GONE}`));
    expect(logged(`not as durable as promised: ${GONE}`)).toBe(1);
    expect(await readiness()).toEqual({ status: 200, body: { status: "ready" } });
  });

  it("refuses changes at once without one, if it is always required", async () => {
    await start({ STORAGE_REQUIRE_STANDBY: "always" });
    await pair.standby().kill();
    await expect
      .poll(readiness)
      .toEqual({ status: 503, body: { status: "unavailable", reason: GONE, warnings: [GONE] } });
    expect((await signUp("refused")).status).toBe(503);
    expect(await waitingForStandby()).toBe(0);
    await setNames("");
    await expect
      .poll(readiness)
      .toEqual({ status: 503, body: { status: "unavailable", reason: EMPTY, warnings: [EMPTY] } });
    expect((await signUp("refused")).status).toBe(503);
    expect(await recorded()).toEqual(FIRST);
    await pair.standby().start();
    await waitForStandby(pair.primary());
    await expect.poll(async () => (await readiness()).status).toBe(200);
    expect((await signUp("accepted")).status).toBe(200);
  });

  it("does not acknowledge a commit whose wait for the standby was ended, if one is always required", async () => {
    await start({ STORAGE_REQUIRE_STANDBY: "always" });
    await pair.standby().freeze();
    const answer = signUp("waiting");
    await expect.poll(waitingForStandby).toBeGreaterThan(0);
    // As programs for failovers do it.
    await pair.standby().kill();
    await setNames("");
    expect((await answer).status).toBe(503);
    expect(await recorded()).toEqual([...FIRST, "waiting"]);
    await pair.standby().start();
    await waitForStandby(pair.primary());
    expect((await signUp("waiting")).status).toBe(422);
  });

  it("tells /readyz which host it refuses, without the password, while another one is the primary", async () => {
    const old = pair.primary();
    await start({ STORAGE_URL: pair.url.replace("tidemark@", "tidemark:secret@") });
    await old.kill();
    await pair.promote();
    await old.start();
    const refusal = `Refused: 127.0.0.1:${old.port} accepts writes on timeline 1, which ended: timeline 2 has begun elsewhere`;
    await expect.poll(readiness).toEqual({ status: 200, body: { status: "ready", warnings: [refusal] } });
    await pair.primary().kill();
    await expect
      .poll(readiness)
      .toEqual({ status: 503, body: { status: "unavailable", reason: AWAY, warnings: [refusal] } });
  });

  async function setNames(names: string): Promise<void> {
    await pair.primary().query(`alter system set synchronous_standby_names = '${names}'`);
    await pair.primary().query("select pg_reload_conf()");
  }
});
