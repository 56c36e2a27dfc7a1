import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../support/app.ts";
import { edgedStoreAt, newEdge, type Edge } from "../support/edge.ts";
import { makeReward, offer } from "../support/money.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { join } from "../support/v2.ts";

describe.skipIf(POSTGRES_FOLDER === null)("of two servers on one Postgres", () => {
  let cluster: Cluster;
  let apps: [TestApp, TestApp];
  let edge: Edge;
  beforeAll(async () => {
    cluster = await startCluster();
    const [one, other] = [await edgedStoreAt(cluster.url()), await edgedStoreAt(cluster.url())];
    apps = [
      await startApp("memory", { store: one.store }),
      await startApp("memory", { store: other.store, isFilled: true }),
    ];
    edge = one.edge;
    await offer(apps[0], await makeReward(apps[0]));
    await join(apps[0], "jane@example.com", { ref_id: "jane" });
    await apps[0].v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    return async () => {
      for (const app of apps) await app.close();
      for (const { store } of [one, other]) await store.close();
    };
  });
  afterAll(() => cluster.remove());

  it("one does not take the first sale while the other changes the currency", async () => {
    const watcher = await cluster.watch();
    let sale: ReturnType<TestApp["v1"]>;
    edge.commit = async () => {
      edge.commit = newEdge().commit;
      const params = { email: "lead@example.com", event_id: "e1", amount: "100", currency: "USD" };
      sale = apps[1].v1("/track/sale", params);
      await Promise.race([sale, watcher.waiting(1)]);
    };
    expect((await apps[0].v2("PATCH", "/account", { currency: "EUR" })).status).toBe(200);
    // It is kept until there is a rate.
    expect(await sale!).toMatchObject({ status: 202, body: { amount_cents: null } });
    await watcher.end();
  });
});
