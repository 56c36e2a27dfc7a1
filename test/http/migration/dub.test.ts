import { afterEach, expect, it } from "vitest";
import { dub } from "../../../server/transfer/migration/sources/dub.ts";
import { startDub } from "../../support/sources/dub.ts";
import { readStandIn } from "../../support/sources/reading.ts";
import type { StandIn } from "../../support/sources/stand-in.ts";

const open: StandIn[] = [];
afterEach(async () => {
  for (const standIn of open.splice(0)) await standIn.close();
});

async function read(change: (standIn: StandIn) => void = () => {}) {
  const standIn = await startDub();
  open.push(standIn);
  change(standIn);
  return { standIn, ...(await readStandIn(dub, standIn)) };
}

it("says partners in all states, with the links of Dub's own domain and where they lead", async () => {
  const { of } = await read();
  expect(of("promoter").find(({ id }) => id === "pn_00000002")).toEqual({
    kind: "promoter",
    id: "pn_00000002",
    email: "promoter-2@example.com",
    first_name: "Pia2",
    last_name: "Muster2",
    company_name: "Acme",
    country: "DE",
    cust_id: null,
    note: null,
    custom_fields: null,
    parentId: null,
    isArchived: false,
    payoutMethod: { method: "paypal", details: { wallet_email: "pay-2@example.com" } },
    counts: { clicks: expect.any(Number), leads: null, customers: null },
    created_at: "2025-01-01T02:00:00.000Z",
  });
  const places = of("promoter_campaign").slice(0, 5);
  expect(places.map(({ state }) => state)).toEqual([
    "accepted",
    "pending",
    "rejected",
    "blocked",
    "inactive",
  ]);
  expect(places[0]!.links).toEqual([
    {
      id: "link_00000010",
      token: "token-1",
      url: "https://go.shop.example/token-1",
      target: "https://shop.example/",
      clicks: expect.any(Number),
    },
  ]);
});

it("makes campaigns of groups, whose names are unknown", async () => {
  const { of } = await read();
  expect(of("campaign").map(({ id, name }) => [id, name])).toEqual([
    ["grp_2", "Dub group grp_2"],
    ["none", "Dub, without a group"],
    ["grp_1", "Dub group grp_1"],
    ["grp_3", "Dub group grp_3"],
  ]);
  expect(of("remark").map(({ text }) => text)).toContain(
    'Campaign "Dub group grp_1": Dub gives neither the name nor the rewards of a group. Enter them by hand.',
  );
});

it("reads denied commissions too, and says them and refunded sales", async () => {
  const { of, standIn } = await read();
  const shown = standIn.lists["commissions"]!.filter(({ earnings }) => earnings !== 0);
  expect(of("commission")).toHaveLength(shown.length);
  const denied = shown.filter(({ status }) =>
    ["refunded", "fraud", "duplicate", "canceled"].includes(String(status)),
  );
  expect(of("commission").filter(({ status }) => status === "denied")).toHaveLength(denied.length);
  const refunded = new Set(denied.filter(({ status }) => status === "refunded").map(({ id }) => id));
  for (const { id, amount, refunded: back } of of("sale")) expect(back).toBe(refunded.has(id) ? amount : 0);
});

it("makes one sale of two commissions of an invoice, named by the older one", async () => {
  const { of } = await read();
  const both = of("commission").filter(({ sale_id }) => sale_id === "cm_00000001");
  expect(both.map(({ id }) => id).sort()).toEqual(["cm_00000001", "cm_00000002"]);
  expect(of("sale").filter(({ event_id }) => event_id === "in_1")).toMatchObject([{ id: "cm_00000001" }]);
});

it("says a clawback, which has neither a customer nor a sale", async () => {
  const { of } = await read();
  expect(of("commission").filter(({ amount }) => amount < 0)).toEqual([
    expect.objectContaining({
      sale_id: null,
      customerId: null,
      promoter_id: "pn_00000001",
      amount: -700,
      currency: "USD",
      status: "approved",
      note: "By hand",
    }),
  ]);
});

it("leaves customers out whom no partner referred, and does not take Dub's own ids for Stripe's", async () => {
  const { of } = await read();
  expect(of("customer").find(({ id }) => id === "cus_00000002")).toMatchObject({
    uid: "user-2",
    billingId: null,
  });
  expect(of("remark").map(({ text }) => text)).toContain(
    "Customers who are left out, because no partner referred them: 1.",
  );
});

it("goes on after an earlier row if the one that it stopped at has gone", async () => {
  const { of, standIn } = await read((standIn) => {
    const { customers } = standIn.lists;
    for (let n = 0; n < 300; n += 1) customers!.unshift({ ...customers![5], id: `cus_extra${n}` });
    const stopsAt = customers!.toReversed()[99]!;
    standIn.before = (path, query) => {
      const place = customers!.indexOf(stopsAt);
      if (path === "/customers" && query.has("startingAfter") && place >= 0) customers!.splice(place, 2);
    };
  });
  expect(standIn.asked.filter((asked) => asked.includes("startingAfter")).length).toBeGreaterThan(3);
  const ids = new Set(of("customer").map(({ id }) => id));
  const there = standIn.lists["customers"]!.filter(({ partner }) => partner !== null);
  expect(there.filter(({ id }) => !ids.has(id as string))).toEqual([]);
});
