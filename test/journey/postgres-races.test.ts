import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../support/app.ts";
import { edgedStoreAt, newEdge, type Edge } from "../support/edge.ts";
import { makeReward, offer } from "../support/money.ts";
import { addSupplier, agreeTo, turnInvoicesOn } from "../support/invoices.ts";
import { addPayout } from "../support/payouts.ts";
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

  it("both draw numbers of invoices, none twice and without a gap", async () => {
    const jane = await addSupplier(apps[0], "supplier@example.com");
    await turnInvoicesOn(apps[0]);
    await agreeTo(apps[0], jane);
    const ids: number[] = [];
    for (let at = 0; at < 16; at++)
      ids.push((await addPayout(apps[0].context, jane, { status: "completed" })).id);
    const on = (at: number) => apps[at % 2]!;
    await Promise.all(ids.map((id, at) => on(at).v2("POST", "/invoices", { ids: [id] })));
    const listed = async () => {
      const { body } = await apps[0].v2("GET", "/invoices?per_page=100");
      return (body as { data: { invoices: { id: number; number: string }[] } }).data.invoices;
    };
    const made = (await listed()).map(({ id }) => id);
    await Promise.all(made.map((id, at) => on(at).v2("POST", "/invoices/void", { ids: [id] })));
    const numbers = (await listed()).map(({ number }) => Number(number.slice(-6)));
    expect(numbers.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 32 }, (_, at) => at + 1),
    );
  });
});
