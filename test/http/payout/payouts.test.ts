import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listPayoutsOperation } from "../../../server/v2/payout/payouts.ts";
import { NOW, NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { NO_DETAILS, addPayout, addPromoter, changeAccount, selectMethod } from "../../support/payouts.ts";
import type { RecordOf } from "../../support/records.ts";
import { addCampaign } from "../../support/v2.ts";

const JANE = { id: 1, email: "jane@example.com", name: "Jane Roe" };
const DEFAULT = { id: 1, name: "Default campaign", color: "#2563eb" };
const FIRST = {
  id: 1,
  status: "pending",
  amount: 10_000,
  payments_batch_id: null,
  tax_rate: 20,
  unit: "cash",
  period_start: "2026-01-01T00:00:00Z",
  period_end: "2026-01-31T23:59:59Z",
  paid_at: null,
  processing_started_at: null,
  failed_at: null,
  error: null,
  total_incl_tax: 12_000,
  created_at: NOW_SECOND,
  payout_method: null,
  promoter: JANE,
  campaign: DEFAULT,
};

describe.each(STORAGES)("GET /api/v2/company/payouts on %s", (storage) => {
  let app: TestApp;
  let jane: RecordOf<"promoter">;
  let bob: RecordOf<"promoter">;
  beforeEach(async () => {
    app = await startApp(storage);
    const account = await changeAccount(app.context, app.account_id, {});
    jane = await addPromoter(app.context, account, {
      email: JANE.email,
      first_name: "Jane",
      last_name: "Roe",
    });
    bob = await addPromoter(app.context, account, { email: "bob@example.com" });
  });
  afterEach(() => app.close());

  const list = (query: string) => app.v2("GET", `/payouts${query}`);
  const ids = async (query: string) => {
    const { status, body } = await list(query);
    expect(status).toBe(200);
    return (listPayoutsOperation.answer.parse(body) as { id: number }[]).map(({ id }) => id);
  };

  it("answers payouts oldest first, each whole", async () => {
    await addPayout(app.context, jane);
    const method = await selectMethod(app.context, bob, { method: "paypal" });
    await addPayout(app.context, bob, {
      status: "failed",
      unit: "credits",
      amount: 7,
      total_incl_tax: 7,
      tax_rate_hundredths: 0,
      payments_batch_id: 3,
      error: "refused",
      processing_started_at: NOW,
      failed_at: NOW,
      payout_method_id: method.id,
    });
    const { status, body, headers } = await list("");
    expect(status).toBe(200);
    expect(body).toEqual([
      FIRST,
      {
        ...FIRST,
        id: 2,
        status: "failed",
        unit: "credits",
        amount: 7,
        tax_rate: 0,
        total_incl_tax: 7,
        payments_batch_id: 3,
        error: "refused",
        processing_started_at: NOW_SECOND,
        failed_at: NOW_SECOND,
        payout_method: {
          id: method.id,
          method: "paypal",
          date_added: NOW_SECOND,
          is_disabled: false,
          meta: {},
          is_selected: true,
          details: NO_DETAILS,
          managed_payouts: false,
        },
        promoter: { id: 2, email: "bob@example.com", name: "bob@example.com" },
      },
    ]);
    expect(headers.get("total")).toBe("2");
    expect(headers.get("per-page")).toBe("20");
    expect(headers.get("link")).toBeNull();
    expect(listPayoutsOperation.answer.safeParse(body).error).toBeUndefined();
  });

  it("pages with Total, Per-Page and Link, which keeps the other parameters", async () => {
    for (let count = 0; count < 7; count++) await addPayout(app.context, jane);
    const { body, headers } = await list("?filters%5Bstatus%5D=pending&per_page=3&page=2");
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual([4, 5, 6]);
    const base =
      "https://track.acme.example/api/v2/company/payouts?filters%5Bstatus%5D=pending&per_page=3&page=";
    expect(headers.get("total")).toBe("7");
    expect(headers.get("per-page")).toBe("3");
    expect(headers.get("link")).toBe(
      `<${base}1>; rel="first", <${base}1>; rel="prev", <${base}3>; rel="last", <${base}3>; rel="next"`,
    );
    expect(await ids("?per_page=3&page=3")).toEqual([7]);
    const past = await list("?per_page=3&page=9");
    expect(past.body).toEqual([]);
    expect(past.headers.get("total")).toBe("7");
    expect((await list("?page=1&per_page=3&page=2")).body).toEqual((await list("?page=2&per_page=3")).body);
    expect(await ids("?per_page=0&page=-1")).toHaveLength(7);
    expect((await list("?per_page=1000")).headers.get("per-page")).toBe("100");
  });

  it.each([
    ["?q=ROE", [1]],
    ["?q=jane%20r", [1]],
    ["?q=bob%40", [2, 3]],
    ["?q=nobody", []],
    ["?ids[]=1&ids[]=3&ids[]=99", [1, 3]],
    ["?ids%5B0%5D=2", [2]],
    ["?ids=2", [2]],
    ["?ids=1&ids=3", [1, 3]],
    ["?ids=1&ids[]=2", [1, 2]],
    ["?ids[]=1&ids=2&ids=99", [1, 2]],
    ["?filters[status]=completed", [2]],
    ["?filters[status]=", [1, 2, 3]],
    ["?filters[campaign_id]=1", [1, 2]],
    ["?filters[campaign_id][]=2&filters[campaign_id][]=1", [1, 2, 3]],
    ["?filters[campaign_id]=2&filters[campaign_id]=1", [1, 2, 3]],
    ["?filters[payments_batch_id]=5", [2]],
    ["?filters[payments_batch_id][]=5&filters[payments_batch_id][]=6", [2, 3]],
    ["?filters[due_period]=overdue", [1]],
    ["?filters[due_period]=next", [2]],
    ["?filters[due_period]=custom", [3]],
    ["?filters[period_start][from]=2026-02-01", [2, 3]],
    ["?filters[period_start][to]=2026-02-01", [1, 2]],
    ["?filters[period_end][to]=2026-01-31", [1]],
    ["?filters[period_end][from]=2026-02-01&filters[period_end][to]=2026-02-28", [2]],
    ["?filters[payout_method]=wise", [1]],
    ["?filters[payout_method]=paypal", [2]],
    ["?filters[payout_method]=not_set", [3]],
    ["?filters[promoter_id]=2", [2, 3]],
    ["?filters[only_payable]=true", [1]],
    ["?filters[only_payable]=false", [1, 2, 3]],
    ["?filters[group_ref]=run-7", [3]],
    ["?filters[fraud_suspicions][]=ad_source", [2, 3]],
    ["?filters[fraud_suspicions][]=no_suspicion", [1]],
    ["?filters[fraud_suspicions][]=no_suspicion&filters[fraud_suspicions][]=ad_source", [1, 2, 3]],
    ["?filters[status]=pending&filters[campaign_id]=2", [3]],
    ["?filters[status]=pending&filters[promoter_id]=2", [3]],
    ["?filters[unknown]=&unknown=2", [1, 2, 3]],
    ["?sorting[amount]=asc", [3, 1, 2]],
    ["?sorting[amount]=desc", [2, 1, 3]],
    ["?sorting[period_start]=asc", [1, 2, 3]],
    ["?sorting[period_start]=desc", [3, 2, 1]],
    ["?sorting[period_end]=asc", [1, 2, 3]],
    ["?sorting[period_end]=desc", [3, 2, 1]],
    ["?filters[promoter_id]=2&sorting[amount]=asc", [3, 2]],
  ])("lists by %s", async (query, expected) => {
    await addCampaign(app, { name: "Spring" });
    const paypal = await selectMethod(app.context, bob, { method: "paypal" });
    await selectMethod(app.context, jane, { method: "wise" });
    const suspected = await addPromoter(app.context, await changeAccount(app.context, app.account_id, {}), {
      email: "unused@example.com",
    });
    expect(suspected.id).toBe(3);
    await app.records.put("promoter", { ...bob, fraud_suspicions: ["ad_source"] });
    await addPayout(app.context, jane, { due_date: "2026-03-02" });
    await addPayout(app.context, bob, {
      status: "completed",
      amount: 20_000,
      period_start: "2026-02-01T00:00:00.000Z",
      period_end: "2026-02-28T23:59:59.999Z",
      due_date: "2026-03-30",
      payments_batch_id: 5,
      payout_method_id: paypal.id,
    });
    await app.v2("PUT", `/payout_methods/${paypal.id}`, { is_selected: false, is_disabled: true });
    await addPayout(app.context, bob, {
      amount: 50,
      campaign_id: 2,
      period_start: "2026-03-01T00:00:00.000Z",
      period_end: "2026-03-31T23:59:59.999Z",
      due_date: "2026-04-30",
      has_own_terms: true,
      group_ref: "run-7",
      payments_batch_id: 6,
    });
    expect(await ids(query)).toEqual(expected);
    expect((await list(query)).headers.get("total")).toBe(String(expected.length));
  });

  it.each([
    [
      "?filters[status]=paid",
      "filters[status] is not one of pending, completed, failed, processing, cancelled",
    ],
    ["?filters[due_period]=soon", "filters[due_period] is not one of next, overdue, custom"],
    ["?sorting[amount]=up", "sorting[amount] is not one of asc, desc"],
    ["?filters[campaign_id][]=x", "filters[campaign_id] is invalid"],
    ["?ids[]=-1", "ids is invalid"],
    ["?filters[promoter_id]=1&filters[promoter_id]=2", "filters[promoter_id] is invalid"],
    ["?filters=x", "filters is invalid"],
    ["?filters[stauts]=pending", "filters[stauts] is not a filter"],
    ["?filters[period_start][form]=2026-02-01", "filters[period_start][form] is not a filter"],
    ["?filters[__proto__][a]=1", "filters[__proto__] is not a filter"],
    ["?filters[period_start][from]=2026-02-30", "filters[period_start][from] is invalid"],
    ["?filters[period_end][to]=never", "filters[period_end][to] is invalid"],
    ["?filters[only_payable]=perhaps", "filters[only_payable] is invalid"],
    [
      "?filters[fraud_suspicions][]=x",
      "filters[fraud_suspicions] is not one of same_promoter_email, same_ip_suspicion, ad_source, unseen_visitor, no_suspicion",
    ],
  ])("refuses %s and names the fault", async (query, fault) => {
    const { status, body } = await list(query);
    const at = fault.indexOf(" ");
    expect([status, body]).toEqual([
      422,
      {
        message: `Validation failed: ${fault}`,
        code: "invalid_params",
        errors: { [fault.slice(0, at)]: [fault.slice(at + 1)] },
      },
    ]);
  });

  it("counts a promoter as payable above the minimum and, if required, with approved invoice details", async () => {
    await selectMethod(app.context, jane, { method: "wise" });
    await addPayout(app.context, jane, { amount: 10_000 });
    await changeAccount(app.context, app.account_id, { min_payment_cents: 10_000 });
    expect(await ids("?filters[only_payable]=1")).toEqual([1]);
    await changeAccount(app.context, app.account_id, { min_payment_cents: 10_001 });
    expect(await ids("?filters[only_payable]=1")).toEqual([]);
    await changeAccount(app.context, app.account_id, {
      min_payment_cents: 0,
      requires_invoice_details: true,
    });
    expect(await ids("?filters[only_payable]=1")).toEqual([]);
  });
});
