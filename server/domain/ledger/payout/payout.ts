import { Failure } from "../../../failure.ts";
import type { Reader } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Account, PayoutCycle } from "../../program/account/account.ts";
import { dayIn, startOfDay, timeZoneOf } from "../../program/account/time-zone.ts";
import { share, type Unit } from "../../money.ts";
import type { Promoter } from "../../people/promoter/promoter.ts";
import { dailySums, type Count } from "../../people/daily.ts";
import { DAY_MS } from "../../span.ts";

export const PAYOUT_STATUSES = ["pending", "completed", "failed", "processing", "cancelled"] as const;

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** A part of a payout that pays back what its promoter owed in another campaign. */
export interface SetOff {
  campaign_id: number;
  /** Positive, in the unit of the payout. */
  amount: number;
}

const fields = {
  id: integer(),
  promoter_campaign_id: integer(),
  promoter_id: integer(),
  campaign_id: integer(),
  status: text<PayoutStatus>(),
  unit: text<Unit>(),
  /**
   * The sum of its commissions, without tax. In cents for `cash`, otherwise in whole units. A cancelled
   * payout keeps its last amount and has no commissions.
   */
  amount: integer(),
  /** What the run has set off. The amount is less by it. Absent: nothing. */
  set_offs: json<SetOff[]>().optional(),
  /** In hundredths of a percent. */
  tax_rate_hundredths: integer(),
  /** In the unit of `amount`. */
  total_incl_tax: integer(),
  period_start: time(),
  period_end: time(),
  /** The calendar day on which the period ended in the account's time zone. */
  period_end_date: text(),
  /** The calendar day by which it must be paid. */
  due_date: text(),
  /**
   * Whether it is due independently of the account's cycle: by the promoter's own terms, or because no run of
   * a period made it.
   */
  has_own_terms: flag(),
  /** The run of a period that made it. Null: it was made by hand, or with the approval of its commission. */
  run_id: integer().nullable(),
  /** Shared by payouts that were made together. */
  group_ref: text().nullable(),
  payments_batch_id: integer().nullable(),
  /** The method that pays or paid it, or null for the promoter's selected one. */
  payout_method_id: integer().nullable(),
  /** Why it failed. */
  error: text().nullable().personal("erased"),
  paid_at: time().nullable(),
  processing_started_at: time().nullable(),
  failed_at: time().nullable(),
  created_at: time(),
};

/** The amount that a promoter is paid for one campaign, unit and period. */
export type Payout = RowOf<typeof fields>;

export const payouts = table("payout", fields, {
  derived: {
    /** Null if it occupies no place in a run. */
    claimed_run_id: ["integer", ({ run_id, status }) => (status === "cancelled" ? null : run_id)],
  },
  few: [
    "status",
    "unit",
    "campaign_id",
    "has_own_terms",
    "due_date",
    "group_ref",
    "payments_batch_id",
    "claimed_run_id",
  ],
  unique: {
    /** A run pays a promoter once for each campaign and unit. */
    run: ["claimed_run_id", "promoter_id", "campaign_id", "unit"],
  },
  indexes: {
    status: { on: ["status"] },
    promoter: { on: ["promoter_id"] },
    batch: { on: ["payments_batch_id"], where: "payments_batch_id is not null" },
    batch_status: { on: ["payments_batch_id", "status"], where: "payments_batch_id is not null" },
    group: { on: ["group_ref"], where: "group_ref is not null" },
    method: { on: ["payout_method_id"], where: "payout_method_id is not null" },
    due: { on: ["has_own_terms", "due_date", "status", "campaign_id"] },
    /** Sums a promoter's payouts without reading the payouts themselves. */
    sums: { on: ["promoter_id", "status", "unit", "amount", "total_incl_tax"] },
    /** The same without cash; it is mostly empty. */
    other_units: { on: ["promoter_id", "status", "unit", "amount"], where: "unit <> 'cash'" },
  },
  sums: dailySums(paidCounts),
});

/** @throws Failure `not_found` */
export async function loadPayout(reader: Reader, accountId: number, id: number): Promise<Payout> {
  const payout = await reader.get(payouts, accountId, id);
  if (payout === null) throw new Failure("not_found", "Payout not found.");
  return payout;
}

