import fc from "fast-check";
import { expect, it } from "vitest";
import { startApp } from "../../support/app.ts";
import { rounds } from "../../support/rounds.ts";
import { addPayout, addPromoter, changeAccount, selectMethod } from "../../support/payouts.ts";
import type { RecordOf } from "../../support/records.ts";
import { addCampaign } from "../../support/v2.ts";

const PAYOUT_STATUSES = ["pending", "completed", "failed", "processing", "cancelled"] as const;

const TODAY = "2026-03-04";
const METHODS = ["paypal", null, "wise"] as const;
const DAYS = ["2026-01-01", "2026-01-15", "2026-02-01", "2026-03-04"];

const day = fc.constantFrom(...DAYS);
const payout = fc.record({
  promoter: fc.nat(2),
  status: fc.constantFrom(...PAYOUT_STATUSES),
  campaign_id: fc.constantFrom(1, 2),
  amount: fc.constantFrom(100, 5_000, 5_001),
  period_start: day,
  period_end: day,
  due_date: fc.constantFrom("2026-02-01", TODAY, "2026-03-30"),
  has_own_terms: fc.boolean(),
  group_ref: fc.constantFrom(null, "a"),
  payments_batch_id: fc.constantFrom(null, 7),
});

type Subject = { payout: RecordOf<"payout">; promoter: RecordOf<"promoter">; method: string | null };
/** `among`: the payouts that the next due date is found among. */
type Filter = {
  query: string;
  passes: (subject: Subject, among: RecordOf<"payout">[]) => boolean;
  narrowsNext?: true;
};

const filters: fc.Arbitrary<Filter> = fc.oneof(
  fc.constantFrom("Ann", "b@", "LEE").map((q): Filter => ({
    query: `q=${q}`,
    passes: ({ promoter: { profile, email } }) =>
      `${profile.first_name} ${profile.last_name}\n${email}`.toLowerCase().includes(q.toLowerCase()),
  })),
  fc.constantFrom(...PAYOUT_STATUSES).map((status): Filter => ({
    query: `filters[status]=${status}`,
    passes: ({ payout }) => payout.status === status,
    narrowsNext: true,
  })),
  fc.subarray([1, 2], { minLength: 1 }).map((ids): Filter => ({
    query: ids.map((id) => `filters[campaign_id][]=${id}`).join("&"),
    passes: ({ payout }) => ids.includes(payout.campaign_id),
    narrowsNext: true,
  })),
  fc.constant<Filter>({
    query: "filters[payments_batch_id]=7",
    passes: ({ payout }) => payout.payments_batch_id === 7,
  }),
  fc.constant<Filter>({ query: "filters[group_ref]=a", passes: ({ payout }) => payout.group_ref === "a" }),
  fc.constantFrom(1, 2, 3).map((id): Filter => ({
    query: `filters[promoter_id]=${id}`,
    passes: ({ payout }) => payout.promoter_id === id,
  })),
  fc.constantFrom("paypal", "wise", "not_set").map((method): Filter => ({
    query: `filters[payout_method]=${method}`,
    passes: (subject) => (subject.method ?? "not_set") === method,
  })),
  fc.constant<Filter>({ query: "filters[only_payable]=yes", passes: ({ method }) => method !== null }),
  fc.constantFrom("no_suspicion", "ad_source").map((suspicion): Filter => ({
    query: `filters[fraud_suspicions][]=${suspicion}`,
    passes: ({ promoter }) => (suspicion === "no_suspicion") === (promoter.fraud_suspicions.length === 0),
  })),
  fc.constantFrom("next", "overdue", "custom").map((period): Filter => ({
    query: `filters[due_period]=${period}`,
    passes: ({ payout }, among) => {
      if (period === "custom") return payout.has_own_terms;
      if (payout.has_own_terms) return false;
      if (period === "overdue") return payout.status === "pending" && payout.due_date < TODAY;
      const coming = among.filter(({ due_date, has_own_terms }) => !has_own_terms && due_date >= TODAY);
      return payout.due_date === coming.map(({ due_date }) => due_date).toSorted()[0];
    },
  })),
  fc
    .tuple(fc.constantFrom("period_start", "period_end"), day, fc.boolean())
    .map(([name, date, isFrom]): Filter => ({
      query: `filters[${name}][${isFrom ? "from" : "to"}]=${date}`,
      passes: ({ payout }) => {
        const own = (name === "period_start" ? payout.period_start : payout.period_end).slice(0, 10);
        return isFrom ? own >= date : own <= date;
      },
    })),
);

