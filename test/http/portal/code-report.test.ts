import { describe, expect, it } from "vitest";
import { startApp, STORAGES } from "../../support/app.ts";
import { visitingPromoter } from "../../support/portal.ts";
import { company, reward } from "../../support/v2.ts";

const MARCH = "start_date=2026-03-01&end_date=2026-03-31";

describe.each(STORAGES)("the report by promo code on %s", (kind) => {
  it("has the sales with each of a promoter's own codes, and nothing of others'", async () => {
    const app = await startApp(kind);
    const off = await reward(app, { is_promoter_reward: false, duration: "once" });
    const earned = await reward(app, { amount_type: "percent", amount: 20, is_promoter_reward: true });
    await company(app, "PUT /campaigns/1", {
      rewards_for_promoters: [{ reward_id: earned }],
      rewards_for_referrals: [{ reward_id: off }],
    });
    const jane = await visitingPromoter(app, "jane@example.com", { ref_id: "jane" });
    const bob = await visitingPromoter(app, "bob@example.com", { ref_id: "bob" });
    const make = (code: string, promoter_campaign_id: number) =>
      company(app, "POST /promo_codes", { code, promoter_campaign_id, reward_id: off });
    await make("JANE10", 1);
    await make("Jane20", 1);
    await make("BOB", 2);
    let sold = 0;
    const sell = async (email: string, amount: number, given: Record<string, string> = {}) => {
      const sale = { email: `${email}@example.net`, event_id: `sale-${++sold}`, amount: String(amount) };
      expect((await app.v1("/track/sale", { ...sale, ...given })).status).toBe(200);
    };
    await sell("sam", 10_000, { promo_code: "jane10" });
    await sell("sam", 5_000, { promo_code: "JANE10" });
    await sell("kim", 1_000, { promo_code: "jane20" });
    await sell("kim", 2_000);
    // A customer of Jane's buys with the code of another promoter.
    await sell("sam", 4_000, { promo_code: "BOB" });
    const report = async (browser: typeof jane, range = MARCH) =>
      (await browser.outcome(`GET /reports/origins?by=code&${range}`)).body;
    const row = (name: string, sums: [number, number, number, number, number]) => ({
      name,
      clicks_count: null,
      referrals_count: sums[0],
      customers_count: sums[1],
      sales_count: sums[2],
      revenue_amount: sums[3],
      promoter_earnings_amount: sums[4],
    });
    expect(await report(jane)).toEqual([
      row("JANE10", [1, 1, 2, 15_000, 3_000]),
      row("Jane20", [1, 1, 1, 1_000, 200]),
    ]);
    expect(await report(bob)).toEqual([]);
    expect(await report(jane, "start_date=2026-02-01&end_date=2026-02-28")).toEqual([]);
    const { body: file } = await jane.outcome(`GET /reports/origins/download?by=code&${MARCH}`);
    expect(file).toBe(
      "name,referrals_count,customers_count,sales_count,revenue_amount,promoter_earnings_amount\r\n" +
        "JANE10,1,1,2,15000,3000\r\nJane20,1,1,1,1000,200\r\n",
    );
    expect(app.bugs).toEqual([]);
    await app.close();
  });
});