/** The fields of a payout that follow from its commissions, its period and its promoter. */
export type PayoutTerms = Pick<
  Payout,
  | "unit"
  | "amount"
  | "tax_rate_hundredths"
  | "total_incl_tax"
  | "period_start"
  | "period_end"
  | "period_end_date"
  | "due_date"
  | "has_own_terms"
>;

/**
 * Computes a payout's tax and due date. Only money is taxed.
 *
 * @see docs/spec/money.md "Payouts"
 */
export function payoutTerms(
  { unit, amount }: { unit: Unit; amount: number },
  { start, end }: Pick<Period, "start" | "end">,
  {
    net_payout_days,
    time_zone,
    promoter,
  }: Pick<Account, "net_payout_days" | "time_zone"> & {
    promoter: Pick<Promoter, "net_payout_days" | "tax_rate_hundredths">;
  },
): PayoutTerms {
  const taxRateHundredths = unit === "cash" ? promoter.tax_rate_hundredths : 0;
  const endDate = dayIn(timeZoneOf({ time_zone }), new Date(end));
  return {
    unit,
    amount,
    tax_rate_hundredths: taxRateHundredths,
    total_incl_tax: withTax(amount, taxRateHundredths),
    period_start: start,
    period_end: end,
    period_end_date: endDate,
    due_date: dayAfter(endDate, promoter.net_payout_days ?? net_payout_days),
    has_own_terms: promoter.net_payout_days !== null,
  };
}

/** A hundred percent, in hundredths of a percent. */
const WHOLE = 10_000;

/** An amount with its tax, rounded once. */
export function withTax(amount: number, taxRateHundredths: number): number {
  return share(amount, WHOLE + taxRateHundredths, WHOLE);
}

/**
 * The time that a payout covers.
 *
 * @see docs/spec/money.md "Payouts"
 */
export interface Period {
  /** Its name in `group_ref`: `2026-02`, or its first and last day with a slash. */
  key: string;
  /** Its first moment. */
  start: string;
  /** Its last millisecond. */
  end: string;
}

/** The settings that determine where an account's periods begin. */
type PeriodSettings = Pick<Account, "payout_cycle" | "time_zone">;

/** The period of an instant, by the account's cycle and time zone. */
export function periodAt(settings: PeriodSettings, at: Date): Period {
  return periodOfDay(settings, dayIn(timeZoneOf(settings), at));
}

/** The period of a calendar day. */
export function periodOfDay({ payout_cycle, ...settings }: PeriodSettings, day: string): Period {
  const [first, next] = daysAround(payout_cycle, day);
  const zone = timeZoneOf(settings);
  const last = dayAfter(next, -1);
  return {
    key: payout_cycle === "monthly" ? day.slice(0, 7) : `${first}/${last}`,
    start: startOfDay(zone, first).toISOString(),
    end: new Date(startOfDay(zone, next).getTime() - 1).toISOString(),
  };
}

/** The latest period that has ended. */
export function latestPeriod(settings: PeriodSettings, now: Date): Period {
  return periodAt(settings, new Date(Date.parse(periodAt(settings, now).start) - 1));
}

/** A completed payout counts on the day when it was paid. */
function paidCounts({ status, unit, amount, paid_at }: Payout): Count[] {
  if (status !== "completed" || unit !== "cash" || paid_at === null) return [];
  return [{ metric: "paid_cents", at: paid_at, amount }];
}

/** The calendar day some days after another. */
function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

const WEEK_DAYS = 7;
/**
 * Weeks and fortnights are counted from the first Monday of Unix time.
 *
 * @see docs/spec/money.md "Payouts", 2
 */
const FIRST_MONDAY_MS = Date.UTC(1970, 0, 5);

/** The first day of a day's cycle, and the first day of the next one. */
function daysAround(cycle: PayoutCycle, day: string): [first: string, next: string] {
  if (cycle === "monthly") {
    const first = `${day.slice(0, 7)}-01`;
    return [first, `${dayAfter(first, 31).slice(0, 7)}-01`];
  }
  const length = cycle === "weekly" ? WEEK_DAYS : 2 * WEEK_DAYS;
  const count = Math.floor((Date.parse(day) - FIRST_MONDAY_MS) / (length * DAY_MS));
  const first = new Date(FIRST_MONDAY_MS + count * length * DAY_MS).toISOString().slice(0, 10);
  return [first, dayAfter(first, length)];
}
