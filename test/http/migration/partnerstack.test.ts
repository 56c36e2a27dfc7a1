import { afterEach, expect, it } from "vitest";
import { partnerstack } from "../../../server/transfer/migration/sources/partnerstack.ts";
import { startPartnerStack } from "../../support/sources/partnerstack.ts";
import { readStandIn } from "../../support/sources/reading.ts";
import type { StandIn } from "../../support/sources/stand-in.ts";

const open: StandIn[] = [];
afterEach(async () => {
  for (const standIn of open.splice(0)) await standIn.close();
});

async function read(change: (standIn: StandIn) => void = () => {}) {
  const standIn = await startPartnerStack();
  open.push(standIn);
  change(standIn);
  return { standIn, ...(await readStandIn(partnerstack, standIn)) };
}

it("says partners with the links of PartnerStack's domain, where they lead, and their keys", async () => {
  const { of } = await read();
  const places = new Map(of("promoter_campaign").map((place) => [place.id, place]));
  expect(places.get("part_00000001")).toEqual({
    kind: "promoter_campaign",
    id: "part_00000001",
    promoter_id: "part_00000001",
    campaign_id: "grup_00000002",
    state: "accepted",
    links: [
      {
        id: "link_00000010",
        token: "token-1",
        url: "https://shop.partnerlinks.io/token-1",
        target: "https://shop.example/pricing",
        clicks: 0,
      },
      { id: "part_00000001:key", token: "pkey1", url: null, clicks: 0 },
    ],
    created_at: "2025-01-01T01:00:00.000Z",
  });
  // The links of a partner without any are answered like those of an unknown one.
  expect(places.get("part_00000011")!.links.map(({ token }) => token)).toEqual(["pkey11"]);
  const states = [1, 2, 3, 4, 5, 7].map((n) => places.get(`part_0000000${n}`)!.state);
  expect(states).toEqual(["accepted", "pending", "rejected", "inactive", "inactive", "inactive"]);
  expect(places.get("part_00000009")!.campaign_id).toBe("none");
});

it("reads milliseconds, and names of countries", async () => {
  const { of } = await read();
  const promoters = new Map(of("promoter").map((promoter) => [promoter.id, promoter]));
  expect(promoters.get("part_00000002")).toMatchObject({
    country: "DE",
    created_at: "2025-01-01T02:00:00.000Z",
  });
  expect(promoters.get("part_00000003")).toMatchObject({
    country: "US",
    created_at: "2025-01-01T03:00:00.000Z",
  });
  expect(promoters.get("part_00000007")!.isArchived).toBe(true);
});

it("leaves test customers out, though a whole page has no others", async () => {
  const { of } = await read();
  expect(of("customer")).toHaveLength(72);
  expect(of("remark").map(({ text }) => text)).toContain("Test customers that are left out: 260.");
});

it("finds the customer of a sale by the key, the merchant's id or the e-mail address", async () => {
  const { of, standIn } = await read();
  expect(of("sale")).toHaveLength(standIn.lists["transactions"]!.length);
  expect(of("customer").find(({ id }) => id === "cust_00000002")).toMatchObject({
    uid: "user-2",
    billingId: null,
  });
  expect(of("sale").filter(({ customerId }) => customerId === "cust_00000002").length).toBeGreaterThan(0);
});

it("reads scheduled rewards, which the list of all leaves out", async () => {
  const { of, standIn } = await read();
  const scheduled = standIn.lists["rewards"]!.filter((row) => row["reward_status"] === "scheduled");
  expect(scheduled.length).toBeGreaterThan(0);
  const states = new Map(of("commission").map(({ id, status }) => [id, status]));
  expect(scheduled.map(({ key }) => states.get(key as string))).toEqual(scheduled.map(() => "pending"));
});

it("keeps the commission of a sale whose transaction was deleted", async () => {
  const { of } = await read(({ lists }) => void lists["transactions"]!.splice(0, 1));
  const lost = of("commission").filter(({ id }) => id === "rwrd_00000001");
  expect(lost.map(({ sale_id, customerId }) => [sale_id, customerId])).toEqual([[null, null]]);
});

it("remarks rewards of partners who are not there, and links that name nobody", async () => {
  const { of } = await read(({ lists }) => {
    lists["rewards"]!.push({
      ...lists["rewards"]![0],
      key: "rwrd_x",
      partnership: { email: "gone@example.com" },
    });
    lists["links"]!.push({
      key: "link_x",
      url: "https://shop.partnerlinks.io/",
      dest: null,
      email: "promoter-1@example.com",
    });
  });
  const texts = of("remark").map(({ text }) => text);
  expect(texts.filter((text) => text.startsWith("Reward rwrd_x"))).toHaveLength(1);
  expect(texts).toContain("Link https://shop.partnerlinks.io/ of promoter-1@example.com names no partner.");
});
