import { setImmediate as othersTurn } from "node:timers/promises";
import { commissions } from "../../domain/ledger/commission/commission.ts";
import { leads } from "../../domain/people/lead/lead.ts";
import {
  findSourceId,
  pictureOf,
  type KeptKind,
  type SourceId,
} from "../../domain/program/migration/source-id.ts";
import { exponentOf, formatAmount, UNITS, type Unit } from "../../domain/money.ts";
import { payouts } from "../../domain/ledger/payout/payout.ts";
import { promoterCampaigns } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import { NO_DAY, pastClicks } from "../../domain/people/visitor/visitor.ts";
import { csvForPeople, type Line } from "../../csv.ts";
import type { Table } from "../../storage/table.ts";
import { amountOf, statusOf } from "./commissions.ts";
import { isCustomer } from "./customers.ts";
import type { Step } from "./keep.ts";
import type {
  SourceCommission,
  SourceCustomer,
  SourcePromoter,
  SourcePromoterCampaign,
  SourceRecord,
  SourcePayout,
} from "./model.ts";
import { pictureOfCommission } from "./payouts.ts";
import { clicksOf } from "./plan.ts";
import { loadSums } from "./stored-sums.ts";

/** One program's figures of a promoter. */
export interface Side {
  clicks: number;
  leads: number;
  customers: number;
  /** By unit, in minor units of the account's currency or in whole units. Units with nothing are absent. */
  units: Partial<Record<Unit, { earned: number; paid: number }>>;
}

/** A promoter in both programs. */
export interface ProofRow {
  /** Null if they were not imported. */
  promoter_id: number | null;
  email: string;
  sourceIds: string[];
  there: Side;
  here: Side;
  /** Records that were edited or recorded here. Both sides count them as in the source. */
  ownCount: number;
  /** How the sides differ, in words. */
  differences: string[];
}

/** Whether both programs agree. */
export interface Proof {
  rows: ProofRow[];
  differing_count: number;
}

type Importing = Omit<Step, "tx">;

/** Records per step, so that other work gets its turn. */
const CHUNK = 500;

/** Compares both programs by promoter. Our side is read from the store, record by record. */
export async function proof(
  importing: Importing,
  records: AsyncIterable<SourceRecord>,
  onRecords: (count: number) => void,
): Promise<Proof> {
  const comparison = newComparison(importing);
  let seen = 0;
  for await (const record of records) {
    if (++seen % CHUNK === 0) {
      onRecords(CHUNK);
      await othersTurn();
    }
    switch (record.kind) {
      case "promoter":
        await comparePromoter(comparison, record);
        break;
      case "promoter_campaign":
        await comparePlace(comparison, record);
        break;
      case "customer":
        await compareCustomer(comparison, record);
        break;
      case "commission":
        await compareCommission(comparison, record);
        break;
      case "remark":
        if (record.isUnread) comparison.unreadCount++;
    }
  }
  onRecords(seen % CHUNK);
  for (const { promoter_id, text } of comparison.payoutSums.differences())
    rowOfPromoter(comparison, promoter_id)?.differences.push(text);
  const rows = [...comparison.rows.values()];
  for (const row of rows) row.differences.unshift(...differencesOf(row, importing.account.currency));
  const sums = await loadSums(importing.context.store, importing.account);
  for (const row of rows)
    if (row.promoter_id !== null) row.differences.push(...(await sums.faultsOf(row.promoter_id)));
  if (comparison.unreadCount > 0) rows.push(rowOfUnread(comparison.unreadCount));
  return { rows, differing_count: rows.filter(({ differences }) => differences.length > 0).length };
}

