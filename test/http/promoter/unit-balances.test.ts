import { expect, it } from "vitest";
import { startApp } from "../../support/app.ts";
import { company } from "../../support/v2.ts";

it("shows each promoter of a list their own balances in other units", async () => {
  const app = await startApp();
  for (const at of [1, 2, 3]) await app.v1("/promoters/create", { email: `jane${at}@example.com` });
  for (const [promoter_campaign_id, amount] of [
    [1, 5],
    [3, 7],
  ]) {
    const given = { commission_type: "custom", unit: "points", promoter_campaign_id, amount };
    expect((await company(app, "POST /commissions", given)).status).toBeLessThan(300);
  }
  const list = JSON.stringify((await app.v2("GET", "/promoters")).body);
  const { data } = JSON.parse(list) as { data: { id: number; balances: Record<string, unknown> }[] };
  const alone = [];
  for (const { id } of data)
    alone.push(((await app.v2("GET", `/promoters/${id}`)).body as (typeof data)[0]).balances);
  expect(data.map(({ balances }) => balances)).toEqual(alone);
  expect(new Set(alone.map((balances) => JSON.stringify(balances))).size).toBe(3);
  expect(app.bugs).toEqual([]);
  await app.close();
});
