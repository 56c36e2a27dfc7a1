import { afterEach, expect, it } from "vitest";
import { tolt } from "../../../server/transfer/migration/sources/tolt.ts";
import { readStandIn } from "../../support/sources/reading.ts";
import { startTolt } from "../../support/sources/tolt.ts";
import type { StandIn } from "../../support/sources/stand-in.ts";

const open: StandIn[] = [];
afterEach(async () => {
  for (const standIn of open.splice(0)) await standIn.close();
});

async function read(change: (standIn: StandIn) => void = () => {}) {
  const standIn = await startTolt();
  open.push(standIn);
  change(standIn);
  return { standIn, ...(await readStandIn(tolt, standIn)) };
}

it("makes campaigns of groups, with their names", async () => {
  const { of } = await read();
  const names = of("campaign").map(({ id, name }) => `${id} ${name}`);
  expect(names.toSorted()).toEqual([
    "group_1 Standard",
    "group_2 Agencies",
    "group_3 Friends",
    "none:prg_1 Shop, without a group",
  ]);
});

it("says partners in all states, also those without one, and links with spaces", async () => {
  const { of } = await read();
  const places = new Map(of("promoter_campaign").map((place) => [place.promoter_id, place]));
  const states = [1, 2, 3, 4, 6].map((n) => places.get(`part_0000000${n}`)!.state);
  expect(states).toEqual(["accepted", "pending", "rejected", "blocked", "accepted"]);
  expect(places.get("part_00000010")!.links).toEqual([
    { id: "lnk_00000100", token: "john doe", url: null, clicks: 0 },
  ]);
  expect(places.get("part_00000003")!.links.map(({ token }) => token)).toEqual([
    "token-3",
    "token-3-2",
    "token-3-3",
  ]);
});

it("says how partners are paid as far as the details can be understood", async () => {
  const { of } = await read();
  const methods = new Map(of("promoter").map(({ id, payoutMethod }) => [id, payoutMethod]));
  expect(methods.get("part_00000002")).toEqual({
    method: "paypal",
    details: { wallet_email: "pay-2@example.com" },
  });
  expect(methods.get("part_00000003")).toBeNull();
  expect(of("remark").map(({ text }) => text)).toContain(
    "Partner promoter-3@example.com is paid by wire. Ask them to enter its details in the portal.",
  );
});

it("tells the merchant's ids of customers from Stripe's", async () => {
  const { of } = await read();
  const shown = of("customer").map(({ id, uid, billingId, subscription_id }) => [
    id,
    uid,
    billingId,
    subscription_id,
  ]);
  expect(shown).toContainEqual(["cust_00000002", "user-2", null, "sub_2"]);
  expect(shown).toContainEqual(["cust_00000003", null, "cus_00000003", "sub_3"]);
});

it("says sales without tax, in their currency, also those without a date", async () => {
  const { of, standIn } = await read();
  const sales = new Map(of("sale").map((sale) => [sale.id, sale]));
  const rows = standIn.lists["transactions"]!;
  expect(of("sale")).toHaveLength(rows.length);
  for (const row of rows) {
    const sold = Number(row["amount_excluding_tax"] ?? row["amount"]);
    const sale = sales.get(row["id"] as string)!;
    expect(sale).toMatchObject({ amount: sold, currency: row["currency"], event_id: row["charge_id"] });
    expect(sale.refunded).toBe(row["status"] === "refunded" ? sold : 0);
  }
  const commission = of("commission").find(({ sale_id }) => sale_id === "txn_00000004")!;
  expect(sales.get("txn_00000004")!.created_at).toBe(commission.created_at);
});

it("says commissions without a sale, and takes the program's currency if none is named", async () => {
  const { of } = await read();
  const byHand = of("commission").filter(({ sale_id }) => sale_id === null);
  expect(byHand.map(({ amount, currency, note }) => [amount, currency, note])).toEqual([
    [-700, "USD", "Tolt: refund"],
    [2_500, "USD", "Tolt: reward"],
  ]);
});

it("goes without promotion codes if this generation has none", async () => {
  const { of } = await read(({ lists }) => delete lists["promotion-codes"]);
  expect(of("code")).toEqual([]);
  expect(of("remark").map(({ text }) => text)).toContain("Tolt refuses /promotion-codes: 404 Not found");
});