/** A CSV file for people: a line for each promoter. */
export function proofCsv({ rows }: Proof, currency: string): string {
  const places = exponentOf(currency) ?? 2;
  const money = (amount: number) => ({ decimal: (amount / 10 ** places).toFixed(places) });
  const cells = (side: Side, where: string): Line => {
    const { earned, paid } = side.units.cash ?? NOTHING;
    return {
      [`clicks_${where}`]: side.clicks,
      [`leads_${where}`]: side.leads,
      [`customers_${where}`]: side.customers,
      [`earned_${where}`]: money(earned),
      [`paid_${where}`]: money(paid),
      [`owed_${where}`]: money(earned - paid),
    };
  };
  const lines = rows.map(({ email, promoter_id, sourceIds, there, here, ownCount, differences }) => ({
    promoter: email,
    promoter_id: promoter_id ?? "",
    source_ids: sourceIds.join(" "),
    ...cells(there, "there"),
    ...cells(here, "here"),
    changed_here: ownCount,
    differences: differences.join("; "),
  }));
  return csvForPeople(lines, { header: true });
}

const NOTHING = { earned: 0, paid: 0 };

/** The state of a comparison. */
interface Comparison extends Importing {
  rows: Map<string, ProofRow>;
  /** The row of each promoter, by the source's id. */
  rowKeys: Map<string, string>;
  /** The source's own counts by promoter. */
  counts: Map<string, SourcePromoter["counts"]>;
  seenPlaces: Set<number>;
  seenLeads: Set<number>;
  /** Whether a payout here is paid. */
  paidPayouts: Map<number, boolean>;
  payoutSums: PayoutSums;
  unreadCount: number;
}

function newComparison(importing: Importing): Comparison {
  return {
    ...importing,
    rows: new Map(),
    rowKeys: new Map(),
    counts: new Map(),
    seenPlaces: new Set(),
    seenLeads: new Set(),
    paidPayouts: new Map(),
    payoutSums: newPayoutSums(importing),
    unreadCount: 0,
  };
}

/** Our id and record, or null. */
async function findOwn<R>(
  { context, account, program }: Comparison,
  { kind, source_id, from }: { kind: KeptKind; source_id: string; from: Table<R> },
): Promise<{ known: SourceId | null; own: R | null }> {
  const { store } = context;
  const known = await findSourceId(store, account.id, { program, kind, source_id });
  return { known, own: known === null ? null : await store.get(from, account.id, known.record_id) };
}

/** Of people and sums that are not known, because their records can't be read. */
function rowOfUnread(count: number): ProofRow {
  const differences = [`${count}, so it is not known whether anything is missing. The remarks name them`];
  return { ...newRow(null, "Records that can't be read"), differences };
}

/** The row of a promoter whom the source names, but does not list. Nothing of theirs is imported. */
function rowOfUnlisted({ rows, rowKeys }: Comparison, promoterId: string): ProofRow {
  const row = newRow(null, promoterId);
  rows.set(`? ${promoterId}`, row);
  rowKeys.set(promoterId, `? ${promoterId}`);
  row.sourceIds.push(promoterId);
  return row;
}

function rowOfPromoter({ rows, rowKeys }: Comparison, promoterId: string): ProofRow | undefined {
  return rows.get(rowKeys.get(promoterId) ?? "");
}

async function comparePromoter(comparison: Comparison, said: SourcePromoter): Promise<void> {
  const { known, own } = await findOwn(comparison, { kind: "promoter", source_id: said.id, from: promoters });
  const key = own ? String(own.id) : `? ${said.id}`;
  const row = comparison.rows.get(key) ?? newRow(own?.id ?? null, own?.email ?? said.email);
  comparison.rows.set(key, row);
  // deleted here
  if (known !== null && own === null) row.ownCount++;
  comparison.rowKeys.set(said.id, key);
  comparison.counts.set(said.id, said.counts);
  row.sourceIds.push(said.id);
  for (const name of ["clicks", "leads", "customers"] as const) row.there[name] += said.counts[name] ?? 0;
}

