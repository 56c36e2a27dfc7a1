import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPatroni, startPatroni, type NodeName, type PatroniCluster } from "../support/patroni.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { startServer, v1, type Server } from "../support/server.ts";
import { startSignups } from "../support/signup-load.ts";

const PATIENT = { timeout: 180_000 };

describe.skipIf(POSTGRES_FOLDER === null || !hasPatroni())(
  "servers on Patroni, as its page sets it up",
  () => {
    let cluster: PatroniCluster;
    let servers: Server[];
    beforeAll(async () => {
      cluster = await startPatroni();
      const start = (url: string, required: string) =>
        startServer("", { STORAGE_URL: url, STORAGE_REQUIRE_STANDBY: required, LOG_LEVEL: "warn" });
      servers = [await start(cluster.url, "always"), await start(cluster.proxyUrl, "1")];
      await v1(servers[0]!, "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.kill()));
      await cluster.remove();
    });

    const otherOf = (name: NodeName): NodeName => (name === "a" ? "b" : "a");

    it("let commits wait while the standby is gone, so that nothing is on one disk only", async () => {
      const leader = await cluster.whole();
      await cluster.kill(otherOf(leader));
      const names = async () => (await cluster.query(leader, "show synchronous_standby_names"))[0];
      await expect.poll(names, PATIENT).toEqual({ synchronous_standby_names: "*" });
      for (const server of servers)
        expect((await v1(server, "/track/signup", { uid: "alone", ref_id: "jane" })).status).toBe(503);
      cluster.start(otherOf(leader));
      await cluster.whole();
    });

    it("keep each acknowledged sign-up once while the leader dies and the standby takes over", async () => {
      const old = await cluster.whole();
      const loads = servers.map((server, at) => startSignups(server, { clients: 3, name: `server-${at}` }));
      const more = (count: number) => Promise.all(loads.map((load) => load.more(count)));
      await more(40);
      await cluster.kill(old);
      await cluster.leads(otherOf(old));
      cluster.start(old);
      expect(await cluster.whole()).toBe(otherOf(old));
      await more(40);
      await Promise.all(loads.map((load) => load.stop()));
      const rows = await cluster.query(otherOf(old), "select uid from leads", "tidemark");
      const uids = rows.map(({ uid }) => uid as string);
      expect(new Set(uids).size).toBe(uids.length);
      expect(uids).toEqual(expect.arrayContaining(loads.flatMap((load) => load.recorded)));
      for (const answer of loads.flatMap((load) => load.refused)) expect(answer).toMatch(/^503 /);
    });
  },
);
