import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findFaults } from "../../../server/transfer/check.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer } from "../../support/money.ts";
import { rounds } from "../../support/rounds.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { company } from "../../support/v2.ts";

const COLUMNS = [
  "revenue_amount",
  "net_revenue_amount",
  "sales_count",
  "refunds_count",
  "promoter_earnings_amount",
  "referrals_count",
  "signups_count",
  "customers_count",
  "active_customers",
  "monthly_churn",
  "cancelled_customers_count",
  "non_link_customers",
];
const DAY_MS = 86_400_000;
const START = Date.parse("2026-03-01T00:00:00.000Z");

const KINDS = ["signup", "sale", "refund", "cancellation", "denied", "enabled", "cancelled by hand"] as const;
const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  person: fc.nat(2),
  /** How long after the former step it happens. */
  days: fc.nat(25),
});
type Step = { kind: (typeof KINDS)[number]; person: number; days: number };

it("what happens later leaves the reports of closed months as they are, in any history", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 25, size: "max" }), async (steps) => {
      const stored = await temporaryStore("memory");
      const app = await newProgram(stored.store);
      const seen = new Map<string, object>();
      let now = START;
      for (const [at, each] of steps.entries()) {
        now += each.days * DAY_MS + 1;
        app.setNow(new Date(now).toISOString());
        for (const [month, figures] of await closedMonths(app, now)) {
          expect({ month, figures }).toEqual({ month, figures: seen.get(month) ?? figures });
          seen.set(month, figures);
        }
        await take(app, each, at);
      }
      for (const [month, figures] of await closedMonths(app, now))
        expect({ month, figures }).toEqual({ month, figures: seen.get(month) });
      const faults: string[] = [];
      for await (const fault of findFaults(stored.engine)) faults.push(fault);
      expect([faults, app.bugs]).toEqual([[], []]);
      await app.close();
    }),
    { numRuns: rounds(5, 150) },
  );
});

