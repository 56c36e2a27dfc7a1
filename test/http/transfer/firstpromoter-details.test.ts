import { afterEach, beforeEach, expect, it } from "vitest";
import { SOURCES } from "../../../server/transfer/migration/migrate.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { importInto, putRates } from "../../support/migrations.ts";
import { startFirstPromoter } from "../../support/sources/firstpromoter.ts";
import { readStandIn } from "../../support/sources/reading.ts";
import type { Row, StandIn } from "../../support/sources/stand-in.ts";

let app: TestApp;
let standIn: StandIn;
beforeEach(async () => {
  [app, standIn] = [await startApp(), await startFirstPromoter({ size: 60 })];
  const rates = { USD: "0.007", EUR: "0.006" };
  await putRates(app.context.store, app.account_id, [{ day: "2024-12-31", base: "JPY", rates }]);
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await standIn.close();
  await app.close();
});

const row = (list: string, id: number): Row => standIn.lists[list]!.find((each) => each["id"] === id)!;

async function take() {
  // Sums are in the program's currency.
  for (const each of standIn.lists["commissions"]!) Object.assign(each, { original_sale_currency: null });
  const { all } = await readStandIn(SOURCES.firstpromoter, standIn);
  return importInto(app, all);
}

const promoterOf = async (sourceId: number) =>
  (await app.v2("GET", `/promoters/${sourceId}?find_by=source_id`)).body as Record<string, Row>;

it("promoters keep what their invoices need, and their notes", async () => {
  const profile = {
    first_name: "Pia",
    last_name: "Muster",
    company_name: "Muster GmbH",
    company_number: "HRB 1",
    vat_id: "DE123456789",
    address: "Ring 1, 10115 Berlin",
    phone_number: "+49 30 1",
    website: "https://pia.example",
  };
  Object.assign(row("promoters", 2), { profile: { ...profile, country: "Germany" }, note: "Likes tea" });
  const { proof } = await take();
  expect(await promoterOf(2)).toMatchObject({ note: "Likes tea", profile: { ...profile, country: "DE" } });
  expect(proof.differing_count).toBe(0);
});

it("promoters keep rewards of their own, and those that can't be imported are counted", async () => {
  const entry = (id: number) => [{ apply_on: "all", product_ids: [], reward_id: id }];
  row("promoter_campaigns", 1_002)["rewards_for_promoters"] = entry(2);
  row("promoter_campaigns", 1_003)["rewards_for_promoters"] = entry(11);
  row("promoter_campaigns", 1_004)["rewards_for_promoters"] = entry(11);
  // The same as the campaign's.
  const home = (row("promoters", 5)["promoter_campaigns"] as Row[])[0]!["campaign_id"] as number;
  row("promoter_campaigns", 1_005)["rewards_for_promoters"] = row("campaigns", home)["rewards_for_promoters"];
  const { remarks } = await take();
  const named = new Map((await app.records.all("reward")).map(({ id, name }) => [id, name]));
  const own = (await app.records.all("promoterCampaign")).filter(
    (each) => each.rewards_for_promoters !== null,
  );
  expect(
    own.map(({ rewards_for_promoters: all }) => all!.map(({ reward_id }) => named.get(reward_id))),
  ).toEqual([["An eighth"]]);
  expect(remarks).toContain(
    "Promoters whose own rewards have conditions that can't be imported: 2. Make them by hand.",
  );
});

it("referrals keep their names and their splits, and splits that can't be read are counted", async () => {
  Object.assign(row("referrals", 1), {
    first_name: "Mia",
    last_name: "Lind",
    split_details: [{ promoter_campaign_id: 1_003, promoter_id: 3, percentage: 12.5 }],
  });
  row("referrals", 2)["split_details"] = [{ promoter: 3 }];
  row("referrals", 3)["split_details"] = [{ promoter_campaign_id: 77, percentage: 10 }];
  const { remarks } = await take();
  const { body } = await app.v2("GET", "/referrals/1?find_by=source_id");
  expect(body).toMatchObject({
    first_name: "Mia",
    last_name: "Lind",
    split_details: [{ percentage: 12.5, promoter_campaign_id: expect.any(Number) }],
  });
  expect(remarks).toEqual(
    expect.arrayContaining([
      "Referrals whose commissions are shared in a way that can't be read: 1. Enter the parts by hand.",
      "customer 3: the parts of others in the commissions can't be imported; enter them by hand",
    ]),
  );
});

it("promoters keep all their codes, whether they are texts or records, and in either list", async () => {
  row("promoter_campaigns", 1_002)["promo_codes"] = [
    "TEXT2",
    { id: 9_001, code: "RECORD2", ext_id: "promo_x" },
    7,
  ];
  standIn.lists["promo_codes"]!.push(
    { id: 9_001, place: 1_002, code: "RECORD2", ext_id: "promo_x", archived_at: null },
    { id: 9_002, place: 1_002, code: "LISTED2", ext_id: null, archived_at: "2025-02-01T00:00:00.000Z" },
    { id: 9_003, place: 1_003, code: "LISTED3", ext_id: null, archived_at: null },
  );
  const { remarks } = await take();
  const codes = (await app.records.all("promoCode")).map(({ code, ext_id, archived_at }) => [
    code,
    ext_id,
    archived_at,
  ]);
  expect(codes).toEqual(
    expect.arrayContaining([
      ["TEXT2", null, null],
      ["RECORD2", "promo_x", null],
      ["LISTED2", null, "2025-02-01T00:00:00.000Z"],
      ["LISTED3", null, null],
    ]),
  );
  expect(new Set(codes.map(([code]) => code)).size).toBe(codes.length);
  expect(remarks).toContain("Promo codes of an unknown form, which are left out: 1.");
});
