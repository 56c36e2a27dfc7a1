import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer, trackV2 } from "../../support/money.ts";
import { company, join } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  for (const name of ["jane", "bob", "zoe"]) await join(app, `${name}@example.com`, { ref_id: name });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const on = (day: string) => `2026-${day}T12:00:00.000Z`;

/** Sells for 100.00 to a lead of Jane's. The event's id is the day. Returns what it earned. */
async function sell(day: string, more: object = {}): Promise<number[]> {
  const sale = { email: "lead@example.com", ref_id: "jane", event_id: day, amount: 10_000 };
  const { status, body } = await trackV2(app, "sale", { ...sale, created_at: on(day), ...more });
  expect([status, body]).toEqual([200, expect.anything()]);
  return (body as { commissions: { amount: number }[] }).commissions.map(({ amount }) => amount);
}

const refund = (day: string, amount: number) =>
  trackV2(app, "refund", {
    email: "lead@example.com",
    event_id: `re_${day}_${amount}`,
    sale_event_id: day,
    amount,
  });

interface Shown {
  event_id: string;
  amount: number;
  status: string;
  promoter_campaign: { promoter_id: number };
}

/** What is left of the commissions of each sale, as `day: amount of promoter`, however it came about. */
async function left(): Promise<string[]> {
  const { body } = await app.v2("GET", "/commissions?per_page=100");
  const sums = new Map<string, number>();
  for (const { event_id, amount, status, promoter_campaign: owner } of body as Shown[]) {
    const name = `${event_id.replace(/^re_(.*)_.*/, "$1")} of ${owner.promoter_id}`;
    if (status !== "denied") sums.set(name, (sums.get(name) ?? 0) + amount);
  }
  return [...sums]
    .filter(([, sum]) => sum !== 0)
    .map(([name, sum]) => `${name}: ${sum}`)
    .toSorted();
}

const lasting = (duration: object, percentage = 50, more: object = {}) =>
  makeReward(app, [{ amount: percentage }], { ...duration, ...more });
const ONCE = { duration: "once" };
const MONTHS = (duration_in_months: number) => ({ duration: "repeating", duration_in_months });

describe("a repeating reward", () => {
  const product = async (ext_id: string) => {
    const { body } = await company(app, "POST /products", {
      name: ext_id,
      prices: [{ ext_id, name: ext_id }],
    });
    return (body as { id: number }).id;
  };

  it("counts its months from the first sale that it applied to", async () => {
    const reward_id = await lasting(MONTHS(2));
    const pro = await product("pro");
    await offer(app, { apply_on: "specific", product_ids: [pro], reward_id });
    expect(await sell("01-10", { plan: "basic" })).toEqual([]);
    expect(await sell("05-10", { plan: "pro" })).toEqual([5_000]);
    expect(await sell("07-09", { plan: "pro" })).toEqual([5_000]);
    expect(await sell("07-10", { plan: "pro" })).toEqual([]);
  });

  it("leaves what it gave when an earlier sale arrives later, and then counts from that one", async () => {
    await offer(app, await lasting(MONTHS(2)));
    expect(await sell("05-10")).toEqual([5_000]);
    expect(await sell("03-10")).toEqual([5_000]);
    expect(await sell("05-11")).toEqual([]);
  });

  it("counts from the customer's date if the customer was brought along", async () => {
    await offer(app, await lasting(MONTHS(2)));
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    await app.v1("/leads/update", { email: "lead@example.com", customer_since: on("01-10") });
    expect(await sell("03-09")).toEqual([5_000]);
    expect(await sell("03-10")).toEqual([]);
  });

  it("that excludes a product for some months ends, too", async () => {
    await offer(app, await lasting(MONTHS(1), 0), await lasting({ duration: "forever" }, 10));
    expect([await sell("01-10"), await sell("02-09"), await sell("02-10")]).toEqual([[], [], [1_000]]);
  });
});