const FIELDS = { amount: "amount", period_start: "period_start", period_end: "period_end" } as const;
const sorting = fc.uniqueArray(
  fc.tuple(fc.constantFrom("amount", "period_start", "period_end"), fc.constantFrom("asc", "desc")),
  { maxLength: 2, selector: ([name]) => name },
);

/** The expected answer, computed from all records at once. */
function expected(subjects: Subject[], given: Filter[], orders: [keyof typeof FIELDS, string][]): number[] {
  const narrowing = given.filter(({ narrowsNext }) => narrowsNext);
  const among = subjects
    .filter((subject) => narrowing.every(({ passes }) => passes(subject, [])))
    .map((subject) => subject.payout);
  const sign = (direction: string | undefined) => (direction === "desc" ? -1 : 1);
  return subjects
    .filter((subject) => given.every(({ passes }) => passes(subject, among)))
    .map((subject) => subject.payout)
    .toSorted((left, right) => {
      for (const [name, direction] of orders) {
        const [a, b] = [left[FIELDS[name]], right[FIELDS[name]]];
        if (a !== b) return sign(direction) * (a < b ? -1 : 1);
      }
      return sign(orders[0]?.[1]) * (left.id - right.id);
    })
    .map(({ id }) => id);
}

it("answers like a plain filter over all payouts, for any combination of filters", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(payout, { maxLength: 25 }),
      fc.array(
        fc.record({
          given: fc.uniqueArray(filters, { maxLength: 3, selector: nameOf }),
          sorting,
          perPage: fc.integer({ min: 1, max: 9 }),
          page: fc.integer({ min: 1, max: 4 }),
        }),
        { minLength: 10, maxLength: 20 },
      ),
      async (records, requests) => {
        const app = await startApp("memory");
        const account = await changeAccount(app.context, app.account_id, {});
        await addCampaign(app, { name: "Spring" });
        const people = [
          await addPromoter(app.context, account, {
            email: "a@x.example",
            first_name: "Ann",
            last_name: "Lee",
          }),
          await addPromoter(app.context, account, { email: "b@x.example", fraud_suspicions: ["ad_source"] }),
          await addPromoter(app.context, account, { email: "c@x.example", first_name: "Joann" }),
        ];
        for (const [at, method] of METHODS.entries()) {
          if (method) await selectMethod(app.context, people[at]!, { method });
        }
        const subjects: Subject[] = [];
        for (const { promoter: at, period_start, period_end, ...fields } of records) {
          const promoter = people[at]!;
          const made = await addPayout(app.context, promoter, {
            ...fields,
            period_start: `${period_start}T00:00:00.000Z`,
            period_end: `${period_end}T23:59:59.999Z`,
          });
          subjects.push({ payout: made, promoter, method: METHODS[at]! });
        }
        for (const { given, sorting: orders, perPage, page } of requests) {
          const query = [
            ...given.map((filter) => filter.query),
            ...orders.map(([name, direction]) => `sorting[${name}]=${direction}`),
            `per_page=${perPage}`,
            `page=${page}`,
          ].join("&");
          const { body, headers } = await app.v2("GET", `/payouts?${query}`);
          const wanted = expected(subjects, given, orders as [keyof typeof FIELDS, string][]);
          expect({
            query,
            total: headers.get("total"),
            ids: (body as { id: number }[]).map(({ id }) => id),
          }).toEqual({
            query,
            total: String(wanted.length),
            ids: wanted.slice((page - 1) * perPage, page * perPage),
          });
        }
        await app.close();
      },
    ),
    { numRuns: rounds(5, 60) },
  );
});

function nameOf({ query }: Filter): string {
  return query.split("=")[0]!.replace(/\[(from|to|)\]/g, "");
}
