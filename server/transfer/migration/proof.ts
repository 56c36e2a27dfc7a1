import { commissions } from "../../domain/commission/commission.ts";
import { leads } from "../../domain/lead/lead.ts";
import { findSourceId, pictureOf, type KeptKind, type SourceId } from "../../domain/migration/source-id.ts";
import { exponentOf, formatAmount, UNITS, type Unit } from "../../domain/money/money.ts";
import { payouts } from "../../domain/payout/payout.ts";
import { promoterCampaigns } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/promoter/promoter.ts";
import { NO_DAY, pastClicks } from "../../domain/visitor/visitor.ts";
import { amountOf, statusOf } from "./commissions.ts";
import { isCustomer } from "./customers.ts";
import type { Step } from "./keep.ts";
import type {
  SourceCommission,
  SourceCustomer,
  SourcePayout,
  SourcePromoter,
  SourcePromoterCampaign,
  SourceRecord,
} from "./model.ts";
import { pictureOfCommission } from "./payouts.ts";
import { clicksOf } from "./plan.ts";

/** What one program says of a promoter. */
export interface Side {
  clicks: number;
  leads: number;
  customers: number;
  /** By unit, in minor units of the account's currency or in whole units. Units without any are absent. */
  units: Partial<Record<Unit, { earned: number; paid: number }>>;
}

/** A promoter there and here. */
export interface ProofRow {
  /** null: they were not imported. */
  promoterId: number | null;
  email: string;
  sourceIds: string[];
  there: Side;
  here: Side;
  /** Records that were edited here, or recorded here by themselves. They count on both sides as the source has them. */
  ownCount: number;
  /** How the sides differ, in words. */
  differences: string[];
}

/** Whether both programs say the same. */
export interface Proof {
  rows: ProofRow[];
  differingCount: number;
}

type Importing = Omit<Step, "tx">;

/** Compares both programs, promoter by promoter. What is here is read from the store, record by record. */
export async function proof(
  importing: Importing,
  records: AsyncIterable<SourceRecord>,
  onRecords: (count: number) => void,
): Promise<Proof> {
  const comparison = newComparison(importing);
  let seen = 0;
  for await (const record of records) {
    if (++seen % 1_000 === 0) onRecords(1_000);
    switch (record.kind) {
      case "promoter":
        await comparison.promoter(record);
        break;
      case "promoter_campaign":
        await comparison.place(record);
        break;
      case "customer":
        await comparison.customer(record);
        break;
      case "commission":
        await comparison.commission(record);
    }
  }
  onRecords(seen % 1_000);
  const rows = comparison.end();
  return { rows, differingCount: rows.filter(({ differences }) => differences.length > 0).length };
}

/** A report for spreadsheets: a line for each promoter, amounts in decimals. */
export function proofTable({ rows }: Proof, currency: string): string[][] {
  const places = exponentOf(currency) ?? 2;
  const money = (amount: number) => (amount / 10 ** places).toFixed(places);
  const cells = ({ clicks, leads: leadCount, customers, units }: Side) => {
    const { earned, paid } = units.cash ?? NOTHING;
    return [...[clicks, leadCount, customers].map(String), money(earned), money(paid), money(earned - paid)];
  };
  const names = ["clicks", "leads", "customers", "earned", "paid", "owed"];
  const head = ["promoter", "promoter_id", "source_ids"];
  const titles = [...head, ...names.map((name) => `${name}_there`), ...names.map((name) => `${name}_here`)];
  const lines = rows.map(({ email, promoterId, sourceIds, there, here, ownCount, differences }) => [
    email,
    String(promoterId ?? ""),
    sourceIds.join(" "),
    ...cells(there),
    ...cells(here),
    String(ownCount),
    differences.join("; "),
  ]);
  return [[...titles, "changed_here", "differences"], ...lines];
}

const NOTHING = { earned: 0, paid: 0 };

/** The sums of a payout, or of many. */
interface PaidSums {
  amounts: Map<string, number>;
}

