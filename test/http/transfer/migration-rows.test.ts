import { afterEach, describe, expect, it } from "vitest";
import type { SourceName } from "../../../server/transfer/migration/model.ts";
import { SOURCES } from "../../../server/transfer/migration/migrate.ts";
import { startDub } from "../../support/sources/dub.ts";
import { startFirstPromoter } from "../../support/sources/firstpromoter.ts";
import { startPartnerStack } from "../../support/sources/partnerstack.ts";
import { quickReach, readStandIn, sorted, truthIn } from "../../support/sources/reading.ts";
import { startRewardful } from "../../support/sources/rewardful.ts";
import { startTolt } from "../../support/sources/tolt.ts";
import type { StandIn } from "../../support/sources/stand-in.ts";

const START: Record<SourceName, (options?: { size?: number }) => Promise<StandIn>> = {
  rewardful: startRewardful,
  firstpromoter: startFirstPromoter,
  tolt: startTolt,
  partnerstack: startPartnerStack,
  dub: startDub,
};

const open: StandIn[] = [];
afterEach(async () => {
  for (const standIn of open.splice(0)) await standIn.close();
});

async function start(name: SourceName): Promise<StandIn> {
  const standIn = await START[name]({ size: 90 });
  open.push(standIn);
  return standIn;
}

/** Reads a source that answers another question than the one that was asked. */
async function misread(name: SourceName, standIn: StandIn, misheard: (url: string) => string) {
  const reach = quickReach();
  const fetched = reach.fetch;
  return readStandIn(SOURCES[name], standIn, {
    reach: { ...reach, fetch: (url, options) => fetched(misheard(String(url)), options) },
  });
}

const remarksOf = (read: Awaited<ReturnType<typeof misread>>) =>
  read.of("remark").filter(({ id }) => id.startsWith("foreign:"));

