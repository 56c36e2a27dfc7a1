import { sql, type Kysely, type RawBuilder, type SqlBool } from "kysely";
import { UNITS, type Unit } from "../../money.ts";
import { loadPromoterTotals, readPromoterTotals, type Metric } from "../../people/daily.ts";
import type { Payout, payouts } from "../payout/payout.ts";
import { among, prepared, quick, type Schema } from "../../../storage/query.ts";
import type { View } from "../../../storage/store.ts";
import type { Commission, commissions } from "./commission.ts";

/** Amounts of one unit: in cents for `cash`, otherwise in whole units. */
export interface UnitBalance {
  /** The sum of all approved commissions. */
  earnings: number;
  /** The unpaid part. */
  current: number;
  paid: number;
}

/** A promoter's earnings by unit. Units without earnings or payments are absent. */
export interface Balance {
  units: Partial<Record<Unit, UnitBalance>>;
}

/** The condition of the indexes `other_units`. */
const isNotCash = sql<SqlBool>`unit <> 'cash'`;

type BalanceSchema = Schema<{ commissions: typeof commissions; payouts: typeof payouts }>;

/**
 * Promoters' earnings and payments in units other than cash. Few promoters have any. The states are
 * literals, because SQLite plans a statement again whenever a value is bound that decides between partial
 * indexes.
 */
function otherUnits(query: Kysely<BalanceSchema>, accountId: number, isOfThem: RawBuilder<SqlBool>) {
  const earned = query
    .selectFrom("commissions")
    .select([
      "promoter_id",
      "unit",
      sql<number>`sum(amount)`.as("earnings"),
      sql<number>`sum(case when is_paid_elsewhere then amount else 0 end)`.as("paid"),
    ])
    .where("account_id", "=", accountId)
    .where(isOfThem)
    .where("status", "=", sql.lit("approved"))
    .where(isNotCash)
    .groupBy(["promoter_id", "unit"]);
  const paid = query
    .selectFrom("payouts")
    .select(["promoter_id", "unit", sql<number>`0`.as("earnings"), sql<number>`sum(amount)`.as("paid")])
    .where("account_id", "=", accountId)
    .where(isOfThem)
    .where("status", "=", sql.lit("completed"))
    .where(isNotCash)
    .groupBy(["promoter_id", "unit"]);
  return earned.unionAll(paid);
}

const otherUnitsOf = prepared((query: Kysely<BalanceSchema>, accountId: number, promoterId: number) =>
  otherUnits(query, accountId, sql<SqlBool>`promoter_id = ${promoterId}`),
);

/**
 * Sums a promoter's earnings and payments. Cash comes from the sums by month, because some promoters have
 * very many commissions.
 */
export async function loadBalance(view: View, accountId: number, promoterId: number): Promise<Balance> {
  return (await loadTotalsAndBalance(view, accountId, promoterId)).balance;
}

/** A promoter's totals and their balance, both from the sums by month. */
export async function loadTotalsAndBalance(
  view: View,
  accountId: number,
  promoterId: number,
): Promise<{ totals: Record<Metric, number>; balance: Balance }> {
  const rows = await view.rows(quick(otherUnitsOf(view, accountId, promoterId)));
  const totals = await loadPromoterTotals(view, accountId, promoterId);
  return { totals, balance: balanceIn(totals, rows) };
}

/** The same of each of some promoters, all at once. */
export async function readTotalsAndBalances(
  view: View,
  accountId: number,
  promoterIds: readonly number[],
): Promise<(promoterId: number) => { totals: Record<Metric, number>; balance: Balance }> {
  const [first, ...others] = promoterIds;
  if (first !== undefined && others.length === 0) {
    // By a prepared query, because most readers ask for one.
    const only = await loadTotalsAndBalance(view, accountId, first);
    return () => only;
  }
  const query = otherUnits(view.query<BalanceSchema>(), accountId, among("promoter_id", promoterIds));
  const [rows, totalsOf] = await Promise.all([
    view.rows(query),
    readPromoterTotals(view, accountId, promoterIds),
  ]);
  return (id) => {
    const totals = totalsOf(id);
    return {
      totals,
      balance: balanceIn(
        totals,
        rows.filter((row) => Number(row.promoter_id) === id),
      ),
    };
  };
}