function newComparison(importing: Importing) {
  const { account, context, plan, program } = importing;
  const { store } = context;
  const rows = new Map<string, ProofRow>();
  /** What the source counts for each promoter itself. */
  const counts = new Map<string, SourcePromoter["counts"]>();
  const rowKeys = new Map<string, string>();
  const seenPlaces = new Set<number>();
  const seenLeads = new Set<number>();
  const inPayouts = new Map<string, PaidSums>();

  const find = (kind: KeptKind, sourceId: string): Promise<SourceId | null> =>
    findSourceId(store, account.id, { program, kind, sourceId });
  const rowOf = (sourceId: string) => rows.get(rowKeys.get(sourceId) ?? "");
  const rowOfOwn = (promoterId: number) => rows.get(String(promoterId));

  async function promoter(said: SourcePromoter): Promise<void> {
    const known = await find("promoter", said.id);
    const own = known && (await store.get(promoters, account.id, known.recordId));
    const key = own ? String(own.id) : `? ${said.id}`;
    const row = rows.get(key) ?? newRow(own?.id ?? null, own?.email ?? said.email);
    rows.set(key, row);
    rowKeys.set(said.id, key);
    row.sourceIds.push(said.id);
    counts.set(said.id, said.counts);
    for (const name of ["clicks", "leads", "customers"] as const) row.there[name] += said.counts[name] ?? 0;
  }

  async function place(said: SourcePromoterCampaign): Promise<void> {
    const row = rowOf(said.promoterId);
    if (row && counts.get(said.promoterId)?.clicks === null) row.there.clicks += clicksOf(said);
    const known = await find("promoter_campaign", said.id);
    const own = known && (await store.get(promoterCampaigns, account.id, known.recordId));
    if (!own || seenPlaces.has(own.id)) return;
    seenPlaces.add(own.id);
    const counted = await store.list(pastClicks, "id", account.id, [NO_DAY, own.id]);
    const here = rowOfOwn(own.promoterId)?.here;
    for (const { count } of here ? counted : []) here!.clicks += count;
  }

  async function customer(said: SourceCustomer): Promise<void> {
    const row = rowOf(said.promoterId);
    const known = await find("customer", said.id);
    const own = known && (await store.get(leads, account.id, known.recordId));
    const isRepeated = own !== null && seenLeads.has(own.id);
    if (own) seenLeads.add(own.id);
    countThere(row, said, isRepeated);
    if (!own || isRepeated || !row) return;
    // Somebody who was moved here, or who is known here by a sign-up of their own, is as the source has them.
    const isOwn =
      own.archivedAt !== undefined || own.promoterId !== row.promoterId || known?.isFoundHere === true;
    if (isOwn) row.ownCount++;
    row.here.leads++;
    if (isOwn ? isCustomer(plan, said) : own.customerSince !== null) row.here.customers++;
  }

  /** Two of the source's records may be one person, who then counts once. */
  function countThere(row: ProofRow | undefined, said: SourceCustomer, isRepeated: boolean): void {
    const own = counts.get(said.promoterId);
    if (!row) return;
    const add = (name: "leads" | "customers") => {
      const isCounted = (own?.[name] ?? null) !== null;
      row.there[name] += isRepeated === isCounted ? (isRepeated ? -1 : 1) : 0;
    };
    add("leads");
    if (isCustomer(plan, said)) add("customers");
  }

  async function commission(said: SourceCommission): Promise<void> {
    const row = rowOf(said.promoterId);
    notePayout(said);
    const amount = await amountOf({ reader: store, account, plan }, said);
    if (!row || typeof amount === "string") return;
    const isEarned = statusOf(said) === "approved";
    const payout = plan.payouts.get(said.payoutId ?? "");
    const isPaid = isEarned && (said.isPaid || payout?.status === "completed");
    add(row.there, said.unit, { earned: isEarned ? amount : 0, paid: isPaid ? amount : 0 });
    const known = await find("commission", said.id);
    const own = known && (await store.get(commissions, account.id, known.recordId));
    if (known?.isFoundHere || (own && pictureOf(pictureOfCommission(own)) !== known?.ownDigest)) {
      row.ownCount++;
      add(row.here, said.unit, { earned: isEarned ? amount : 0, paid: isPaid ? amount : 0 });
      return;
    }
    if (!own || own.status !== "approved") return;
    const paid = own.isPaidElsewhere || (await isPaidHere(own.payoutId)) ? own.amount : 0;
    const here = rowOfOwn(own.promoterId)?.here;
    if (here) add(here, own.unit, { earned: own.amount, paid });
  }

  const paidHere = new Map<number, boolean>();
  async function isPaidHere(payoutId: number | null): Promise<boolean> {
    if (payoutId === null) return false;
    const known = paidHere.get(payoutId);
    if (known !== undefined) return known;
    const payout = await store.get(payouts, account.id, payoutId);
    paidHere.set(payoutId, payout?.status === "completed");
    return payout?.status === "completed";
  }

  function notePayout({ payoutId, unit, amount, currency, promoterId, ...said }: SourceCommission): void {
    const isEarned = statusOf({ ...said, payoutId, unit, amount, currency, promoterId }) === "approved";
    if (!isEarned) return;
    const payout = plan.payouts.get(payoutId ?? "");
    const name = payout === undefined ? (said.isPaid ? loose(promoterId) : null) : payout.id;
    if (name === null) return;
    const sums = inPayouts.get(name) ?? { amounts: new Map() };
    inPayouts.set(name, sums);
    const key = currencyOf({ unit, currency });
    sums.amounts.set(key, (sums.amounts.get(key) ?? 0) + amount);
  }

  const currencyOf = ({ unit, currency }: Pick<SourcePayout, "unit" | "currency">) =>
    unit === "cash" ? (currency ?? account.currency).toUpperCase() : unit;

  function end(): ProofRow[] {
    comparePayouts();
    for (const row of rows.values()) row.differences.unshift(...differencesOf(row, account.currency));
    return [...rows.values()];
  }

  /** Every payout is the sum of its commissions. Those without any must be the sum of what was paid without a payout. */
  function comparePayouts(): void {
    const unnamed = new Map<string, Map<string, number>>();
    for (const said of plan.payouts.values()) {
      if (said.status === "cancelled" || said.amount === 0) continue;
      const key = currencyOf(said);
      const sums = inPayouts.get(said.id);
      if (sums === undefined) {
        if (said.status !== "completed") continue;
        const own = unnamed.get(said.promoterId) ?? new Map<string, number>();
        unnamed.set(said.promoterId, own.set(key, (own.get(key) ?? 0) + said.amount));
      } else if (sums.amounts.size > 1 || sums.amounts.get(key) !== said.amount) {
        const parts = [...sums.amounts].map(([code, amount]) => shown(amount, code)).join(" and ");
        const text = `payout ${said.id} is ${shown(said.amount, key)} there, and its commissions are ${parts}`;
        rowOf(said.promoterId)?.differences.push(text);
      }
    }
    for (const [promoterId, amounts] of unnamed) {
      for (const [key, amount] of amounts) {
        const without = inPayouts.get(loose(promoterId))?.amounts.get(key) ?? 0;
        if (without === amount) continue;
        const text = `payouts of ${shown(amount, key)} name no commissions, and commissions of ${shown(without, key)} were paid without a payout`;
        rowOf(promoterId)?.differences.push(text);
      }
    }
  }

  return { promoter, place, customer, commission, end };
}

