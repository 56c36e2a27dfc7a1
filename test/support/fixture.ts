import { readFileSync } from "node:fs";
import type { TestApp } from "./app.ts";
import { v1, v2 } from "./calls.ts";

/** An export that the release with layout 5 made: all entries of its store. */
export const EXPORT_5 = "test/fixtures/layout-5.jsonl";

/** The answers of that release. */
export const ANSWERS_5 = JSON.parse(readFileSync("test/fixtures/layout-5.json", "utf8")) as unknown;

/** An entry of a store before it had tables. */
export type FormerEntry = [key: string, text: string];

/** The entries of that release's store. */
export function entriesOfLayout5(): FormerEntry[] {
  const lines = readFileSync(EXPORT_5, "utf8").trimEnd().split("\n").slice(1, -1);
  return lines.map((line): FormerEntry => {
    const { key, value } = JSON.parse(line) as { key: string; value: unknown };
    return [key, JSON.stringify(value)];
  });
}

/** The answers of this release from the same data. Earnings without an explanation are commissions now. */
export async function answersOf(app: TestApp): Promise<unknown> {
  const range = { start_date: "2025-01-01", end_date: "2026-03-31" };
  const report = async (name: string, group_by: string) =>
    (await v1(app, "GET", `/reports/${name}`, { ...range, group_by })).body as Json[];
  const length = async (name: string) => (await v1(app, "GET", `/${name}/list`)).headers.get("total");
  const company = async (path: string) => (await v2(app, "GET", path)).body;
  const { data } = (await company("/promoters?per_page=100")) as { data: Json[] };
  return {
    lengths: {
      promoters: await length("promoters"),
      leads: await length("leads"),
      payouts: await length("payouts"),
    },
    overview: (await report("overview", "month")).map(withoutEarnings),
    campaignsReport: await report("campaigns", "year"),
    // Promoters who were paid have had a row since then, but none of the figures that are shown.
    promotersReport: (await report("promoters", "year")).filter(({ referrals_count, clicks_count }) =>
      [referrals_count, clicks_count].some((count) => count !== 0),
    ),
    promoters: data.map(({ id, stats, balances }) => ({ id, stats, balances: flat(balances as Json) })),
    promoterCampaigns: ((await company("/promoter_campaigns?per_page=100")) as Json[]).map(statsOf),
    campaigns: ((await company("/campaigns")) as Json[]).map(statsOf),
  };
}

type Json = Record<string, unknown>;

function withoutEarnings(row: Json): Json {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== "promoter_earnings_amount"));
}

function statsOf({ id, stats }: Json): Json {
  return { id, stats };
}

/** Since then, balances are also shown by kind. */
function flat(balances: Json): Json {
  return Object.fromEntries(Object.entries(balances).filter(([, value]) => typeof value === "number"));
}

/** An export of the release with layout 10: the records of its store. */
export const EXPORT_10 = "test/fixtures/layout-10.jsonl";

/** The SQLite file of that store. */
export const DATABASE_10 = "test/fixtures/layout-10.db";

/** The answers of that release. Later ones may show more. */
export const ANSWERS_10 = JSON.parse(readFileSync("test/fixtures/layout-10.json", "utf8")) as object;

/** The answers that show all money of a store. */
export async function moneyAnswersOf(app: TestApp): Promise<unknown> {
  const list = async (name: string) => (await v2(app, "GET", `/${name}?per_page=100`)).body;
  return {
    ...((await answersOf(app)) as object),
    leads: await list("referrals"),
    commissions: await list("commissions"),
    payouts: await list("payouts"),
    rewards: await list("rewards"),
    stats: (await v2(app, "GET", "/payouts/stats")).body,
  };
}

/** An export of the release with layout 12, the last without tables, and the SQLite file of its store. */
export const EXPORT_12 = "test/fixtures/layout-12.jsonl";
export const DATABASE_12 = "test/fixtures/layout-12.db";

/** An export of release 0.1, made by its own command line from its LMDB store. */
export const EXPORT_0_1 = "test/fixtures/release-0.1.ndjson";

/** What release 0.1 answered from that store: the main fields of each list, by path. */
export const ANSWERS_0_1 = JSON.parse(readFileSync("test/fixtures/release-0.1.json", "utf8")) as Record<
  string,
  Json[]
>;

/** An export of the release with layout 13, which kept the details of payout methods as they were given. */
export const EXPORT_13 = "test/fixtures/layout-13.jsonl";

/** The SQLite file of that store, compressed. */
export const DATABASE_13 = "test/fixtures/layout-13.db.gz";

/** The answers of that release, by their paths. */
export const ANSWERS_13 = JSON.parse(readFileSync("test/fixtures/layout-13.json", "utf8")) as Record<
  string,
  unknown
>;

/** An export of the release with layout 14, which did not count clicks by promoters' sources and pages. */
export const EXPORT_14 = "test/fixtures/layout-14.jsonl";

/** The SQLite file of that store, compressed. */
export const DATABASE_14 = "test/fixtures/layout-14.db.gz";
