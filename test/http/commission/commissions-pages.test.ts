import { afterAll, beforeAll, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { company, addCampaign } from "../../support/v2.ts";
import { newCommission } from "../../support/commissions.ts";
import type { RecordOf } from "../../support/records.ts";

const COUNT = 600;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse("2025-01-01T12:00:00.000Z");

let app: TestApp;
const STATUSES = ["pending", "approved", "denied"] as const;
const all: RecordOf<"commission">[] = [];

/** Most are approved and in the first campaign. The days are not in the order of the ids. */
beforeAll(async () => {
  app = await startApp("memory");
  await addCampaign(app, { name: "Summer" });
  for (let id = 1; id <= COUNT; id++) {
    const commission = newCommission({
      account_id: app.account_id,
      id,
      promoter_campaign_id: 1,
      promoter_id: 1 + (id % 7),
      campaign_id: id % 5 === 0 ? 2 : 1,
      status: STATUSES[id % 100 === 0 ? 2 : id % 20 === 3 ? 0 : 1] ?? "approved",
      fraud_check: id % 9 === 0 ? "ad_source" : id % 2 === 0 ? "no_suspicion" : null,
      amount: (id * 37) % 100,
      created_at: new Date(FIRST_MS + ((id * 149) % 365) * DAY_MS).toISOString(),
    });
    all.push(commission);
  }
  await app.records.put("commission", ...all);
});
afterAll(() => app.close());

type Test = (commission: RecordOf<"commission">) => boolean;
const FILTERS: [query: string, test: Test][] = [
  ["", () => true],
  ["filters[status]=approved", ({ status }) => status === "approved"],
  ["filters[status]=pending", ({ status }) => status === "pending"],
  ["filters[campaign_id]=2", ({ campaign_id }) => campaign_id === 2],
  [
    "filters[status]=approved&filters[campaign_id]=1",
    ({ status, campaign_id }) => status === "approved" && campaign_id === 1,
  ],
  ["filters[status]=denied&filters[campaign_id]=1", () => false],
  [
    "filters[status]=approved&filters[promoter_id]=3",
    ({ status, promoter_id }) => status === "approved" && promoter_id === 3,
  ],
  [
    "filters[created_at][from]=2025-02-01&filters[created_at][to]=2025-03-31",
    ({ created_at }) => created_at >= "2025-02-01" && created_at < "2025-04-01",
  ],
  [
    "filters[created_at][from]=2025-12-01&filters[status]=approved",
    ({ created_at, status }) => created_at >= "2025-12-01" && status === "approved",
  ],
  [
    "filters[created_at][from]=2025-03-01&filters[created_at][to]=2025-04-30&filters[campaign_id]=2",
    ({ created_at, campaign_id }) =>
      created_at >= "2025-03-01" && created_at < "2025-05-01" && campaign_id === 2,
  ],
  [
    "filters[created_at][to]=2025-06-30&filters[status]=pending&filters[campaign_id]=1",
    ({ created_at, status, campaign_id }) =>
      created_at < "2025-07-01" && status === "pending" && campaign_id === 1,
  ],
  [
    "filters[created_at][from]=2025-03-01T12:00:00.001Z&filters[status]=approved",
    ({ created_at, status }) => created_at > "2025-03-01T12:00:00.000Z" && status === "approved",
  ],
  ["filters[fraud_check]=ad_source", ({ fraud_check }) => fraud_check === "ad_source"],
  [
    "filters[fraud_check][]=ad_source&filters[fraud_check][]=no_suspicion&filters[status]=approved",
    ({ fraud_check, status }) => fraud_check !== null && status === "approved",
  ],
];
const byDate = (one: RecordOf<"commission">, other: RecordOf<"commission">) =>
  Date.parse(one.created_at) - Date.parse(other.created_at) || one.id - other.id;
const SORTS: [query: string, sorted: (found: RecordOf<"commission">[]) => RecordOf<"commission">[]][] = [
  ["", (found) => found],
  ["sorting[created_at]=asc", (found) => found.toSorted(byDate)],
  ["sorting[created_at]=desc", (found) => found.toSorted(byDate).toReversed()],
  [
    "sorting[amount]=desc",
    (found) => found.toSorted((one, other) => other.amount - one.amount || other.id - one.id),
  ],
];

it.each(FILTERS)("pages through commissions by %s in every order", async (filter, test) => {
  for (const [sorting, sorted] of SORTS) {
    const expected = sorted(all.filter(test)).map(({ id }) => id);
    for (const page of [1, 2, Math.max(1, Math.ceil(expected.length / 20)), 99]) {
      const query = [filter, sorting, `page=${page}`].filter((part) => part !== "").join("&");
      const { body, headers } = await company(app, `GET /commissions?${query}`);
      expect(
        (body as { id: number }[]).map(({ id }) => id),
        query,
      ).toEqual(expected.slice(20 * (page - 1), 20 * page));
      expect(headers.get("total"), query).toBe(String(expected.length));
    }
  }
});