/** The name of what was paid to a promoter without a payout. No id of a source has a blank first. */
function loose(promoterId: string): string {
  return ` ${promoterId}`;
}

function newRow(promoterId: number | null, email: string): ProofRow {
  const side = (): Side => ({ clicks: 0, leads: 0, customers: 0, units: {} });
  return { promoterId, email, sourceIds: [], there: side(), here: side(), ownCount: 0, differences: [] };
}

function add({ units }: Side, unit: Unit, { earned, paid }: { earned: number; paid: number }): void {
  const before = units[unit] ?? NOTHING;
  units[unit] = { earned: before.earned + earned, paid: before.paid + paid };
}

function differencesOf({ promoterId, there, here }: ProofRow, currency: string): string[] {
  if (promoterId === null) return ["not imported"];
  const found: string[] = [];
  for (const name of ["clicks", "leads", "customers"] as const)
    if (there[name] !== here[name]) found.push(`${name}: ${there[name]} there, ${here[name]} here`);
  for (const unit of UNITS) {
    const [one, other] = [there.units[unit] ?? NOTHING, here.units[unit] ?? NOTHING];
    for (const name of ["earned", "paid"] as const) {
      if (one[name] === other[name]) continue;
      const [before, now] = [one[name], other[name]].map((amount) => formatAmount(amount, unit, currency));
      found.push(`${name}: ${before} there, ${now} here`);
    }
  }
  return found;
}

function shown(amount: number, key: string): string {
  const isUnit = (UNITS as readonly string[]).includes(key);
  return isUnit ? formatAmount(amount, key as Unit, "USD") : formatAmount(amount, "cash", key);
}
