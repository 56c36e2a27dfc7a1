import { UNITS, type Unit } from "../../server/domain/money.ts";
import type { Payout } from "../../server/domain/ledger/payout/payout.ts";
import type { TestApp } from "./app.ts";
import { newComparison, type Comparison } from "./comparison.ts";
import { groupBy, readLedger, sumOf, type Ledger } from "./money-laws.ts";
import { signedInBrowser } from "./portal.ts";
import { company } from "./v2.ts";

/** What a law of this file looks at. */
interface Look {
  app: TestApp;
  ledger: Ledger;
  /** The day of the requests. */
  today: string;
  compare: Comparison["compare"];
}

/** Every place where statistics, groups or lists of payouts differ from the sums of the records. */
export async function payoutFaults(app: TestApp): Promise<string[]> {
  const { faults, compare } = newComparison();
  const look: Look = {
    app,
    ledger: await readLedger(app.services.store, app.account_id),
    today: app.services.clock().toISOString().slice(0, 10),
    compare,
  };
  await compareStats(look);
  for (const status of ["pending", "completed"] as const) await compareDue(look, status);
  await compareOwnDue(look);
  await compareGroups(look);
  await compareTasks(look);
  return faults;
}

async function bodyOf<T>({ app }: Look, path: string): Promise<T> {
  return (await company(app, `GET ${path}`)).body as T;
}

async function compareStats(look: Look): Promise<void> {
  const { payouts } = look.ledger;
  const { data } = await bodyOf<{ data: unknown }>(look, "/payouts/stats");
  const sumsBy = (some: Payout[], nameOf: (payout: Payout) => string) =>
    [...groupBy(some, nameOf)].map(([name, group]): [string, object] => [name, sumsOf(group)]);
  const completed = payouts.filter(({ status }) => status === "completed");
  const periods = sumsBy(completed, ({ period_end, period_start }) => `${period_end} ${period_start}`);
  look.compare("the statistics of payouts", data, {
    by_status: Object.fromEntries(sumsBy(payouts, ({ status }) => status)),
    by_payout_method: Object.fromEntries(sumsBy(payouts, methodOf)),
    by_paid_period: periods
      .toSorted(([one], [other]) => (one < other ? 1 : -1))
      .map(([name, sums]) => {
        const [period_end, period_start] = name
          .split(" ")
          .map((instant) => instant.replace(/\.\d{3}Z$/, "Z"));
        return { period_start, period_end, ...sums };
      }),
  });
}

/** Only the first promoter has selected a method. */
function methodOf({ promoter_id }: Payout): string {
  return promoter_id === 1 ? "paypal" : "not_set";
}

/** What is due, and the lists that show the same payouts one by one. */
async function compareDue(look: Look, status: Payout["status"]): Promise<void> {
  const { ledger, today, compare } = look;
  const asked = `filters[status]=${status}`;
  const { data } = await bodyOf<{ data: Record<string, unknown> }>(look, `/payouts/due_stats?${asked}`);
  const parts = dueParts(
    ledger.payouts.filter((payout) => payout.status === status),
    today,
  );
  for (const [name, { own, day }] of Object.entries(parts)) {
    const which = `${status} payouts that are due (${name})`;
    compare(`the statistics of ${which}`, data[name], { ...sumsOf(own), ...day });
    // Only pending payouts are listed as overdue.
    if (name === "overdue" && status !== "pending") continue;
    const listed = await bodyOf<{ id: number }[]>(
      look,
      `/payouts?${asked}&filters[due_period]=${name}&per_page=100`,
    );
    const [shown, expected] = [listed, own].map((some) => some.map(({ id }) => id));
    compare(`the list of ${which}`, shown, expected);
  }
}

async function compareOwnDue({ app, ledger, today, compare }: Look): Promise<void> {
  for (const { id, auth_token } of ledger.promoters) {
    const portal = await signedInBrowser(app, auth_token);
    const { body } = await portal.call("GET /payouts/due_stats");
    const { data } = body as { data: Record<string, unknown> };
    const pending = pendingOf(ledger).filter(({ promoter_id }) => promoter_id === id);
    for (const [name, { own, day }] of Object.entries(dueParts(pending, today))) {
      compare(`what promoter ${id} is due (${name})`, data[name], { ...sumsOf(own), ...day });
    }
  }
}