async function comparePlace(comparison: Comparison, said: SourcePromoterCampaign): Promise<void> {
  const { account, context, counts, rows, seenPlaces } = comparison;
  const row = rowOfPromoter(comparison, said.promoter_id);
  if (row && counts.get(said.promoter_id)?.clicks === null) row.there.clicks += clicksOf(said);
  const place = { kind: "promoter_campaign", source_id: said.id, from: promoterCampaigns } as const;
  const { own } = await findOwn(comparison, place);
  if (!own || seenPlaces.has(own.id)) return;
  seenPlaces.add(own.id);
  const here = rows.get(String(own.promoter_id))?.here;
  const counted = await context.store.list(pastClicks, "id", account.id, [NO_DAY, own.id]);
  for (const { count } of counted) if (here) here.clicks += count;
}

async function compareCustomer(comparison: Comparison, said: SourceCustomer): Promise<void> {
  const { plan, seenLeads } = comparison;
  const row = rowOfPromoter(comparison, said.promoter_id) ?? rowOfUnlisted(comparison, said.promoter_id);
  const { known, own } = await findOwn(comparison, { kind: "customer", source_id: said.id, from: leads });
  const isRepeated = own !== null && seenLeads.has(own.id);
  if (own) seenLeads.add(own.id);
  countThere(comparison, row, { said, isRepeated });
  if (known === null || isRepeated) return;
  // Leads that were moved, deleted or known before count as in the source.
  const isOwn = !own || own.archived_at || own.promoter_id !== row.promoter_id || known.is_found_here;
  if (isOwn) row.ownCount++;
  row.here.leads++;
  if (isOwn ? isCustomer(plan, said) : own.customer_since !== null) row.here.customers++;
}

/** Two of the source's records may be one person here, who counts once, while the source's own counts include both. */
function countThere(
  { counts, plan }: Comparison,
  row: ProofRow,
  { said, isRepeated }: { said: SourceCustomer; isRepeated: boolean },
): void {
  const names = isCustomer(plan, said) ? (["leads", "customers"] as const) : (["leads"] as const);
  for (const name of names) {
    const isCounted = (counts.get(said.promoter_id)?.[name] ?? null) !== null;
    if (isCounted && isRepeated) row.there[name]--;
    if (!isCounted && !isRepeated) row.there[name]++;
  }
}

async function compareCommission(comparison: Comparison, said: SourceCommission): Promise<void> {
  const { account, context, plan, payoutSums, rows } = comparison;
  payoutSums.note(said);
  const row = rowOfPromoter(comparison, said.promoter_id) ?? rowOfUnlisted(comparison, said.promoter_id);
  const amount = await amountOf({ reader: context.store, account, plan }, said);
  if (typeof amount === "string") {
    row.differences.push(`commission ${said.id}: ${amount}`);
    return;
  }
  const isEarned = statusOf(said) === "approved";
  const payout = plan.payouts.get(said.payout_id ?? "");
  const isPaid = isEarned && (said.isPaid || payout?.status === "completed");
  const there = { earned: isEarned ? amount : 0, paid: isPaid ? amount : 0 };
  add(row.there, said.unit, there);
  const { known, own } = await findOwn(comparison, {
    kind: "commission",
    source_id: said.id,
    from: commissions,
  });
  if (known === null) return;
  if (known.is_found_here || own === null) {
    row.ownCount++;
    return add(row.here, said.unit, there);
  }
  if (pictureOf(pictureOfCommission(own)) !== known.own_digest) {
    row.ownCount++;
    // Its state may have been changed here, but nothing here ever changes an amount.
    return add(row.here, own.unit, {
      earned: isEarned ? own.amount : 0,
      paid: isPaid ? own.amount : 0,
    });
  }
  if (own.status !== "approved") return;
  const paid = own.is_paid_elsewhere || (await isPaidHere(comparison, own.payout_id)) ? own.amount : 0;
  const here = rows.get(String(own.promoter_id))?.here;
  if (here) add(here, own.unit, { earned: own.amount, paid });
}