describe("a reward that is given once", () => {
  it("goes to the sale that was recorded first; an earlier one that comes late changes nothing", async () => {
    await offer(
      app,
      await lasting(ONCE),
      await lasting(ONCE, 20),
      await lasting({ duration: "forever" }, 10),
    );
    expect(await sell("03-10")).toEqual([5_000]);
    const shown = await app.v2("GET", "/commissions?per_page=100");
    expect(await sell("02-10")).toEqual([2_000]);
    expect(await sell("01-10")).toEqual([1_000]);
    expect(await sell("04-10")).toEqual([1_000]);
    expect(await left()).toEqual([
      "01-10 of 1: 1000",
      "02-10 of 1: 2000",
      "03-10 of 1: 5000",
      "04-10 of 1: 1000",
    ]);
    const { body } = await app.v2("GET", "/commissions?per_page=100&ids[]=1");
    expect((body as Shown[]).filter(({ event_id: id }) => id === "03-10")).toEqual(shown.body);
  });

  it("can be given again when refunds took back all that it gave, not before", async () => {
    await offer(app, await lasting(ONCE), await lasting({}, 10));
    expect(await sell("03-10")).toEqual([5_000]);
    await refund("03-10", 9_999);
    expect(await sell("03-11")).toEqual([1_000]);
    await refund("03-10", 1);
    expect([await sell("03-12"), await sell("03-13")]).toEqual([[5_000], [1_000]]);
    await refund("03-12", 10_000);
    expect(await sell("03-14")).toEqual([5_000]);
    expect(await left()).toEqual(["03-11 of 1: 1000", "03-13 of 1: 1000", "03-14 of 1: 5000"]);
  });

  it("is used up although its commission was denied", async () => {
    await offer(app, await lasting(ONCE), await lasting({}, 10));
    await sell("03-10");
    await company(app, "POST /commissions/deny", { ids: [1] });
    expect(await sell("03-11")).toEqual([1_000]);
  });

  it("is not used up by the sale of a denied lead", async () => {
    await offer(app, await lasting(ONCE), await lasting({}, 10));
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    await company(app, "POST /referrals/disable", { ids: [1] });
    expect(await sell("03-10")).toEqual([]);
    await company(app, "POST /referrals/enable", { ids: [1] });
    expect([await sell("03-11"), await sell("03-12")]).toEqual([[5_000], [1_000]]);
  });

  it("is not used up by the sale of a promoter who may not earn", async () => {
    await offer(app, await lasting(ONCE), await lasting({}, 10));
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    await company(app, "PUT /promoter_campaigns/1", { state: "rejected" });
    expect(await sell("03-10")).toEqual([]);
    await company(app, "PUT /promoter_campaigns/1", { state: "accepted" });
    expect([await sell("03-11"), await sell("03-12")]).toEqual([[5_000], [1_000]]);
  });

  it("is used up by the sale that it excludes, until that is refunded", async () => {
    await offer(app, await lasting(ONCE, 0), await lasting({}, 10));
    expect([await sell("03-10"), await sell("03-11")]).toEqual([[], [1_000]]);
    await refund("03-10", 10_000);
    expect([await sell("03-12"), await sell("03-13")]).toEqual([[], [1_000]]);
  });

  it("gives with commissions that come later, of its own sale alone", async () => {
    await offer(app, await lasting(ONCE), await lasting({}, 10));
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    const later = { recurring_reward_frequency: "30", max_recurring: "2" };
    const sale = { email: "lead@example.com", event_id: "03-10", amount: "10000", created_at: on("03-10") };
    await app.v1("/track/sale", { ...sale, ...later });
    await runOn("2026-04-10T00:00:00.000Z");
    await sell("02-10");
    await runOn("2026-06-10T00:00:00.000Z");
    expect(await left()).toEqual(["02-10 of 1: 1000", "03-10 of 1: 15000"]);
    await refund("03-10", 10_000);
    expect([await sell("05-10"), await left()]).toEqual([[5_000], ["02-10 of 1: 1000", "05-10 of 1: 5000"]]);
  });
});

async function runOn(day: string): Promise<void> {
  app.setNow(day);
  const jobs = newJobs(app.services, () => Date.parse(day));
  await jobs.pass();
  await jobs.stop();
}