async function compareGroups(look: Look): Promise<void> {
  type Group = { promoter: { id: number }; payout_ids: number[]; amount: number; total_incl_tax: number };
  const path = "/payouts/group_by_promoters?filters[status]=pending&per_page=100";
  const { data, meta } = await bodyOf<{ data: Group[]; meta: Record<string, unknown> }>(look, path);
  const pending = pendingOf(look.ledger);
  const shown = data.map(({ promoter: { id }, payout_ids, amount, total_incl_tax }) => ({
    id,
    payout_ids,
    amount,
    total_incl_tax,
  }));
  const groups = [...groupBy(pending, ({ promoter_id }) => String(promoter_id))].map(([id, own]) => ({
    id: Number(id),
    payout_ids: own.map((payout) => payout.id),
    amount: cents(own),
    total_incl_tax: centsInclTax(own),
  }));
  const sorted = groups.toSorted((one, other) => one.id - other.id);
  look.compare("the groups of pending payouts", shown, sorted);
  const { total, promoters_count, total_incl_tax } = meta;
  look.compare(
    "the sum of these groups",
    { total, promoters_count, total_incl_tax },
    { total: cents(pending), promoters_count: groups.length, total_incl_tax: centsInclTax(pending) },
  );
}

async function compareTasks(look: Look): Promise<void> {
  const path = "/home?start_date=2026-03-01&end_date=2026-03-31";
  const { tasks } = await bodyOf<{ tasks: Record<string, unknown> }>(look, path);
  const waiting = look.ledger.commissions.filter(({ status }) => status === "pending");
  const amount = sumOf(waiting.filter(({ unit }) => unit === "cash"));
  look.compare("the commissions to approve", tasks["pending_commissions"], { count: waiting.length, amount });
  const pending = pendingOf(look.ledger);
  const inMoney = pending.filter(({ unit }) => unit === "cash").map(({ promoter_id }) => promoter_id);
  look.compare("the payouts to pay", tasks["pending_payouts"], {
    count: pending.length,
    promoters_count: new Set(inMoney).size,
    amount: cents(pending),
    total_incl_tax: centsInclTax(pending),
  });
}

function pendingOf({ payouts }: Ledger): Payout[] {
  return payouts.filter(({ status }) => status === "pending");
}

/** Payouts by when they are due, and the day of each part: its first one, with the end of its period. */
function dueParts(payouts: Payout[], today: string): Record<string, { own: Payout[]; day: object }> {
  const custom = payouts.filter(({ has_own_terms }) => has_own_terms);
  const cyclic = payouts.filter(({ has_own_terms }) => !has_own_terms);
  const firstOf = (some: Payout[]) =>
    some.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))[0];
  const dayOf = (first: Payout | undefined) => ({
    due_date: first?.due_date ?? null,
    period_end: first?.period_end.slice(0, 10) ?? null,
  });
  const overdue = cyclic.filter(({ due_date }) => due_date < today);
  const first = firstOf(cyclic.filter(({ due_date }) => due_date >= today));
  return {
    next: { own: cyclic.filter(({ due_date }) => due_date === first?.due_date), day: dayOf(first) },
    overdue: { own: overdue, day: dayOf(firstOf(overdue)) },
    custom: { own: custom, day: dayOf(firstOf(custom)) },
  };
}

function orderOf({ due_date, period_end }: Payout): string {
  return `${due_date} ${period_end}`;
}

/** The sums of some payouts, as V2 writes them. */
function sumsOf(payouts: Payout[]): object {
  const ofUnit = (unit: Unit) => sumOf(payouts.filter((each) => each.unit === unit));
  return {
    promoters_count: new Set(payouts.map(({ promoter_id }) => promoter_id)).size,
    amounts: Object.fromEntries(UNITS.map((unit) => [unit, ofUnit(unit)])),
    total_incl_tax: centsInclTax(payouts),
  };
}

function cents(payouts: Payout[]): number {
  return sumOf(payouts.filter(({ unit }) => unit === "cash"));
}

function centsInclTax(payouts: Payout[]): number {
  return payouts
    .filter(({ unit }) => unit === "cash")
    .reduce((sum, { total_incl_tax }) => sum + total_incl_tax, 0);
}
