import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../support/app.ts";
import { findFaults, inStore } from "../support/consistency.ts";
import { makeReward, offer } from "../support/money.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { linesIn } from "../support/temporary-store.ts";
import { company, join } from "../support/v2.ts";
import { storeAt } from "../support/records.ts";
import { eraseLead, erasePromoter } from "../support/operations.ts";

/** A word that appears only in the erased people's own data. */
const MARK = "zqxjkvzq";
/** Requests that are under way in each of the two servers. */
const LANES = 6;

describe.skipIf(POSTGRES_FOLDER === null)("an erasure on Postgres beside traffic", () => {
  let cluster: Cluster;
  let stores: TestApp["services"]["store"][];
  let apps: [TestApp, TestApp];
  beforeAll(async () => {
    cluster = await startCluster();
    const open = () => storeAt(cluster.url(), { connections: 5 });
    stores = [await open(), await open(), await open()];
    const [one, other] = stores as [(typeof stores)[0], (typeof stores)[0]];
    apps = [
      await startApp("memory", { store: one }),
      await startApp("memory", { store: other, isFilled: true }),
    ];
    await offer(apps[0], await makeReward(apps[0]));
    await join(apps[0], `${MARK}-jane@example.com`, { ref_id: `${MARK}-jane`, first_name: MARK });
    await apps[0].v1("/track/signup", { email: `${MARK}@example.com`, ref_id: `${MARK}-jane` });
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await cluster.remove();
  });

  /** Changes the promoter's and the lead's records through both servers until the work is done. */
  async function besideTraffic<T>(work: () => Promise<T>): Promise<{ result: T; answers: number }> {
    const over = new AbortController();
    let answers = 0;
    const lane = async (app: TestApp, number: number) => {
      for (let count = 0; !over.signal.aborted; count++) {
        const email = `lead-${number}-${count}@example.com`;
        const address = { "x-forwarded-for": `203.0.${number}.${count % 250}` };
        const results = await Promise.all([
          app.v1("/track/signup", { email, ref_id: `${MARK}-jane` }, address),
          app.v1("/track/sale", { email, event_id: `inv_${number}_${count}`, amount: "100" }),
          app.v1("/leads/update", { id: "1", plan: `plan-${number}-${count}` }),
          company(app, "PUT /promoters/1", { note: `note ${number} ${count}` }),
        ]);
        for (const { status } of results) expect([200, 204, 404, 409, 422, 503]).toContain(status);
        answers += results.length;
      }
    };
    const lanes = Promise.all(
      Array.from({ length: 2 * LANES }, (_, number) => lane(apps[number % 2]!, number)),
    );
    try {
      return { result: await work(), answers };
    } finally {
      over.abort();
      await lanes;
    }
  }

  const context = () => ({ ...apps[0].context, store: stores[2]! });

  it("comes through and leaves nothing of the people", async () => {
    const { account_id } = apps[0];
    const lead = await besideTraffic(() => eraseLead({ context: context(), account_id }, "1"));
    expect(lead.result.id).toBe(1);
    const promoter = await besideTraffic(() => erasePromoter({ context: context(), account_id }, "1"));
    expect(promoter.result.id).toBe(1);
    const lines = await inStore(cluster.url(), linesIn);
    expect(lines.filter((line) => line.toLowerCase().includes(MARK))).toEqual([]);
    expect(await inStore(cluster.url(), findFaults)).toEqual([]);
    // A busy machine may answer 503 to a few requests.
    const bugs = apps.flatMap((app) => app.bugs).filter((line) => !line.includes('; try again"'));
    expect(bugs).toEqual([]);
  });
});
