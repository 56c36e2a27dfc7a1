import { afterEach, beforeEach, expect, it } from "vitest";
import { COMMISSIONS } from "../../../server/transfer/csv/commissions.ts";
import { importLines } from "../../support/csv.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { v1, v2 } from "../../support/calls.ts";
import { addPayout, addPromoter } from "../../support/payouts.ts";
import type { RecordOf } from "../../support/records.ts";
import { balancesOf } from "../../support/money.ts";

let app: TestApp;
let account: RecordOf<"account">;
let jane: RecordOf<"promoter">;
beforeEach(async () => {
  app = await startApp("memory");
  account = (await app.records.get("account", app.account_id))!;
  jane = await addPromoter(app.context, account, { email: "jane@example.com" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

/** The amounts paid according to the three reports, by month. */
async function paid(): Promise<Record<string, unknown>> {
  const asked = {
    "selected_fields[]": "promoter_paid_amount",
    start_date: "2026-01-01",
    end_date: "2026-03-31",
  };
  const read = async (name: string) => (await v1(app, "GET", `/reports/${name}`, asked)).body as never[];
  const months = (rows: { period: string; promoter_paid_amount: string }[]) =>
    rows.map(({ period, promoter_paid_amount }) => `${period} ${promoter_paid_amount}`).sort();
  const [campaign] = (await read("campaigns")) as { items: never[] }[];
  const [promoter] = (await read("promoters")) as { items: never[] }[];
  const overview = months(await read("overview"));
  expect(months(campaign!.items)).toEqual(overview);
  if (promoter !== undefined) expect(months(promoter.items)).toEqual(overview);
  return overview.filter((row) => !row.endsWith("$0.00")) as never;
}

const importCommissions = (lines: string[]) =>
  importLines(app, COMMISSIONS, ["id,promoter_email,amount,unit,status,created_at", ...lines]);

it("counts a payout as paid on its own day, until it is marked as unpaid", async () => {
  await addPayout(app.context, jane, { amount: 1_234 });
  await addPayout(app.context, jane, { amount: 500, unit: "credits" });
  expect(await paid()).toEqual([]);
  await v2(app, "POST", "/payouts/mark_as_paid", { ids: [1, 2] });
  expect(await paid()).toEqual(["Mar 2026 $12.34"]);
  await v2(app, "POST", "/payouts/mark_as_paid", { ids: [1] });
  expect(await paid()).toEqual(["Mar 2026 $12.34"]);
  await v2(app, "POST", "/payouts/mark_as_unpaid", { ids: [1] });
  expect(await paid()).toEqual([]);
});

it("counts amounts paid by another program on the day of their earning, beside the payouts", async () => {
  const lines = [
    "a,jane@example.com,5,cash,paid,2026-01-02",
    "b,jane@example.com,7,cash,approved,2026-01-03",
  ];
  await importCommissions([...lines, "c,jane@example.com,9,points,paid,2026-01-02"]);
  await addPayout(app.context, jane, { amount: 700 });
  await v2(app, "POST", "/payouts/mark_as_paid", { ids: [1] });
  expect(await paid()).toEqual(["Jan 2026 $5.00", "Mar 2026 $7.00"]);
  expect(await balancesOf(app, jane.id)).toEqual({
    cash: { earnings: 1_200, current: 0, paid: 1_200 },
    points: { earnings: 9, current: 0, paid: 9 },
  });
});
