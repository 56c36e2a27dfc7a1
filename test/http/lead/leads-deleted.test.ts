import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { connectStripe, outcomeOf, tellStripe } from "../../support/billing.ts";
import { findFaults } from "../../support/consistency.ts";
import { cashOf, makeReward, offer } from "../../support/money.ts";
import { signedInBrowser } from "../../support/portal.ts";
import { invoice, refundedFrom, stripeEvent } from "../../support/stripe-events.ts";
import { send } from "../../support/v1.ts";
import { company, join, outcome } from "../../support/v2.ts";
import { eraseLead, erasePromoter } from "../../support/operations.ts";

const LEAD = "lead@example.com";
const SALE = { email: LEAD, event_id: "inv_1", amount: "10000" };
const NOBODY = { status: 204, body: "" };
const NOT_FOUND = { status: 404, body: { error: "Lead not found." } };

describe.each(STORAGES)("a lead with sales that is deleted, on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await join(app, "jane@example.com", { ref_id: "jane" });
    await join(app, "bob@example.com", { ref_id: "bob" });
    await offer(app, await makeReward(app));
    await signUp(LEAD, { uid: "cus_1", username: "sam" });
    await send(app, "POST /track/sale", SALE);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const signUp = (email: string, more: Record<string, string> = {}) =>
    v1("POST /track/signup", { email, ref_id: "jane", ...more });
  const v1 = async (request: string, params: Record<string, string>) => {
    const { status, body } = await send(app, request, params);
    return { status, body };
  };
  const remove = (params: Record<string, string> = { email: LEAD }) => v1("DELETE /leads/delete", params);
  const refund = (params: Record<string, string> = {}) =>
    v1("POST /track/refund", { email: LEAD, event_id: "re_1", amount: "10000", ...params });
  const idsOf = async (path: string) => {
    const { body, headers } = await app.v2("GET", path);
    return [(body as { id: number }[]).map(({ id }) => id), headers.get("total")];
  };
  const v1Ids = async (query = "") => {
    const { body, headers } = await send(app, `GET /leads/list${query}`);
    return [(body as { id: number }[]).map(({ id }) => id), headers.get("total")];
  };

  it("is gone from every list, and found by no name", async () => {
    expect(await remove()).toEqual({ status: 200, body: { message: "Lead removed." } });
    for (const query of ["", "?promoter_id=1", "?campaign_id=1", "?ref_id=jane", "?promotion_id=1"])
      expect([query, await v1Ids(query)]).toEqual([query, [[], "0"]]);
    const queries = [
      "",
      "?ids=1",
      "?q=lead",
      "?filters[promoter_id]=1",
      "?filters[campaign_id]=1",
      "?filters[type]=customer",
      "?filters[state]=active&filters[promoter_id]=1",
      "?sorting[created_at]=desc",
    ];
    for (const query of queries)
      expect([query, await idsOf(`/referrals${query}`)]).toEqual([query, [[], "0"]]);
    for (const params of [{ id: "1" }, { email: LEAD }, { uid: "cus_1" }]) {
      expect(await v1("GET /leads/show", params)).toEqual(NOT_FOUND);
      expect(await v1("PUT /leads/update", { ...params, plan_name: "pro" })).toEqual(NOT_FOUND);
      expect(await remove(params)).toEqual(NOT_FOUND);
    }
    for (const path of ["1", "1/timeline", "sam?find_by=username", "cus_1?find_by=uid"])
      expect((await app.v2("GET", `/referrals/${path}`)).status).toBe(404);
    expect((await app.v2("POST", "/referrals/disable", { ids: [1] })).body).toMatchObject({
      failed_count: 1,
    });
    expect((await app.v2("GET", "/exports/referrals")).body).not.toContain(LEAD);
    const day = "start_date=2026-03-01&end_date=2026-03-04";
    expect((await app.v2("GET", `/home?${day}`)).body).toMatchObject({ latest_referrals: [] });
    const { body } = await v1("GET /promoters/show", { id: "1" });
    const jane = await signedInBrowser(app, (body as { auth_token: string }).auth_token);
    expect((await jane.call("GET /referrals")).body).toEqual([]);
    expect((await jane.call("GET /referrals/1")).status).toBe(404);
  });

  it("leaves the pages of the others as they were", async () => {
    for (let number = 2; number <= 7; number++) await signUp(`lead-${number}@example.com`);
    const sold = (await idsOf("/referrals?q=lead-4"))[0] as number[];
    await send(app, "POST /track/sale", { ...SALE, email: "lead-4@example.com", event_id: "inv_2" });
    const [all] = (await idsOf("/referrals")) as [number[], string];
    const batch = await outcome(company(app, "DELETE /referrals", { ids: [1, ...sold] }));
    expect(batch).toMatchObject({ status: 200, body: { processed_count: 2, processing_errors: [] } });
    const left = all.filter((id) => id !== 1 && id !== sold[0]);
    expect(left).toHaveLength(5);
    for (const scope of ["", "&filters[promoter_id]=1", "&filters[campaign_id]=1"]) {
      for (const [page, from] of [
        [1, 0],
        [2, 2],
        [3, 4],
        [4, 6],
      ] as const) {
        const rows = `/referrals?per_page=2&page=${page}${scope}`;
        expect(await idsOf(rows)).toEqual([left.slice(from, from + 2), "5"]);
        expect(await idsOf(`${rows}&sorting[created_at]=DESC`)).toEqual([
          left.toReversed().slice(from, from + 2),
          "5",
        ]);
      }
    }
    expect(await v1Ids("?per_page=3&page=2")).toEqual([left.slice(3), "5"]);
    expect(await findFaults(app.stored.engine)).toEqual([]);
  });

  it("leaves its money, and what the reports count", async () => {
    const report = "/reports/overview?columns=customers_count,revenue_amount,referrals_count&group_by=month";
    const before = (await app.v2("GET", `${report}&start_date=2026-03-01&end_date=2026-03-04`)).body;
    await remove();
    expect((await app.v2("GET", `${report}&start_date=2026-03-01&end_date=2026-03-04`)).body).toEqual(before);
    expect(await cashOf(app, 1)).toEqual([1000, 1000, 0]);
    expect((await app.v2("GET", "/commissions")).body).toMatchObject([
      { amount: 1000, referral: { id: 1, email: LEAD, uid: "cus_1" } },
    ]);
    expect((await v1("POST /track/sale", { ...SALE, email: "x@example.com" })).status).toBe(409);
  });

  it("is refunded by its sale, once, also when another has its address by now", async () => {
    await remove();
    expect(await refund()).toEqual(NOBODY);
    expect(await refund({ email: "stranger@example.com", sale_event_id: "inv_1" })).toEqual(NOBODY);
    await signUp(LEAD, { ref_id: "bob" });
    expect(await refund({ sale_event_id: "inv_1" })).toMatchObject({
      status: 200,
      body: { amount_cents: -10_000, lead: { id: 1 }, promoter: { id: 1 } },
    });
    expect((await refund({ sale_event_id: "inv_1" })).status).toBe(409);
    expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
    expect(await cashOf(app, 2)).toEqual([0, 0, 0]);
    expect((await v1Ids())[1]).toBe("1");
  });

  it("buys nothing more, unless the sale names who sent it: then it is another lead", async () => {
    await remove();
    const next = { ...SALE, event_id: "inv_2" };
    expect(await v1("POST /track/sale", next)).toEqual(NOBODY);
    expect(await v1("POST /track/sale", { ...next, email: "", uid: "cus_1" })).toEqual(NOBODY);
    expect(await v1("POST /track/cancellation", { email: LEAD })).toEqual(NOBODY);
    const given = { commission_type: "sale", referral_id: 1, sale_amount: 5_000 };
    expect((await app.v2("POST", "/commissions", given)).status).toBe(404);
    const { status, body } = await v1("POST /track/sale", { ...next, ref_id: "bob" });
    expect([status, body]).toMatchObject([200, { lead: { email: LEAD }, promoter: { id: 2 } }]);
    expect((body as { lead: { id: number } }).lead.id).not.toBe(1);
    expect([await cashOf(app, 1), await cashOf(app, 2)]).toEqual([
      [1000, 1000, 0],
      [1000, 1000, 0],
    ]);
  });

  it("may sign up again, as another lead", async () => {
    await remove();
    const { status, body } = await signUp(LEAD, { ref_id: "bob", uid: "cus_1" });
    expect([status, body]).toMatchObject([
      200,
      { lead: { state: "signup", email: LEAD }, promoter: { id: 2 } },
    ]);
    expect((await signUp(LEAD)).status).toBe(422);
    expect((await v1Ids("?promoter_id=2"))[1]).toBe("1");
    expect(await remove()).toMatchObject({ status: 200 });
    expect((await v1Ids())[1]).toBe("0");
    expect(await findFaults(app.stored.engine)).toEqual([]);
  });

  it("is erased by its address, with its name, and its promoter's channel with the promoter", async () => {
    await signUp("channel@example.com", { sub_id: "zqx-blog" });
    await send(app, "POST /track/sale", { ...SALE, email: "channel@example.com", event_id: "inv_2" });
    await remove();
    await remove({ email: "channel@example.com" });
    await eraseLead(app, LEAD.toUpperCase());
    await erasePromoter(app, "jane@example.com");
    const text = JSON.stringify(await app.stored.entries());
    expect([text.includes(LEAD), text.includes("zqx-blog")]).toEqual([false, false]);
    expect(await findFaults(app.stored.engine)).toEqual([]);
    expect(await v1Ids()).toEqual([[], "0"]);
  });

  it("is no customer of a billing provider any more, which may still refund", async () => {
    await connectStripe(app);
    await signUp("sam@example.net", { uid: "cus_9" });
    const tell = (type: string, object: Record<string, unknown>) =>
      outcomeOf(tellStripe(app, stripeEvent(type, object)));
    expect(await tell("invoice.paid", invoice({ customer: "cus_9" }))).toBe("sale");
    expect(await remove({ uid: "cus_9" })).toMatchObject({ status: 200 });
    expect(await tell("invoice.paid", invoice({ id: "in_2", customer: "cus_9" }))).toBe("ignored");
    const [before] = await cashOf(app, 1);
    expect(await outcomeOf(tellStripe(app, refundedFrom(0, 12_000, { invoice: "in_1" })))).toBe("refund");
    expect([before, (await cashOf(app, 1))[0]]).toEqual([2000, 1000]);
  });

  it("without sales leaves nothing behind", async () => {
    await signUp("other@example.com");
    expect(await remove({ email: "other@example.com" })).toMatchObject({ status: 200 });
    expect(await v1("GET /leads/show", { email: "other@example.com" })).toEqual(NOT_FOUND);
    expect((await idsOf("/referrals"))[1]).toBe("1");
    expect((await app.v2("GET", "/referrals/1")).body).toMatchObject({ created_at: NOW_SECOND });
  });
});