function balanceIn(
  { earnings_cents, paid_cents }: Record<Metric, number>,
  others: { unit: string | null; earnings: number; paid: number }[],
): Balance {
  return balanceOf([
    { unit: "cash", earnings: earnings_cents, paid: paid_cents },
    ...others.map(({ unit, earnings, paid }) => ({
      unit: unit as Unit,
      earnings: Number(earnings),
      paid: Number(paid),
    })),
  ]);
}

const pendingOf = prepared((query: Kysely<BalanceSchema>, accountId: number, promoterId: number) =>
  query
    .selectFrom("commissions")
    .select(["unit", sql<number>`sum(amount)`.as("earnings")])
    .where("account_id", "=", accountId)
    .where("promoter_id", "=", promoterId)
    .where("status", "=", sql.lit("pending"))
    .groupBy("unit"),
);

/** The promoter's commissions that wait for approval, or for their day. */
export async function loadPendingEarnings(
  view: View,
  accountId: number,
  promoterId: number,
): Promise<Balance> {
  const rows = await view.rows(pendingOf(view, accountId, promoterId));
  const units: Balance["units"] = {};
  for (const { unit, earnings } of rows) {
    if (Number(earnings) !== 0) units[unit as Unit] = { earnings: Number(earnings), current: 0, paid: 0 };
  }
  return { units };
}

/** A contribution to a promoter's balance. */
export interface BalanceMove extends Omit<UnitBalance, "current"> {
  promoter_id: number;
  unit: Unit;
}

/** A commission's contribution to its promoter's balance. */
export function earned({ promoter_id, unit, status, amount, is_paid_elsewhere }: Commission): BalanceMove {
  const earnings = status === "approved" ? amount : 0;
  return { promoter_id, unit, earnings, paid: is_paid_elsewhere ? earnings : 0 };
}

/** A payout's contribution to its promoter's balance. */
export function paid({ promoter_id, unit, status, amount }: Payout): BalanceMove {
  return { promoter_id, unit, earnings: 0, paid: status === "completed" ? amount : 0 };
}

/** The contributions of a change. A null record is new, or was deleted. */
export function balanceMoves<R>(
  move: (record: R) => BalanceMove,
  { before, after }: { before: R | null; after: R | null },
): BalanceMove[] {
  const moves = [
    ...(before === null ? [] : [undone(move(before))]),
    ...(after === null ? [] : [move(after)]),
  ];
  return moves.filter(({ earnings, paid }) => earnings !== 0 || paid !== 0);
}

/** The balance after a promoter got these new commissions. */
export function balanceWith(balance: Balance, promoterId: number, commissions: Commission[]): Balance {
  const own = commissions.filter((commission) => commission.promoter_id === promoterId).map(earned);
  return balanceOf([...unitsOf(balance), ...own]);
}

/** The balance before these moves. */
export function balanceBefore(balance: Balance, moves: BalanceMove[]): Balance {
  return balanceOf([...unitsOf(balance), ...moves.map(undone)]);
}

function unitsOf({ units }: Balance): Omit<BalanceMove, "promoter_id">[] {
  return UNITS.map((unit) => ({ unit, ...(units[unit] ?? { earnings: 0, paid: 0 }) }));
}

function undone(move: BalanceMove): BalanceMove {
  return { ...move, earnings: -move.earnings, paid: -move.paid };
}

function balanceOf(parts: Omit<BalanceMove, "promoter_id">[]): Balance {
  const units: Balance["units"] = {};
  for (const { unit, ...part } of parts) {
    const known = units[unit] ?? { earnings: 0, paid: 0 };
    const [earnings, paid] = [known.earnings + part.earnings, known.paid + part.paid];
    units[unit] = { earnings, current: earnings - paid, paid };
  }
  const kept = Object.entries(units).filter(([, { earnings, paid }]) => earnings !== 0 || paid !== 0);
  return { units: Object.fromEntries(kept) };
}