describe("a row must prove that it belongs to what was asked", () => {
  it("so nobody of FirstPromoter gets the payout method of someone else", async () => {
    const standIn = await start("firstpromoter");
    const ignored = (url: string) => url.replace(/(payout_methods\?filters%5Bpromoter_id%5D=)\d+/, "$12");
    const read = await misread("firstpromoter", standIn, ignored);
    expect(read.of("promoter").filter(({ payoutMethod }) => payoutMethod !== null)).toEqual([]);
    expect(remarksOf(read)).toMatchObject([
      { isUnread: true, text: expect.stringContaining("they don't belong to what was asked: 2.") },
      { isUnread: true },
    ]);
  });

  it("and rows that name their promoter are believed for that one alone", async () => {
    const standIn = await start("firstpromoter");
    const plain = await readStandIn(SOURCES.firstpromoter, standIn);
    for (const row of standIn.lists["payout_methods"]!) row["promoter"] = { id: row["promoter_id"] };
    // Each promoter is answered with the methods of all.
    const body = standIn.lists["payout_methods"]!;
    for (const row of body) Object.defineProperty(row, "promoter_id", { get: () => asked, enumerable: true });
    let asked = "";
    standIn.before = (path, query) => {
      if (path === "/payout_methods") asked = query.get("filters[promoter_id]") ?? "";
    };
    const read = await readStandIn(SOURCES.firstpromoter, standIn);
    expect(read.of("promoter")).toEqual(plain.of("promoter"));
    expect(read.of("promoter").filter(({ payoutMethod }) => payoutMethod !== null).length).toBeGreaterThan(3);
    expect(remarksOf(read)).toEqual([]);
  });

  it("and a promoter of FirstPromoter has no parent who was answered for another one", async () => {
    const standIn = await start("firstpromoter");
    const read = await misread("firstpromoter", standIn, (url) =>
      url.replace(/promoters\/\d+\?/, "promoters/10?"),
    );
    const parents = read.of("promoter").filter(({ parentId }) => parentId !== null);
    expect(parents.map(({ id }) => id)).toEqual(["10"]);
  });

  it.each<[SourceName, string, (url: string, first: string) => string, (read: Read) => unknown[]]>([
    [
      "firstpromoter",
      "commissions of a payout",
      (url) => url.replace(/(payout_id%5D=)\d+/, "$11"),
      (read) => read.of("commission").filter(({ payout_id }) => payout_id !== null),
    ],
    [
      "firstpromoter",
      "further links",
      (url) => url.replace(/promoter_campaigns\/\d+\//, "promoter_campaigns/1003/"),
      (read) => read.of("promoter_campaign").flatMap(({ links }) => links.slice(1)),
    ],
    [
      "dub",
      "commissions of a payout",
      (url, first) => url.replace(/payoutId=[^&]+/, `payoutId=${first}`),
      (read) => read.of("commission").filter(({ payout_id }) => payout_id !== null),
    ],
    [
      "partnerstack",
      "links",
      (url) => url.replace(/links\/partnership\/[^?]+/, "links/partnership/promoter-3%40example.com"),
      (read) =>
        read.of("promoter_campaign").flatMap(({ links }) => links.filter(({ url: own }) => own !== null)),
    ],
  ])("and of %s, silent %s that came for several are nobody's", async (name, _, misheard, rowsIn) => {
    const standIn = await start(name);
    const first = String(standIn.lists["payouts"]?.[0]!["id"]);
    expect(rowsIn(await readStandIn(SOURCES[name], standIn)).length).toBeGreaterThan(1);
    const read = await misread(name, standIn, (url) => misheard(url, first));
    expect(rowsIn(read)).toEqual([]);
    expect(remarksOf(read)).toMatchObject([{ isUnread: true }]);
  });

  it("and a commission of Dub counts once, whatever type was asked for", async () => {
    const standIn = await start("dub");
    const read = await misread("dub", standIn, (url) =>
      url.replace(/type=(click|lead|referral|custom)&/, "type=sale&"),
    );
    const ids = read.of("commission").map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(20);
    expect(new Set(ids).size).toBe(ids.length);
    expect(remarksOf(read)).toEqual([]);
  });

  it("and two programs of Tolt don't both have the records of one", async () => {
    const standIn = await start("tolt");
    const [program] = standIn.lists["programs"]!;
    standIn.lists["programs"]!.push({ ...program, id: "prg_other", name: "Other", currency_code: "JPY" });
    const read = await misread("tolt", standIn, (url) => url.replace("prg_other", String(program!["id"])));
    expect(sorted(truthIn(read.all))).toEqual(sorted(standIn.truth));
    expect(remarksOf(read)).toEqual([]);
  });
});

type Read = Awaited<ReturnType<typeof misread>>;

/** Every list of each source, by the last part of its path. */
const LISTS: [SourceName, string][] = [
  ...["campaigns", "affiliates", "affiliate_coupons", "referrals", "commissions", "payouts"].map(
    (list): [SourceName, string] => ["rewardful", list],
  ),
  ...[
    "campaigns",
    "rewards",
    "promoter_campaigns",
    "referrals",
    "commissions",
    "payouts",
    "payout_methods",
  ].map((list): [SourceName, string] => ["firstpromoter", list]),
  ...["promoters/\\d+", "promoter_campaigns/\\d+/referral_links", "promo_codes"].map(
    (list): [SourceName, string] => ["firstpromoter", list],
  ),
  ...["partners", "links", "promotion-codes", "customers", "transactions", "commissions"].map(
    (list): [SourceName, string] => ["tolt", list],
  ),
  ...["groups", "customers", "transactions", "rewards"].map((list): [SourceName, string] => [
    "partnerstack",
    list,
  ]),
  ...["discount-codes", "customers", "commissions", "payouts"].map((list): [SourceName, string] => [
    "dub",
    list,
  ]),
];

describe.each([404, 422])("an answer of %i", (status) => {
  it.each(LISTS)("is a remark and not the end: %s, %s", async (name, list) => {
    const standIn = await start(name);
    standIn.before = (path) => {
      if (new RegExp(`^/${list}$`).test(path))
        standIn.refusal = { status, body: { message: "No such thing" } };
    };
    const read = await readStandIn(SOURCES[name], standIn);
    expect(read.of("remark").filter(({ text }) => text.includes("No such thing"))).not.toEqual([]);
    if (!/^(partners|affiliates)$/.test(list)) expect(read.of("promoter").length).toBeGreaterThan(3);
  });

  it("to everything is the end", async () => {
    const standIn = await start("firstpromoter");
    standIn.before = () => (standIn.refusal = { status, body: { message: "No such thing" } });
    await expect(readStandIn(SOURCES.firstpromoter, standIn)).rejects.toThrow(
      `FirstPromoter refuses /campaigns: ${status} No such thing`,
    );
  });

  it("for one of many promoters leaves the others as they are", async () => {
    const standIn = await start("firstpromoter");
    standIn.before = (path, query) => {
      if (path === "/payout_methods" && query.get("filters[promoter_id]") === "2")
        standIn.refusal = { status, body: { message: "No such thing" } };
    };
    const read = await readStandIn(SOURCES.firstpromoter, standIn);
    const methods = read.of("promoter").filter(({ payoutMethod }) => payoutMethod !== null);
    expect(methods.length).toBeGreaterThan(2);
    expect(methods.map(({ id }) => id)).not.toContain("2");
    expect(read.of("remark").map(({ text }) => text)).toContain(
      `FirstPromoter refuses /payout_methods: ${status} No such thing`,
    );
  });
});

it("sums of Tolt in another currency are converted by Tolt's own amounts, whenever they are refunded", async () => {
  const standIn = await start("tolt");
  const sold = standIn.lists["transactions"]!.find(({ currency }) => currency === "EUR")!;
  Object.assign(sold, {
    amount: "9200",
    amount_excluding_tax: null,
    payment_amount: "10003",
    payment_currency: "USD",
  });
  const earned = standIn.lists["commissions"]!.find(({ transaction_id: id }) => id === sold["id"]);
  Object.assign(earned!, { amount: "1841", currency: "EUR", status: "paid" });
  standIn.lists["commissions"]!.push({
    ...earned,
    id: "comm_back",
    type: "refund",
    amount: "-1841",
    status: "approved",
    created_at: "2025-12-31T00:00:00.000Z",
  });
  const read = await readStandIn(SOURCES.tolt, standIn);
  expect(read.of("sale").find(({ id }) => id === sold["id"])).toMatchObject({
    amount: 10_003,
    currency: "USD",
  });
  const found = new Map(read.of("commission").map((each) => [each.id, each]));
  expect(found.get(String(earned!["id"]))).toMatchObject({ amount: 2_002, currency: "USD" });
  expect(found.get("comm_back")).toMatchObject({ amount: -2_002, currency: "USD" });
});
