import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { findFaults, rebuildStore } from "../../../server/transfer/check.ts";
import { startApp, STORAGES, type TestApp } from "../../support/app.ts";
import { makeReward, offer } from "../../support/money.ts";
import { temporaryStore, type TemporaryStore } from "../../support/temporary-store.ts";
import { company, outcome } from "../../support/v2.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
/** Two hours before midnight in UTC: the next day in Berlin, and still this one in New York. */
const LATE = "2026-03-10T23:30:00Z";
const METRICS = ["clicks_count", "referrals_count", "customers_count", "revenue_amount"] as const;

describe.each(STORAGES)("the days of reports on %s", (storage) => {
  let app: TestApp;
  let stored: TemporaryStore;
  beforeEach(async () => {
    stored = await temporaryStore(storage);
    app = await startApp(storage, { store: stored.store });
    await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    await offer(app, await makeReward(app, [{ amount: 30 }]));
  });
  afterEach(async () => {
    const faults: string[] = [];
    for await (const fault of findFaults(stored.engine)) faults.push(fault);
    expect([faults, app.bugs]).toEqual([[], []]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const moveTo = (time_zone: string) => call("PUT /account", { time_zone });
  const buy = async (name: string, tid: string) => {
    await app.browser("/t/click", { tid, ref_id: "jane" });
    await app.browser("/t/signup", { tid, uid: name });
    await app.v1("/track/sale", { uid: name, event_id: name, amount: "1000" });
  };
  /** The days with figures, from the overview. */
  const days = async () => {
    const columns = METRICS.map((name) => `columns[]=${name}`).join("&");
    const { body } = await call(
      `GET /reports/overview?${columns}&group_by=day&start_date=2026-03-08&end_date=2026-03-14`,
    );
    const rows = body as { id: string; data: Record<string, number> }[];
    return rows
      .map(({ id, data }) => [id, ...METRICS.map((name) => data[name])])
      .filter(([, ...figures]) => figures.some((figure) => figure !== 0));
  };

  it("are those of the account's time zone", async () => {
    expect((await moveTo("Europe/Berlin")).status).toBe(200);
    app.setNow(LATE);
    await buy("sam", TID);
    expect(await days()).toEqual([["2026-03-11", 1, 1, 1, 1000]]);
    const { body } = await call("GET /dashboards/trendings");
    expect(JSON.stringify(body)).toContain('"2026-03-11"');
  });

  it("stay as they were counted when the zone is changed, which holds from its next midnight", async () => {
    app.setNow(LATE);
    await buy("sam", TID);
    expect(await days()).toEqual([["2026-03-10", 1, 1, 1, 1000]]);
    await moveTo("America/New_York");
    app.setNow("2026-03-11T03:30:00Z");
    await buy("pat", TID.replace("7", "8"));
    // New York's midnight is at 04:00.
    expect(await days()).toEqual([
      ["2026-03-10", 1, 1, 1, 1000],
      ["2026-03-11", 1, 1, 1, 1000],
    ]);
    app.setNow("2026-03-12T03:30:00Z");
    await buy("kim", TID.replace("7", "9"));
    const counted = [
      ["2026-03-10", 1, 1, 1, 1000],
      ["2026-03-11", 2, 2, 2, 2000],
    ];
    expect(await days()).toEqual(counted);
    // Changes of what was counted before are counted where it was.
    await app.v1("/leads/update", { uid: "sam", state: "denied" });
    await rebuildStore(stored.engine, () => {});
    expect(await days()).toEqual(counted);
  });

  it("keep the clicks of visitors who have expired", async () => {
    await moveTo("Europe/Berlin");
    app.setNow(LATE);
    await app.browser("/t/click", { tid: TID, ref_id: "jane" });
    app.setNow("2026-06-10T00:00:00Z");
    const jobs = newJobs(app.services, () => 0);
    await jobs.pass();
    await jobs.stop();
    expect(await app.records.get("visitor", TID)).toBeNull();
    expect(await days()).toEqual([["2026-03-11", 1, 0, 0, 0]]);
  });
});