describe("a cancellation", () => {
  const FIGURES = ["customers_count", "active_customers", "cancelled_customers_count"] as const;

  /** For each month since March: the customers won, those active at its end, and the cancellations. */
  async function months(app: TestApp): Promise<number[][]> {
    const asked = FIGURES.map((name) => `columns[]=${name}`).join("&");
    const range = "group_by=month&start_date=2026-03-01&end_date=2026-05-31";
    const { body } = await company(app, `GET /reports/overview?${asked}&${range}`);
    return (body as { data: Record<string, number> }[]).map(({ data }) =>
      FIGURES.map((name) => data[name] ?? NaN),
    );
  }

  const sell = (app: TestApp, event_id: string, created_at: string) =>
    app.v1("/track/sale", { email: "sam@example.com", ref_id: "jane", event_id, amount: "1000", created_at });
  const cancel = (app: TestApp, created_at: string) =>
    app.v1("/track/cancellation", { email: "sam@example.com", created_at });

  it.each([
    ["in their order", ["inv_1", "cancel", "inv_2"]],
    ["with the cancellation last, twice", ["inv_1", "inv_2", "cancel", "cancel"]],
  ])("counts on its day, and a later sale leaves it there, if they come %s", async (_order, events) => {
    const app = await newProgram();
    for (const each of events) {
      if (each === "cancel") await cancel(app, "2026-03-31T23:59:59Z");
      else await sell(app, each, each === "inv_1" ? "2026-03-05" : "2026-05-05");
    }
    expect(await months(app)).toEqual([
      [1, 0, 1],
      [0, 0, 0],
      [0, 1, 0],
    ]);
    const { body } = await app.v2("GET", "/referrals/2/timeline");
    const cancelled = (body as { kind: string; at: string }[]).filter(({ kind }) => kind === "cancellation");
    expect(cancelled.map(({ at }) => at)).toEqual(["2026-03-31T23:59:59.000Z"]);
    const { body: lead } = await app.v1("/leads/show", { email: "sam@example.com" });
    expect(lead).toMatchObject({ state: "active", cancelled_at: null });
  });

  it("counts for customers only", async () => {
    const app = await newProgram();
    await app.v1("/track/signup", { email: "sam@example.com", ref_id: "jane" });
    await cancel(app, "2026-03-20");
    expect(await months(app)).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    await sell(app, "inv_1", "2026-04-02");
    await cancel(app, "2026-05-02");
    expect(await months(app)).toEqual([
      [0, 0, 0],
      [1, 1, 0],
      [0, 0, 1],
    ]);
  });

  it("counts once if it comes again for a person who has become a customer by hand", async () => {
    const app = await newProgram();
    await app.v1("/track/signup", { email: "sam@example.com", ref_id: "jane" });
    app.setNow("2026-03-20T00:00:00Z");
    await app.v1("/track/cancellation", { email: "sam@example.com" });
    app.setNow("2026-03-21T00:00:00Z");
    await app.v1("/leads/update", { email: "sam@example.com", state: "active" });
    app.setNow("2026-05-02T00:00:00Z");
    await app.v1("/track/cancellation", { email: "sam@example.com" });
    expect(await months(app)).toEqual([
      [1, 1, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
  });

  it("stays counted as a former release counted it", async () => {
    const app = await newProgram();
    await sell(app, "inv_1", "2026-03-05");
    const { customer_history: _, ...lead } = (await app.records.get("lead", 2))!;
    await app.records.put("lead", {
      ...lead,
      state: "cancelled" as const,
      cancelled_at: "2026-03-07T00:00:00.000Z",
    });
    const before = await months(app);
    expect(before).toEqual([
      [1, 0, 1],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    await sell(app, "inv_2", "2026-05-05");
    expect(await months(app)).toEqual([before[0], before[1], [0, 1, 0]]);
  });
});

async function newProgram(store?: TestApp["services"]["store"]): Promise<TestApp> {
  const app = await startApp("memory", store && { store });
  await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  await offer(app, await makeReward(app, [{ amount: 30 }]));
  app.setNow(new Date(START).toISOString());
  // Reports list promoters with figures only.
  await app.v1("/track/signup", { email: "first@example.com", ref_id: "jane" });
  return app;
}

/** The figures of all months that are over, of the account and of its promoter. */
async function closedMonths(app: TestApp, now: number): Promise<[string, object][]> {
  const end = new Date(now);
  end.setUTCDate(0);
  const to = end.toISOString().slice(0, 10);
  if (to < "2026-03-01") return [];
  const asked = COLUMNS.map((name) => `columns[]=${name}`).join("&");
  const range = `group_by=month&start_date=2026-03-01&end_date=${to}`;
  const { body: overview } = await company(app, `GET /reports/overview?${asked}&${range}`);
  const { body: promoters } = await company(app, `GET /reports/promoters?${asked}&${range}&per_page=10`);
  type Row = { id: string; data: object };
  const ofJane = new Map(
    (promoters as { sub_data: Row[] }[]).flatMap(({ sub_data }) =>
      sub_data.map(({ id, data }) => [id, data]),
    ),
  );
  return (overview as Row[]).map(({ id, data }) => [id, { data, ofJane: ofJane.get(id) ?? null }]);
}

async function take(app: TestApp, { kind, person }: Step, at: number): Promise<void> {
  const email = `${person}@example.com`;
  const { status } = await answerTo();
  expect(status).toBeLessThan(500);

  function answerTo(): Promise<{ status: number }> {
    switch (kind) {
      case "signup":
        return app.v1("/track/signup", { email, ref_id: "jane" });
      case "sale":
        return app.v1("/track/sale", { email, ref_id: "jane", event_id: `sale_${at}`, amount: "1000" });
      case "refund":
        return app.v1("/track/refund", { email, event_id: `refund_${at}`, amount: "1000" });
      case "cancellation":
        return app.v1("/track/cancellation", { email });
      case "denied":
        return app.v1("/leads/update", { email, state: "denied" });
      case "enabled":
        return app.v1("/leads/update", { email, state: "active" });
      case "cancelled by hand":
        return app.v1("/leads/update", { email, state: "cancelled" });
    }
  }
}
