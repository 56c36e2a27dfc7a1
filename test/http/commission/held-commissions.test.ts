import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { cashOf, makeReward, offer, trackV2 } from "../../support/money.ts";
import { temporaryFolder } from "../../support/server.ts";
import { company, join } from "../../support/v2.ts";
import { storeAt } from "../../support/records.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe("commissions of a campaign that holds them for fourteen days", () => {
  let app: TestApp;
  /** Another process that serves the same account. */
  let other: TestApp;
  let elapsed = 0;
  let folder: string;
  let remove: () => void;
  beforeEach(async () => {
    ({ folder, remove } = temporaryFolder());
    const open = () => storeAt(`sqlite:${folder}`);
    app = await startApp("memory", { store: await open() });
    other = await startApp("memory", { store: await open(), isFilled: true });
    await join(app, "jane@example.com", { ref_id: "jane" });
    await offer(app, await makeReward(app));
    await app.v1("/track/signup", { email: "lead@example.com", uid: "u-1", ref_id: "jane" });
    await app.records.change("campaign", 1, { commission_hold_days: 14 });
  });
  afterEach(async () => {
    expect([app.bugs, other.bugs]).toEqual([[], []]);
    await app.close();
    await other.close();
    remove();
  });

  const sell = (event_id: string) => trackV2(app, "sale", { uid: "u-1", event_id, amount: 10_000 });
  const after = (days: number) => app.setNow(new Date(Date.parse(NOW) + days * DAY_MS).toISOString());
  const stored = async () =>
    (await app.records.all("commission")).map(({ status, approve_at, status_updated_at }) => [
      status,
      approve_at,
      status_updated_at,
    ]);
  const startJobs = () => newJobs(app.services, () => elapsed);

  /** Lets the jobs run so many days after the sale. */
  async function runAfter(days: number): Promise<void> {
    after(days);
    elapsed += 120_000;
    const jobs = startJobs();
    await jobs.pass();
    await jobs.stop();
  }

  it("are approved on their day, once, and late if no server ran", async () => {
    await sell("order-1");
    expect(await stored()).toEqual([["pending", "2026-03-18T05:06:07.890Z", null]]);
    await runAfter(13.9);
    expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
    await runAfter(20);
    await runAfter(30);
    expect(await stored()).toEqual([["approved", null, "2026-03-24T05:06:07.890Z"]]);
    expect(await cashOf(app, 1)).toEqual([1_000, 1_000, 0]);
  });

  it("are held to the last instant that a record may have, and not beyond", async () => {
    const sale = { uid: "u-1", event_id: "order-1", amount: 10_000, created_at: "9999-12-31" };
    expect((await trackV2(app, "sale", sale)).status).toBeLessThan(300);
    expect(await stored()).toEqual([["pending", "9999-12-31T23:59:59.999Z", null]]);
  });

  it("are approved with those that take them back", async () => {
    await sell("order-1");
    await trackV2(app, "refund", { uid: "u-1", event_id: "r-1", amount: 4_000 });
    await runAfter(14);
    expect((await stored()).map(([status]) => status)).toEqual(["approved", "approved"]);
    expect(await cashOf(app, 1)).toEqual([600, 600, 0]);
  });

  // Each process has a block of ids of its own.
  it.each([
    ["higher", (): TestApp[] => [app, other]],
    ["lower", (): TestApp[] => [other, app]],
  ])("are approved with a refund by another process, whose commission has a %s id", async (_, inOrder) => {
    for (const { services } of inOrder()) await services.store.nextId("commission");
    await sell("order-1");
    await trackV2(other, "refund", { uid: "u-1", event_id: "r-1", amount: 4_000 });
    await runAfter(14);
    expect(await stored()).toEqual([
      ["approved", null, "2026-03-18T05:06:07.890Z"],
      ["approved", null, "2026-03-18T05:06:07.890Z"],
    ]);
    expect(await cashOf(app, 1)).toEqual([600, 600, 0]);
  });

  it("stay as someone decided meanwhile", async () => {
    for (const order of ["order-1", "order-2", "order-3"]) await sell(order);
    await company(app, "POST /commissions/deny", { ids: [1] });
    await company(app, "POST /commissions/approve", { ids: [2, 3] });
    await app.v1("/rewards/update", { id: "3", status: "pending" });
    await runAfter(30);
    expect((await stored()).map(([status]) => status)).toEqual(["denied", "approved", "pending"]);
  });

  it("wait for someone's approval once they are set to pending", async () => {
    await sell("order-1");
    await trackV2(app, "refund", { uid: "u-1", event_id: "r-1", amount: 4_000 });
    expect(await app.v1("/rewards/update", { event_id: "order-1", status: "pending" })).toMatchObject({
      status: 200,
      body: { status: "pending" },
    });
    await runAfter(20);
    expect(await stored()).toEqual([
      ["pending", null, NOW],
      ["pending", null, NOW],
    ]);
  });

  it("are approved once by many processes at the same time, and of the same day all", async () => {
    for (let order = 0; order < 5; order++) await sell(`order-${order}`);
    after(14);
    elapsed += 120_000;
    const all = Array.from({ length: 4 }, startJobs);
    await Promise.all(all.map((jobs) => jobs.pass()));
    await Promise.all(all.map((jobs) => jobs.stop()));
    expect(await cashOf(app, 1)).toEqual([5_000, 5_000, 0]);
    expect((await company(app, "GET /commissions?filters[status]=pending")).headers.get("total")).toBe("0");
  });
});