async function isPaidHere(
  { context, account, paidPayouts }: Comparison,
  payoutId: number | null,
): Promise<boolean> {
  if (payoutId === null) return false;
  const known = paidPayouts.get(payoutId);
  if (known !== undefined) return known;
  const isCompleted = (await context.store.get(payouts, account.id, payoutId))?.status === "completed";
  paidPayouts.set(payoutId, isCompleted);
  return isCompleted;
}

function newRow(promoterId: number | null, email: string): ProofRow {
  const side = (): Side => ({ clicks: 0, leads: 0, customers: 0, units: {} });
  return {
    promoter_id: promoterId,
    email,
    sourceIds: [],
    there: side(),
    here: side(),
    ownCount: 0,
    differences: [],
  };
}

function add({ units }: Side, unit: Unit, { earned, paid }: { earned: number; paid: number }): void {
  const before = units[unit] ?? NOTHING;
  units[unit] = { earned: before.earned + earned, paid: before.paid + paid };
}

function differencesOf({ promoter_id, there, here, ownCount }: ProofRow, currency: string): string[] {
  if (promoter_id === null) return ownCount > 0 ? [] : ["not imported"];
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

/** Adds up the source's commissions by payout. */
interface PayoutSums {
  note: (said: SourceCommission) => void;
  /** Sentences about payouts that are not the sum of their commissions. */
  differences: () => { promoter_id: string; text: string }[];
}

/** By currency, or by unit if it is not cash. */
type Amounts = Map<string, number>;

function newPayoutSums({ account, plan }: Pick<Step, "account" | "plan">): PayoutSums {
  const ofPayouts = new Map<string, Amounts>();
  /** What was paid without a payout, by promoter. */
  const withoutPayout = new Map<string, Amounts>();
  const keyOf = ({ unit, currency }: Pick<SourcePayout, "unit" | "currency">) =>
    unit === "cash" ? (currency ?? account.currency).toUpperCase() : unit;

  function note(said: SourceCommission): void {
    if (statusOf(said) !== "approved") return;
    const payout = plan.payouts.get(said.payout_id ?? "");
    if (payout !== undefined) addTo(ofPayouts, payout.id, { key: keyOf(said), amount: said.amount });
    else if (said.isPaid) addTo(withoutPayout, said.promoter_id, { key: keyOf(said), amount: said.amount });
  }

  /** Every payout is the sum of its commissions. Those without any must be the sum of what was paid without a payout. */
  function differences() {
    const found: { promoter_id: string; text: string }[] = [];
    const unnamed = new Map<string, Amounts>();
    for (const said of plan.payouts.values()) {
      if (said.status === "cancelled" || said.amount === 0) continue;
      const { id, promoter_id, amount, status } = said;
      const key = keyOf(said);
      const sums = ofPayouts.get(id);
      if (sums === undefined) {
        if (status === "completed") addTo(unnamed, promoter_id, { key, amount });
      } else if (sums.size > 1 || sums.get(key) !== amount) {
        const parts = [...sums].map(([each, sum]) => shown(sum, each)).join(" and ");
        found.push({
          promoter_id,
          text: `payout ${id} is ${shown(amount, key)} there, and its commissions are ${parts}`,
        });
      }
    }
    for (const [promoterId, amounts] of unnamed) {
      for (const [key, amount] of amounts) {
        const paid = withoutPayout.get(promoterId)?.get(key) ?? 0;
        const text = `payouts of ${shown(amount, key)} name no commissions, and ${shown(paid, key)} were paid without a payout`;
        if (paid !== amount) found.push({ promoter_id: promoterId, text });
      }
    }
    return found;
  }

  return { note, differences };
}

function addTo(
  sums: Map<string, Amounts>,
  name: string,
  { key, amount }: { key: string; amount: number },
): void {
  const amounts = sums.get(name) ?? new Map<string, number>();
  sums.set(name, amounts.set(key, (amounts.get(key) ?? 0) + amount));
}

function shown(amount: number, key: string): string {
  const isUnit = (UNITS as readonly string[]).includes(key);
  return isUnit ? formatAmount(amount, key as Unit, "USD") : formatAmount(amount, "cash", key);
}
