import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, STORAGES, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import { difficultProgram, former } from "../../support/former-program.ts";
import { importInto, outcomesOf, putRates } from "../../support/migrations.ts";
import { bookFaults, shownToday } from "../../support/book-laws.ts";
import { lastingBreaches } from "../../support/money-laws.ts";
import { erasePromoter } from "../../support/operations.ts";

const RATES = { day: "2024-03-08", base: "EUR", rates: { USD: "1.25" } };

const differencesOf = ({ proof }: Awaited<ReturnType<typeof importInto>>) =>
  proof.rows
    .filter((row) => row.differences.length > 0)
    .map(({ email, differences }) => [email, differences]);

const put = (
  records: ReturnType<typeof difficultProgram>,
  changed: Partial<ReturnType<typeof difficultProgram>[number]> & { kind: string; id: string },
) =>
  records.map((each) =>
    each.kind === changed.kind && each.id === changed.id ? { ...each, ...changed } : each,
  ) as typeof records;

describe.each(STORAGES)("on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await putRates(app.context.store, app.account_id, [RATES]);
  });
  afterEach(async () => {
    expect(await lastingBreaches(app.context.store, app.account_id)).toEqual([]);
    expect(await findFaults(app.stored.engine)).toEqual([]);
    await app.close();
  });

  it("takes everything over, to the cent", async () => {
    const migrated = await importInto(app, difficultProgram());
    expect(differencesOf(migrated)).toEqual([]);
    expect(outcomesOf(migrated)).toEqual({ added: 34 });
    expect(migrated.remarks).toEqual([
      "customer k5 has the e-mail address of another promoter's customer; later sales to that address are theirs",
      "Campaign VIP has a reward for two sales, which rewards here can't say",
    ]);
    expect(migrated.proof.rows.map(({ email, here }) => [email, here])).toEqual([
      [
        "jane@example.com",
        { clicks: 120, leads: 3, customers: 2, units: { cash: { earned: 5_500, paid: 4_000 } } },
      ],
      [
        "bob@example.com",
        {
          clicks: 7,
          leads: 2,
          customers: 1,
          units: { cash: { earned: 5_000, paid: 5_000 }, points: { earned: 7, paid: 0 } },
        },
      ],
      ["banned@example.com", { clicks: 0, leads: 0, customers: 0, units: {} }],
      ["zoe@example.com", { clicks: 0, leads: 0, customers: 0, units: { cash: { earned: 500, paid: 0 } } }],
    ]);
    const { body } = await app.v2(
      "GET",
      "/promoters/jane@example.com?find_by=email&include_parent_promoter=true",
    );
    expect(body).toMatchObject({
      cust_id: "u-1",
      custom_fields: { size: "large" },
      parent_promoter: { email: "zoe@example.com" },
      selected_payout_method: { method: "paypal" },
      stats: { clicks_count: 120, referrals_count: 3, customers_count: 2, sales_count: 3 },
    });
    const states = await app.v2("GET", "/promoter_campaigns?limit=20");
    const shown = (states.body as { data?: object[] }).data ?? (states.body as object[]);
    expect(shown.map((each) => (each as { state: string }).state).sort()).toEqual([
      "accepted",
      "accepted",
      "accepted",
      "blocked",
      "blocked",
    ]);
  });

  it("brings the books of the former days, and books what happens here from then on", async () => {
    await importInto(app, difficultProgram());
    const shown = [await shownToday(app, [1, 2, 3, 4])];
    app.setNow("2026-03-05T00:00:00.000Z");
    const { body } = await app.v2("GET", "/commissions?limit=100");
    const ids = ((body as { data?: { id: number }[] }).data ?? (body as { id: number }[])).map(
      ({ id }) => id,
    );
    await app.v2("POST", "/payouts/mark_as_unpaid", { ids: [1, 2, 3] });
    for (const id of ids) await app.v1("/rewards/update", { id: String(id), status: "denied" });
    shown.push(await shownToday(app, [1, 2, 3, 4]));
    expect(shown[1]!.balances).not.toEqual(shown[0]!.balances);
    expect(await bookFaults(app, shown)).toEqual([]);
    const former = await app.v2("GET", "/books?from=2000-01-01&to=2026-03-03");
    const { total } = (former.body as { meta: { total: Record<string, number> } }).meta;
    // Jane was paid 4,000 of 5,500, Bob 5,000 of 5,000, and Zoe nothing of 500.
    expect(total).toMatchObject({ opening: 0, paid: 9_000, closing: 2_000 });
  });

  it("changes nothing when it runs again", async () => {
    await importInto(app, difficultProgram());
    const before = await app.stored.entries();
    const again = await importInto(app, difficultProgram());
    expect(outcomesOf(again)).toEqual({ known: 34 });
    expect(await app.stored.entries()).toEqual(before);
  });

  it("answers to the ids of the former program", async () => {
    await importInto(app, difficultProgram());
    const promoter = await app.v2("GET", "/promoters/bob?find_by=source_id");
    expect([promoter.status, (promoter.body as { email: string }).email]).toEqual([200, "bob@example.com"]);
    const lead = await app.v2("GET", "/referrals/k4?find_by=source_id");
    expect([lead.status, (lead.body as { email: string }).email]).toEqual([200, "kim@example.com"]);
    const first = await app.v1("/promoters/show", { source_id: "jane" });
    expect([first.status, (first.body as { email: string }).email]).toEqual([200, "jane@example.com"]);
    expect((await app.v2("GET", "/promoters/k4?find_by=source_id")).status).toBe(404);
    const searched = await app.v2("GET", "/promoters?q=banned");
    expect((searched.body as { data: object[] }).data).toHaveLength(1);
  });

  it("brings nobody back who was erased here", async () => {
    await importInto(app, difficultProgram());
    const bob = (await app.records.all("promoter")).find(({ email }) => email === "bob@example.com")!;
    await erasePromoter(app, String(bob.id));
    const renamed = put(difficultProgram(), { kind: "promoter", id: "bob", last_name: "Roe" });
    const again = await importInto(app, renamed);
    expect(outcomesOf(again)).toEqual({ known: 34 });
    expect(await app.stored.placesOf("bob@example.com")).toEqual([]);
    expect(await app.stored.placesOf("vip-robert")).toEqual([]);
  });

  it("notifies nobody of history", async () => {
    await app.v2("POST", "/webhooks", { url: "https://hooks.acme.example/", event_types: ["*"] });
    const before = await app.stored.entries();
    await importInto(app, difficultProgram());
    const isNews = ({ table }: { table: string }) => table === "fact" || table === "delivery";
    expect((await app.stored.entries()).filter(isNews)).toEqual(before.filter(isNews));
  });

  it("writes nothing without the rates of foreign amounts, and names them", async () => {
    const before = await app.stored.entries();
    const foreign = former.commission({
      id: "m",
      promoter_id: "jane",
      amount: 1,
      currency: "gbp",
      created_at: "2024-02-01T00:00:00.000Z",
    });
    const fault = "Nothing was written, because exchange rates to USD are missing: GBP on 2024-02-01.";
    await expect(importInto(app, [...difficultProgram(), foreign])).rejects.toThrow(fault);
    expect(await app.stored.entries()).toEqual(before);
  });

  it("brings what is new and what has changed, and leaves what was edited here", async () => {
    await importInto(app, difficultProgram());
    const jane = await app.v2("GET", "/promoters/jane@example.com?find_by=email");
    await app.v2("PUT", `/promoters/${(jane.body as { id: number }).id}`, {
      profile: { first_name: "Janet" },
    });
    let later = difficultProgram();
    later = put(later, { kind: "promoter", id: "jane", last_name: "Doe" });
    later = put(later, { kind: "promoter", id: "bob", last_name: "Roe" });
    later = put(later, { kind: "commission", id: "m3", isPaid: true });
    later = put(later, { kind: "commission", id: "m10", isPaid: true });
    later = put(later, {
      kind: "payout",
      id: "p2",
      status: "completed",
      paid_at: "2024-06-01T00:00:00.000Z",
    });
    later = put(later, { kind: "sale", id: "s1", refunded: 1_000 });
    later.push(former.payout({ id: "p3", promoter_id: "zoe", amount: 0, status: "cancelled" }));
    const migrated = await importInto(app, later);
    expect(outcomesOf(migrated)).toEqual({ added: 1, changed: 5, known: 28, edited: 1 });
    expect(differencesOf(migrated)).toEqual([]);
    expect(migrated.remarks[0]).toBe(
      "promoter jane: it changed in the former program, and was changed here too, so it stays as it is here",
    );
    expect(migrated.proof.rows.map(({ email, here }) => [email, here.units])).toEqual([
      ["jane@example.com", { cash: { earned: 5_500, paid: 5_500 } }],
      ["bob@example.com", { cash: { earned: 5_000, paid: 5_000 }, points: { earned: 7, paid: 7 } }],
      ["banned@example.com", {}],
      ["zoe@example.com", { cash: { earned: 500, paid: 500 } }],
    ]);
    expect(outcomesOf(await importInto(app, later))).toEqual({ known: 34, edited: 1 });
  });

  it("says which cent differs", async () => {
    const wrong = put(difficultProgram(), { kind: "payout", id: "p1", amount: 4_001 });
    const lacking = put(wrong, {
      kind: "promoter",
      id: "jane",
      counts: { clicks: 120, leads: 4, customers: 2 },
    });
    expect(differencesOf(await importInto(app, lacking))).toEqual([
      [
        "jane@example.com",
        ["leads: 4 there, 3 here", "payout p1 is $40.01 there, and its commissions are $40.00"],
      ],
    ]);
  });

  it("says that promoters are missing whom the former program names and does not list, and unread records", async () => {
    const stray = former.commission({ id: "m17", promoter_id: "ghost", amount: 900 });
    const guest = former.customer({
      id: "k6",
      promoter_id: "shade",
      state: "signup",
      email: "guest@example.com",
    });
    const unread = { kind: "remark", id: "y", text: "Commission y can't be read", isUnread: true } as const;
    const migrated = await importInto(app, [...difficultProgram().slice(0, -1), guest, stray, unread]);
    expect(differencesOf(migrated)).toEqual([
      ["shade", ["not imported"]],
      ["ghost", ["not imported"]],
      [
        "Records that can't be read",
        ["1, so it is not known whether anything is missing. The remarks name them"],
      ],
    ]);
    expect(migrated.proof.differing_count).toBe(3);
  });

  it("follows old links, also those that a code has the name of", async () => {
    await importInto(app, difficultProgram());
    const click = async (ref: string) =>
      (await app.browser("/t/click", { cid: "acme", ref_id: ref, url: "https://www.acme.example/" }))
        .body as { ref_id?: string; tid?: string };
    for (const ref of ["jane", "Jane Doe", "save10"]) expect((await click(ref)).tid).toBeDefined();
    const sale = { uid: "cus_9", event_id: "in_9", amount: "1000", promo_code: "save10" };
    expect((await app.v1("/track/sale", sale)).status).toBe(200);
    const leadsNow = await app.v2("GET", "/referrals/cus_9?find_by=uid");
    expect(leadsNow.body).toMatchObject({ promoter_campaign: { promoter: { email: "jane@example.com" } } });
  });

  it("counts a sale once that both programs have recorded", async () => {
    await importInto(app, difficultProgram());
    const sale = { uid: "cus_1", event_id: "ch_7", amount: "10000" };
    expect((await app.v1("/track/sale", sale)).status).toBe(200);
    const before = (await app.records.all("commission")).length;
    const later = [
      ...difficultProgram(),
      former.sale({ id: "s7", event_id: "ch_7", customerId: "k1", promoter_id: "jane", amount: 10_000 }),
      former.commission({ id: "m17", sale_id: "s7", customerId: "k1", promoter_id: "jane", amount: 2_000 }),
    ];
    const migrated = await importInto(app, later);
    expect(outcomesOf(migrated)).toEqual({ found: 2, known: 34 });
    expect(differencesOf(migrated)).toEqual([]);
    expect(await app.records.all("commission")).toHaveLength(before);
    expect(await app.records.count("sale")).toBe(5);
  });

  it("recognises a payment that both programs have recorded and only one has an id of", async () => {
    await importInto(app, difficultProgram());
    const sale = { uid: "cus_1", event_id: "ch_7", amount: "10000" };
    expect((await app.v1("/track/sale", sale)).status).toBe(200);
    const createdAt = "2026-03-03T12:00:00.000Z";
    const later = [
      ...difficultProgram(),
      former.sale({ id: "s7", customerId: "k1", promoter_id: "jane", amount: 10_000, created_at: createdAt }),
      former.commission({ id: "m17", sale_id: "s7", customerId: "k1", promoter_id: "jane", amount: 2_000 }),
    ];
    const migrated = await importInto(app, later);
    expect(outcomesOf(migrated)).toEqual({ found: 2, known: 34 });
    expect(migrated.remarks).toContain("sale s7 is taken for sale ch_7, which was recorded here");
    expect(await app.records.count("sale")).toBe(5);
  });

  it("takes nothing back twice if both programs know of a refund", async () => {
    await importInto(app, difficultProgram());
    const refund = { uid: "cus_1", event_id: "re_1", sale_event_id: "ch_2", amount: "7500" };
    expect((await app.v1("/track/refund", refund)).status).toBe(200);
    const before = await app.records.all("commission");
    const denied = put(difficultProgram(), { kind: "commission", id: "m4", status: "denied" });
    const migrated = await importInto(app, denied);
    expect(migrated.remarks[0]).toBe("commission m4 changed there, but its refund was recorded here");
    expect(await app.records.all("commission")).toEqual(before);
  });

  it("lists what can't be followed", async () => {
    await importInto(app, difficultProgram());
    const wrong = put(difficultProgram(), { kind: "sale", id: "s1", amount: 9_000 });
    const migrated = await importInto(app, wrong);
    expect(outcomesOf(migrated)).toEqual({ edited: 1, known: 33 });
    expect(migrated.remarks[0]).toBe(
      "sale s1 changed there, but commissions here were made of the former amount",
    );
  });

  it("follows a payout of which a part has become empty there", async () => {
    const first = withTwoParts();
    expect(differencesOf(await importInto(app, first))).toEqual([]);
    const before = await app.records.count("payout");
    // The commission of the first part is in no payout any more, and the rest is paid at the same time.
    let later = put(first, { kind: "commission", id: "m17", payout_id: null });
    later = put(later, { kind: "commission", id: "m18", isPaid: true });
    later = put(later, {
      kind: "payout",
      id: "p9",
      amount: 300,
      status: "completed",
      paid_at: "2024-07-01T00:00:00.000Z",
    });
    const migrated = await importInto(app, later);
    expect(outcomesOf(migrated)).toEqual({ changed: 2, known: 35 });
    expect(differencesOf(migrated)).toEqual([]);
    expect(await app.records.count("payout")).toBe(before - 1);
    const paid = (await app.records.all("payout")).filter(({ amount }) => amount === 300);
    expect(paid).toMatchObject([{ status: "completed", paid_at: "2024-07-01T00:00:00.000Z" }]);
    expect(outcomesOf(await importInto(app, later))).toEqual({ known: 37 });
  });

  it("lists a payout that was edited here although a part has become empty there", async () => {
    const first = withTwoParts();
    await importInto(app, first);
    const own = (await app.records.all("payout")).find(({ amount }) => amount === 300)!;
    await app.v2("POST", "/payouts/mark_as_paid", { ids: [own.id] });
    let later = put(first, { kind: "commission", id: "m17", payout_id: null });
    later = put(later, { kind: "payout", id: "p9", amount: 300, status: "failed", paid_at: null });
    const migrated = await importInto(app, later);
    expect(migrated.remarks).toContain("payout p9: it changed there and here, so it stays as it is here");
    expect((await app.records.all("payout")).find(({ id }) => id === own.id)).toMatchObject({
      status: "completed",
    });
  });

  it("goes on with renewals and refunds of customers from before", async () => {
    await importInto(app, difficultProgram());
    const renewal = await app.v1("/track/sale", { uid: "cus_1", event_id: "in_5", amount: "10000" });
    expect(renewal.status).toBe(200);
    const refund = { uid: "cus_1", event_id: "re_1", sale_event_id: "ch_2", amount: "7500" };
    expect((await app.v1("/track/refund", refund)).status).toBe(200);
    const taken = (await app.records.all("commission")).filter(({ event_id }) => event_id === "re_1");
    expect(taken.map(({ amount }) => amount)).toEqual([-1_500]);
    // Only the imported part is compared.
    expect(differencesOf(await importInto(app, difficultProgram()))).toEqual([]);
  });
});

/** A pending payout whose commissions are in two campaigns, so that it has two parts here. */
function withTwoParts() {
  const vip = former.commission({
    id: "m17",
    promoter_id: "bob",
    campaign_id: "vip",
    amount: 200,
    payout_id: "p9",
  });
  const main = former.commission({
    id: "m18",
    promoter_id: "bob",
    campaign_id: "main",
    amount: 300,
    payout_id: "p9",
  });
  const payout = former.payout({
    id: "p9",
    promoter_id: "bob",
    amount: 500,
    status: "pending",
    paid_at: null,
  });
  return [...difficultProgram(), vip, main, payout];
}
