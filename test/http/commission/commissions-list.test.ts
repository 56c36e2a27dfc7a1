import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listCommissionsOperation } from "../../../server/v2/commission/commissions.ts";
import { NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { addCommission } from "../../support/commissions.ts";
import { addPayout } from "../../support/payouts.ts";
import { company, invalid, join, outcome, addCampaign } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

describe.each(STORAGES)("GET /api/v2/company/commissions on %s", (storage) => {
  let app: TestApp;
  let jane: RecordOf<"promoter">;
  let bob: RecordOf<"promoter">;
  beforeAll(async () => {
    app = await startApp(storage);
    await addCampaign(app, { name: "Summer" });
    await join(app, "jane@example.com", { ref_id: "jane", first_name: "Jane", last_name: "Doe" });
    await join(app, "bob@example.com", { ref_id: "bob" });
    await app.v1("/track/signup", { email: "lead@example.com", uid: "cus_1", ref_id: "jane" });
    await app.v1("/track/signup", { email: "other@example.com", ref_id: "jane" });
    const promoter = async (id: number) => (await app.records.get("promoter", id))!;
    jane = await promoter(1);
    bob = await promoter(2);
    await addPayout(app.context, jane, { status: "completed", due_date: "2026-03-02" });
    await addPayout(app.context, jane, { due_date: "2026-03-02" });
    await addPayout(app.context, bob, { due_date: "2026-04-30" });
    await addPayout(app.context, bob, { due_date: "2026-04-30", has_own_terms: true });
    await addPayout(app.context, jane, {
      status: "completed",
      unit: "credits",
      amount: 5,
      total_incl_tax: 5,
    });
    await fill();
  });
  afterAll(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const add = (promoter: RecordOf<"promoter">, changes: Partial<RecordOf<"commission">>) =>
    addCommission(app.context, promoter, changes);

  async function fill(): Promise<void> {
    const sale = { commission_type: "sale", lead_id: 1, fraud_check: "no_suspicion" } as const;
    await add(jane, {
      ...sale,
      amount: 2_000,
      sale_amount: 10_000,
      event_id: "Order-1",
      plan_id: "7",
      payout_id: 1,
      reward_id: 3,
      reward_name: "20 percent",
      sale_id: 1,
      created_at: "2026-01-31T23:59:59.999Z",
    });
    await add(bob, {
      ...sale,
      amount: 500,
      sale_amount: 10_000,
      event_id: "Order-1",
      tier: 2,
      sale_id: 1,
    });
    await add(jane, {
      ...sale,
      amount: 700,
      sale_amount: 3_500,
      payout_id: 2,
      taken_back_by_ids: [4],
      sale_id: 2,
    });
    await add(jane, {
      ...sale,
      amount: -700,
      sale_amount: -3_500,
      takes_back_id: 3,
      refund_id: 1,
      payout_id: 2,
    });
    await add(jane, { lead_id: 2, status: "pending", fraud_check: "ad_source", amount: 300, plan_id: "pro" });
    await add(bob, { status: "denied", amount: 100, campaign_id: 2, payout_id: 3 });
    await add(bob, { unit: "credits", amount: 5, payout_id: 4 });
    await add(jane, { unit: "credits", amount: 5, payout_id: 5 });
    await add(jane, { amount: 900, is_paid_elsewhere: true, created_at: "2025-12-24T10:00:00.000Z" });
  }

  const list = (query: string) => company(app, `GET /commissions?${query}`);
  const ids = async (query: string) => ((await list(query)).body as { id: number }[]).map(({ id }) => id);

  it("answers complete commissions, oldest first", async () => {
    const { status, body, headers } = await list("per_page=2");
    expect(status).toBe(200);
    expect(listCommissionsOperation.answer.safeParse(body).error).toBeUndefined();
    const own = {
      id: 1,
      campaign_id: 1,
      promoter_id: 1,
      created_at: NOW_SECOND,
      promoter: { id: 1, email: "jane@example.com", name: "Jane Doe" },
      campaign: { id: 1, name: "Default campaign", color: "#2563eb" },
    };
    const common = {
      status: "approved",
      metadata: {},
      is_self_referral: null,
      commission_type: "sale",
      created_by_user_email: null,
      created_by_user_at: null,
      sale_amount: 10_000,
      original_sale_amount: 10_000,
      original_sale_currency: null,
      event_id: "Order-1",
      internal_note: null,
      external_note: null,
      unit: "cash",
      fraud_check: "no_suspicion",
      is_split: false,
      status_updated_at: null,
      referral: { id: 1, email: "lead@example.com", uid: "cus_1" },
      split_details: null,
    };
    expect(body).toEqual([
      {
        ...common,
        id: 1,
        plan_id: "7",
        tier: 1,
        amount: 2_000,
        is_paid: true,
        created_at: "2026-01-31T23:59:59Z",
        promoter_campaign: own,
        reward: { id: 3, name: "20 percent" },
      },
      {
        ...common,
        id: 2,
        plan_id: null,
        tier: 2,
        amount: 500,
        is_paid: false,
        created_at: NOW_SECOND,
        promoter_campaign: {
          ...own,
          id: 2,
          promoter_id: 2,
          promoter: { id: 2, email: "bob@example.com", name: "bob@example.com" },
        },
        reward: null,
      },
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({ total: "9", "per-page": "2" });
  });

  it.each([
    ["", [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ["page=2&per_page=4", [5, 6, 7, 8]],
    ["page=9", []],
    ["q=order-1", [1, 2]],
    ["q=CUS_1", [1, 2, 3, 4]],
    ["q=other%40example.com", [5]],
    ["ids[]=3&ids[]=1&ids[]=99", [1, 3]],
    ["filters[status]=pending", [5]],
    ["status=denied", [6]],
    ["status=denied&filters[status]=pending", [5]],
    ["unit=credits", [7, 8]],
    ["filters[unit]=credits", [7, 8]],
    ["filters[paid]=yes", [1, 9]],
    ["filters[paid]=no", [2, 3, 4, 5, 6]],
    ["filters[fulfilled]=yes", [8]],
    ["filters[fulfilled]=no", [7]],
    ["filters[paid]=yes&filters[fulfilled]=yes", []],
    ["filters[sale_amount][from]=3500", [1, 2, 3]],
    ["filters[sale_amount][from]=1&filters[sale_amount][to]=3500", [3]],
    ["filters[amount][to]=-1", [4]],
    ["filters[amount][from]=700&filters[amount][to]=900", [3, 9]],
    ["filters[created_at][to]=2026-01-31", [1, 9]],
    ["filters[created_at][from]=2026-01-31&filters[created_at][to]=2026-01-31", [1]],
    ["filters[campaign_id]=2", [6]],
    ["filters[campaign_id][]=1&filters[campaign_id][]=2&filters[status]=denied", [6]],
    ["filters[payout_id]=2", [3, 4]],
    ["filters[payout_id][]=1&filters[payout_id][]=4", [1, 7]],
    ["filters[due_period]=next", [6]],
    ["filters[due_period]=overdue", [3, 4]],
    ["filters[due_period]=custom", [7]],
    ["filters[promoter_id]=2", [2, 6, 7]],
    ["filters[promoter_id]=2&filters[status]=approved", [2, 7]],
    ["filters[first_commission]=true", [1, 2, 5]],
    ["filters[first_commission]=false&filters[promoter_id]=1", [3, 4, 8, 9]],
    ["filters[refunded]=true", [3, 4]],
    ["filters[refunded]=false&filters[payout_id]=2", []],
    ["filters[fraud_check]=ad_source", [5]],
    ["filters[fraud_check][]=ad_source&filters[fraud_check][]=no_suspicion", [1, 2, 3, 4, 5]],
    ["filters[plan_id]=7", [1]],
    ["filters[plan_id][]=7&filters[plan_id][]=pro", [1, 5]],
    ["sorting[amount]=asc", [4, 7, 8, 6, 5, 2, 3, 9, 1]],
    ["sorting[amount]=desc&per_page=2", [1, 9]],
    ["sorting[sale_amount]=desc&per_page=3", [2, 1, 3]],
    ["sorting[created_at]=asc&per_page=2", [9, 1]],
    ["sorting[created_at]=desc&per_page=2", [8, 7]],
    ["sorting[referral]=asc", [6, 7, 8, 9, 1, 2, 3, 4, 5]],
    ["sorting[referral]=desc&per_page=2", [5, 4]],
    ["sorting[sale_amount]=desc&sorting[amount]=asc&per_page=3", [2, 1, 3]],
    ["filters[promoter_id]=1&sorting[amount]=desc&per_page=2&page=2", [3, 5]],
  ])("filters, sorts and pages by %s", async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it("counts all matches, whatever index it reads", async () => {
    for (const [query, total] of [
      ["filters[status]=approved&per_page=1", "7"],
      ["filters[promoter_id]=1&per_page=1", "6"],
      ["filters[campaign_id]=1&per_page=1", "8"],
      ["filters[payout_id]=2&per_page=1", "2"],
      ["filters[paid]=no&per_page=1", "5"],
    ] as const) {
      expect((await list(query)).headers.get("total"), query).toBe(total);
    }
  });

  it.each([
    ["filters[status]=paid", { "filters[status]": ["is not one of pending, approved, denied"] }],
    ["filters[paid]=maybe", { "filters[paid]": ["is invalid"] }],
    ["filters[amount][from]=1.5", { "filters[amount][from]": ["is not an integer"] }],
    ["filters[created_at][to]=2026-02-30", { "filters[created_at][to]": ["is invalid"] }],
    ["filters[stauts]=pending", { "filters[stauts]": ["is not a filter"] }],
    ["sorting[amount]=up", { "sorting[amount]": ["is not one of asc, desc"] }],
    [
      "filters[fraud_check]=theft",
      {
        "filters[fraud_check]": [
          "is not one of no_suspicion, same_promoter_email, same_ip_suspicion, ad_source, unseen_visitor",
        ],
      },
    ],
  ])("refuses %s with 422", async (query, errors) => {
    expect(await outcome(list(query))).toEqual(invalid(errors));
  });
});
