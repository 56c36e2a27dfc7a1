import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { groupPayoutsOperation } from "../../../server/v2/payout/payouts.ts";
import { NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { NO_DETAILS, addPayout, addPromoter, changeAccount, selectMethod } from "../../support/payouts.ts";
import type { RecordOf } from "../../support/records.ts";
import { addCampaign } from "../../support/v2.ts";

interface Grouped {
  data: { promoter: { id: number }; payout_ids: number[]; amount: number }[];
  meta: object;
}

type WithMethod = { payout_method: { details: object } };

describe.each(STORAGES)("GET /api/v2/company/payouts/group_by_promoters on %s", (storage) => {
  let app: TestApp;
  let account: RecordOf<"account">;
  let jane: RecordOf<"promoter">;
  let bob: RecordOf<"promoter">;
  beforeEach(async () => {
    app = await startApp(storage);
    account = await changeAccount(app.context, app.account_id, {});
    await addCampaign(app, { name: "Spring" });
    jane = await addPromoter(app.context, account, { email: "jane@example.com", first_name: "Jane" });
    bob = await addPromoter(app.context, account, {
      email: "bob@example.com",
      invoice_details_status: "approved",
      fraud_suspicions: ["ad_source"],
    });
  });
  afterEach(() => app.close());

  async function grouped(query = ""): Promise<Grouped> {
    const { status, body } = await app.v2("GET", `/payouts/group_by_promoters${query}`);
    expect(status).toBe(200);
    expect(groupPayoutsOperation.answer.safeParse(body).error).toBeUndefined();
    return body as Grouped;
  }

  it("answers one group for each promoter, with sums over the whole filter", async () => {
    const method = await selectMethod(app.context, bob, { method: "wise" });
    await addPayout(app.context, jane, { amount: 105, total_incl_tax: 126 });
    await addPayout(app.context, bob, { due_date: "2026-04-01", period_end: "2026-02-28T23:59:59.999Z" });
    await addPayout(app.context, bob, { unit: "credits", amount: 3, total_incl_tax: 3 });
    const { body: all } = await app.v2("GET", "/payouts");
    const [first, second, third] = all as object[];
    const payoutMethod = {
      id: method.id,
      method: "wise",
      date_added: NOW_SECOND,
      is_disabled: false,
      meta: {},
      is_selected: true,
      details: NO_DETAILS,
      managed_payouts: false,
    };
    expect(await grouped()).toEqual({
      data: [
        {
          promoter: {
            id: jane.id,
            email: "jane@example.com",
            name: "Jane",
            invoice_details_status: "pending",
            fraud_suspicions: [],
            profile: { invoice_details_validation_errors: {} },
          },
          payout_method: null,
          payouts: [first],
          is_amount_payable: false,
          not_payable_because: "The promoter has chosen no payout method",
          payout_ids: [1],
          amount: 105,
          total_incl_tax: 126,
        },
        {
          promoter: {
            id: bob.id,
            email: "bob@example.com",
            name: "bob@example.com",
            invoice_details_status: "approved",
            fraud_suspicions: ["ad_source"],
            profile: { invoice_details_validation_errors: {} },
          },
          payout_method: payoutMethod,
          payouts: [second, third],
          is_amount_payable: true,
          not_payable_because: null,
          payout_ids: [2, 3],
          amount: 10_000,
          total_incl_tax: 12_000,
        },
      ],
      meta: {
        total: 10_105,
        promoters_count: 2,
        total_incl_tax: 12_126,
        due_date: "2026-04-01",
        period_end: "2026-02-28",
      },
    });
  });

  it("shows account details on request", async () => {
    await app.v2("POST", "/payout_methods", {
      method: "paypal",
      promoter_id: jane.id,
      is_selected: true,
      details: { wallet_email: "wallet@example.com" },
    });
    await addPayout(app.context, jane);
    const detailsOf = async (query: string) => {
      const [group] = (await grouped(query)).data as unknown as [WithMethod & { payouts: [WithMethod] }];
      expect(group.payouts[0].payout_method.details).toEqual(group.payout_method.details);
      return group.payout_method.details;
    };
    expect(await detailsOf("")).toEqual(NO_DETAILS);
    expect(await detailsOf("?include_payout_method_details=true")).toEqual({
      ...NO_DETAILS,
      wallet_email: "wallet@example.com",
      paypal_email: "wallet@example.com",
    });
  });

  it.each([
    [
      "",
      [
        [1, 2],
        [3, 4],
      ],
      40_000,
    ],
    ["?q=jane", [[1, 2]], 20_000],
    ["?filters[status]=pending", [[1], [3, 4]], 30_000],
    ["?filters[status]=cancelled", [], 0],
    ["?filters[campaign_id]=2", [[2], [4]], 20_000],
    [
      "?filters[campaign_id][]=1&filters[campaign_id][]=2",
      [
        [1, 2],
        [3, 4],
      ],
      40_000,
    ],
    ["?filters[min_payment]=20000&filters[status]=pending", [[3, 4]], 20_000],
    ["?filters[min_payment]=20001", [], 0],
    ["?filters[invoiceable]=true", [[3, 4]], 20_000],
    ["?filters[invoiceable]=not_set", [[1, 2]], 20_000],
    ["?filters[invoiceable]=false", [], 0],
  ])("groups by %s", async (query, expected, total) => {
    await addPayout(app.context, jane);
    await addPayout(app.context, jane, { status: "completed", campaign_id: 2 });
    await addPayout(app.context, bob);
    await addPayout(app.context, bob, { campaign_id: 2 });
    const { data, meta } = await grouped(query);
    expect(data.map(({ payout_ids }) => payout_ids)).toEqual(expected);
    expect(meta).toEqual({
      total,
      promoters_count: expected.length,
      total_incl_tax: total * 1.2,
      due_date: expected.length === 0 ? null : "2026-03-02",
      period_end: expected.length === 0 ? null : "2026-01-31",
    });
  });

  it("shows the coming due date of the whole filter only", async () => {
    await addPayout(app.context, jane, { due_date: "2026-03-10", period_end: "2026-02-08T23:59:59.999Z" });
    await addPayout(app.context, bob, { due_date: "2026-03-20", period_end: "2026-02-18T23:59:59.999Z" });
    const due = async (query: string) => {
      const { due_date, period_end } = (await grouped(query)).meta as Record<string, string>;
      return [due_date, period_end];
    };
    expect(await due("")).toEqual(["2026-03-10", "2026-02-08"]);
    expect(await due("?q=bob")).toEqual(["2026-03-20", "2026-02-18"]);
    expect(await due("?filters[invoiceable]=true")).toEqual(["2026-03-20", "2026-02-18"]);
    expect(await due("?q=nobody")).toEqual([null, null]);
    const byHand = { due_date: "2026-03-05", period_end: "2026-03-04T23:59:59.999Z", has_own_terms: true };
    const kim = await addPromoter(app.context, account, { email: "kim@example.com" });
    await addPayout(app.context, kim, byHand);
    expect(await due("")).toEqual(["2026-03-10", "2026-02-08"]);
    expect(await due("?q=kim")).toEqual(["2026-03-05", "2026-03-04"]);
  });

  it("pages by promoter, with sums over all pages in meta", async () => {
    for (const promoter of [jane, bob]) await addPayout(app.context, promoter);
    const { data, meta } = await grouped("?per_page=1&page=2");
    expect(data.map(({ promoter }) => promoter.id)).toEqual([bob.id]);
    expect(meta).toMatchObject({ total: 20_000, promoters_count: 2 });
    expect((await grouped("?page=9")).data).toEqual([]);
  });

  it.each([
    ["?filters[invoiceable]=maybe", "filters[invoiceable]", "is not one of true, false, not_set"],
    ["?filters[min_payment]=lots", "filters[min_payment]", "is invalid"],
    ["?filters[min_payment]=200.50", "filters[min_payment]", "is invalid"],
    [
      "?filters[status]=paid",
      "filters[status]",
      "is not one of pending, completed, failed, processing, cancelled",
    ],
  ])("refuses %s", async (query, name, fault) => {
    const { status, body } = await app.v2("GET", `/payouts/group_by_promoters${query}`);
    expect([status, body]).toEqual([
      422,
      { message: `Validation failed: ${name} ${fault}`, code: "invalid_params", errors: { [name]: [fault] } },
    ]);
  });
});
