import type { Account } from "../../domain/program/account/account.ts";
import { isMissing, toAccountCurrency, type MissingRate } from "../../domain/ledger/rate.ts";
import { Failure } from "../../failure.ts";
import type { Reader } from "../../storage/store.ts";
import type { SourcePayout, SourcePromoterCampaign, SourceRecord } from "./model.ts";

/** What must be known about all records before the first is written. */
export interface Plan {
  count: number;
  /** The promoter campaign that each promoter is made with. */
  firstPlaces: Map<string, SourcePromoterCampaign>;
  /** Clicks that the source counts only for the promoter, not for a link. */
  looseClicks: Map<string, number>;
  payouts: Map<string, SourcePayout>;
  /** The sales with a separate commission for a refund. */
  reducedSales: Set<string>;
  /** The dates of sales in foreign currencies. Their commissions are converted by that day's rate. */
  foreignSales: Map<string, string>;
  /** The first sales of customers without a customer date in the source. */
  firstSales: Map<string, string>;
  /** The billing provider's ids of customers with the company's own ids. */
  billingIds: Map<string, string>;
}

/** How many missing days of a currency are named one by one. */
const MOST_DAYS = 5;

/**
 * Reads all records once, without writing.
 *
 * @throws Failure `rule_broken` naming every currency and day without an exchange rate
 */
export async function makePlan(
  reader: Reader,
  account: Account,
  records: AsyncIterable<SourceRecord>,
): Promise<Plan> {
  const plan: Plan = {
    count: 0,
    firstPlaces: new Map(),
    looseClicks: new Map(),
    payouts: new Map(),
    reducedSales: new Set(),
    foreignSales: new Map(),
    firstSales: new Map(),
    billingIds: new Map(),
  };
  const undated = new Set<string>();
  const rates = newRateSearch(reader, account);
  for await (const record of records) {
    plan.count++;
    if (record.kind === "customer" && record.customer_since === null) undated.add(record.id);
    note(plan, record, { account, undated });
    if (record.kind === "sale") await rates.look(record.currency, record.created_at);
    if (record.kind === "commission" && record.unit === "cash")
      await rates.look(record.currency, dayOfCommission(plan, record));
  }
  rates.refuseMissing();
  return plan;
}

/** The instant of a commission's exchange rate: its sale's, so that a refund takes back exactly what the sale gave. */
export function dayOfCommission(
  { foreignSales }: Pick<Plan, "foreignSales">,
  { sale_id, created_at }: { sale_id: string | null; created_at: string },
): string {
  return (sale_id === null ? undefined : foreignSales.get(sale_id)) ?? created_at;
}

function note(
  plan: Plan,
  record: SourceRecord,
  { account, undated }: { account: Account; undated: Set<string> },
): void {
  switch (record.kind) {
    case "promoter":
      if (record.counts.clicks !== null) addClicks(plan, record.id, record.counts.clicks);
      return;
    case "promoter_campaign": {
      const first = plan.firstPlaces.get(record.promoter_id);
      // Links and sign-ups use the first one, so it should be an active one.
      if (first === undefined || (first.state !== "accepted" && record.state === "accepted"))
        plan.firstPlaces.set(record.promoter_id, record);
      if (plan.looseClicks.has(record.promoter_id)) addClicks(plan, record.promoter_id, -clicksOf(record));
      return;
    }
    case "customer":
      if (record.uid !== null && record.billingId !== null) plan.billingIds.set(record.id, record.billingId);
      return;
    case "payout":
      plan.payouts.set(record.id, record);
      return;
    case "sale":
      if (isForeign(record.currency, account)) plan.foreignSales.set(record.id, record.created_at);
      if (!undated.has(record.customerId)) return;
      if ((plan.firstSales.get(record.customerId) ?? "~") > record.created_at)
        plan.firstSales.set(record.customerId, record.created_at);
      return;
    case "commission":
      if (record.amount < 0 && record.sale_id !== null) plan.reducedSales.add(record.sale_id);
  }
}

/** The clicks of a promoter campaign's links. */
export function clicksOf({ links }: Pick<SourcePromoterCampaign, "links">): number {
  return links.reduce((sum, { clicks }) => sum + clicks, 0);
}

function isForeign(currency: string | null, account: Account): boolean {
  return currency !== null && currency.toUpperCase() !== account.currency;
}

function addClicks({ looseClicks }: Plan, promoterId: string, clicks: number): void {
  looseClicks.set(promoterId, (looseClicks.get(promoterId) ?? 0) + clicks);
}

/** Looks for rates, once for each currency and day. */
function newRateSearch(reader: Reader, account: Account) {
  const known = new Map<string, MissingRate | null>();
  return {
    async look(currency: string | null, at: string): Promise<void> {
      if (currency === null || !isForeign(currency, account)) return;
      const key = `${currency.toUpperCase()} ${at.slice(0, 10)}`;
      if (known.has(key)) return;
      const money = await toAccountCurrency(reader, account, { amount: 0, currency, at: new Date(at) });
      known.set(key, isMissing(money) ? money : null);
    },
    refuseMissing(): void {
      const days = new Map<string, string[]>();
      for (const missing of known.values())
        if (missing !== null) days.set(missing.from, [...(days.get(missing.from) ?? []), missing.day]);
      if (days.size === 0) return;
      const lists = [...days].map(([from, all]) => `${from} on ${listOf(all.toSorted())}`);
      throw new Failure(
        "rule_broken",
        `Nothing was written, because exchange rates to ${account.currency} are missing: ${lists.join("; ")}. ` +
          "`tidemark rates import` takes files of the European Central Bank.",
      );
    },
  };
}

function listOf(days: string[]): string {
  if (days.length <= MOST_DAYS) return days.join(", ");
  return `${days.length} days from ${days[0]} to ${days.at(-1)}`;
}
