import { digest } from "../../../storage/digests.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Creator } from "../../context.ts";
import type { Suspicion } from "../../people/lead/lead.ts";
import type { Unit } from "../../money.ts";
import { NO_ORIGIN, originFields } from "../../people/origin.ts";
import type { Payout } from "../payout/payout.ts";
import { dailySums, type Count } from "../../people/daily.ts";
import type { TIER_REWARD_MODES } from "../../program/reward/reward.ts";
import type { BillingPeriod } from "../sale/sale.ts";

export const COMMISSION_STATUSES = ["pending", "approved", "denied"] as const;

export type CommissionStatus = (typeof COMMISSION_STATUSES)[number];

export const COMMISSION_TYPES = ["sale", "custom"] as const;

const commissionFields = {
  id: integer(),
  promoter_campaign_id: integer(),
  promoter_id: integer(),
  campaign_id: integer(),
  /** Null if it does not belong to a lead. */
  lead_id: integer().nullable(),
  status: text<CommissionStatus>(),
  commission_type: text<CommissionType>(),
  unit: text<Unit>(),
  /** In cents for `cash`, otherwise in whole units. Negative if it takes back another one. */
  amount: integer(),
  /** The sale that earned it, or null if it was imported or made by hand. */
  sale_id: integer().nullable(),
  /** The lead's origin. */
  ...originFields,
  /** The refund that made it, if it takes back another commission. */
  refund_id: integer().nullable(),
  /** The commission that it takes back, or null. */
  takes_back_id: integer().nullable(),
  /** The commissions that take this one back, a few for each refund. */
  taken_back_by_ids: json<number[]>(),
  /** Those of them that only correct it, because its sale's amount was corrected. Absent: none. */
  corrected_by_ids: json<number[]>().optional(),
  /** The client's own id of the sale. */
  event_id: text().nullable(),
  /** The sale's amount. */
  sale_amount: integer(),
  /** The sale's amount before it was converted, in the minor unit of its own currency. */
  original_sale_amount: integer(),
  /** Null for the account's currency. */
  original_sale_currency: text().nullable(),
  /** The sold price or plan, by the client's own id. */
  plan_id: text().nullable(),
  billing_period: text<BillingPeriod>().nullable(),
  tier: integer(),
  /** The reward that gave it, or null if it was imported or made by hand. */
  reward_id: integer().nullable(),
  reward_name: text().nullable(),
  /** The rule that determined its amount. Null like `reward_id`. */
  terms: json<CommissionTerms>().nullable(),
  /**
   * The rules of the target if it is a bonus for reaching one. Absent: it is none, or older than this field.
   */
  target_rules: json<unknown[]>().optional(),
  /** The promoter's share of a split commission, in ten-thousandths of a percent. Null: not split. */
  split_ten_thousandths: integer().nullable(),
  /**
   * Whether a promoter other than the lead's own earned it, so that it stays with them when the lead moves.
   * Absent: the tier decides.
   */
  stays_on_move: flag().optional(),
  fraud_check: text<Suspicion>().nullable(),
  /** Whether promoter and lead are the same person. Null: not judged. */
  is_self_referral: flag().nullable(),
  /** When a held commission is approved automatically. Null: not held. */
  approve_at: time().nullable(),
  /** The payout that it belongs to, or null. */
  payout_id: integer().nullable(),
  /** Whether another program paid it before the import. Such a commission joins no payout. */
  is_paid_elsewhere: flag(),
  /** Whether reports already count the imported sale or refund by another commission. Absent: no. */
  is_of_counted_sale: flag().optional(),
  /**
   * The other campaign, if it sets a debt off: negative in the campaign that pays, positive in the one that owed.
   * Absent: it does not.
   */
  set_off: json<{ campaign_id: number }>().optional(),
  /** Whether the promoter gets no e-mail about it. Absent: they do, if their campaign sends it. */
  is_silent: flag().optional(),
  /** Absent unless a user gave it by hand in the dashboard. */
  created_by_user: json<Creator>().optional(),
  /** The company's own remark. */
  internal_note: text().nullable().personal(),
  /** A remark that the promoter sees. */
  external_note: text().nullable().personal(),
  /** Null if its status was never changed. */
  status_updated_at: time().nullable(),
  created_at: time(),
};

/** A promoter's earnings from one event. V1 calls it a reward. */
export type Commission = RowOf<typeof commissionFields>;

/** The cause of a commission: a sale, or anything else that the company rewards. */
type CommissionType = (typeof COMMISSION_TYPES)[number];

/** The company's notes on a commission that it gives by hand. */
export type CommissionNotes = Pick<Commission, "internal_note" | "external_note" | "created_by_user">;

/** The rule that determined a commission. Later changes of rewards never change it. */
export interface CommissionTerms {
  /** In ten-thousandths: of a percent, or of a unit if it is flat. */
  amount_ten_thousandths: number;
  /** False for a percentage. */
  is_flat: boolean;
  /** The base of a tier reward's share. Null: no tier reward. */
  tier_reward_mode: (typeof TIER_REWARD_MODES)[number] | null;
  /** The amount on which a percentage is based. */
  base: number;
}

export const commissions = table("commission", commissionFields, {
  derived: {
    /** 0 without a lead, so that these come first in both engines when sorted by lead. */
    sorted_lead_id: ["integer", ({ lead_id }) => lead_id ?? 0],
    /**
     * The client's event id, for searches. The end of a very long one is cut off, because indexes have
     * limits.
     */
    words: ["text", ({ event_id }) => event_id?.slice(0, 255).toLowerCase()],
    /** Clients' event ids may be too long for an index. */
    event_hash: ["text", ({ event_id }) => (event_id === null ? null : digest(event_id))],
    is_of_refund: ["flag", isOfRefund],
    has_note: ["flag", ({ internal_note, external_note }) => (internal_note ?? external_note) !== null],
  },
  few: ["campaign_id", "status", "unit"],
  indexes: {
    /**
     * Lists read it instead of the commissions, which are far larger. It contains the columns that lists
     * filter or sort by; a filter by another one works, but reads the commissions.
     */
    list: {
      on: ["id"],
      covers: [
        "status",
        "campaign_id",
        "unit",
        "fraud_check",
        "is_of_refund",
        "payout_id",
        "is_paid_elsewhere",
        "amount",
        "sale_amount",
        "lead_id",
        "sorted_lead_id",
        "plan_id",
        "created_at",
        "words",
      ],
    },
    created_at: { on: ["created_at", "id", "status", "campaign_id", "unit", "fraud_check"] },
    lead: { on: ["lead_id", "id", "sale_id"] },
    event: { on: ["event_hash"], where: "event_hash is not null" },
    payout: { on: ["payout_id"], where: "payout_id is not null" },
    /** An erasure of their promoter removes the notes. */
    noted: { on: ["promoter_id"], where: "has_note" },
    /** Sums a promoter's earnings and pending commissions without reading the commissions themselves. */
    balance: { on: ["promoter_id", "status", "unit", "amount", "is_paid_elsewhere"] },
    /** The same without cash; it is mostly empty. */
    other_units: {
      on: ["promoter_id", "status", "unit", "amount", "is_paid_elsewhere"],
      where: "unit <> 'cash'",
    },
    pending: { on: ["unit", "amount"], where: "status = 'pending'" },
    /** Held commissions, by the instant of their approval. */
    due: { on: ["approve_at"], where: "status = 'pending' and approve_at is not null" },
    /**
     * Approved commissions without a payout, in the order in which a run gathers them, with all columns that
     * it sums.
     */
    unpaid: {
      on: [
        "promoter_id",
        "campaign_id",
        "unit",
        "created_at",
        "id",
        "amount",
        "status",
        "payout_id",
        "is_paid_elsewhere",
      ],
      where: "status = 'approved' and payout_id is null and not is_paid_elsewhere",
    },
  },
  sums: dailySums(commissionCounts),
});

type Named =
  | "account_id"
  | "id"
  | "promoter_campaign_id"
  | "promoter_id"
  | "campaign_id"
  | "amount"
  | "created_at";

/** A commission with the given fields. By default it is approved cash without a sale. */
export function newCommission(given: Pick<Commission, Named> & Partial<Commission>): Commission {
  return {
    lead_id: null,
    status: "approved",
    commission_type: "custom",
    unit: "cash",
    sale_id: null,
    ...NO_ORIGIN,
    refund_id: null,
    takes_back_id: null,
    taken_back_by_ids: [],
    event_id: null,
    sale_amount: 0,
    original_sale_amount: given.sale_amount ?? 0,
    original_sale_currency: null,
    plan_id: null,
    billing_period: null,
    tier: 1,
    reward_id: null,
    reward_name: null,
    terms: null,
    split_ten_thousandths: null,
    fraud_check: null,
    is_self_referral: null,
    approve_at: null,
    payout_id: null,
    is_paid_elsewhere: false,
    internal_note: null,
    external_note: null,
    status_updated_at: null,
    ...given,
  };
}

/** Whether a payout may still include the commission. */
export function isUnpaid({ status, payout_id, is_paid_elsewhere }: Commission): boolean {
  return status === "approved" && payout_id === null && !is_paid_elsewhere;
}

/**
 * Whether the promoter was paid, or got the non-cash reward. `payout` is the one that includes the
 * commission.
 */
export function isPaid({ is_paid_elsewhere }: Commission, payout: Pick<Payout, "status"> | null): boolean {
  return is_paid_elsewhere || payout?.status === "completed";
}

const commissionSourceFields = {
  /** The hash of an imported line, or of the event for which a commission was given by hand. */
  source_hash: text(),
  commission_id: integer(),
};

/** The origin of a commission without a sale. A repeated request finds it and makes no second commission. */
export type CommissionSource = RowOf<typeof commissionSourceFields>;

/** The name is older than commissions that are given by hand for an event. */
export const commissionSources = table("imported-commission", commissionSourceFields, {
  key: ["source_hash"],
});

/** Whether a refund took back a part of it, or made it to take back another. */
function isOfRefund({
  taken_back_by_ids,
  corrected_by_ids = [],
  refund_id,
}: Pick<Commission, "taken_back_by_ids" | "corrected_by_ids" | "refund_id">): boolean {
  return taken_back_by_ids.length > corrected_by_ids.length || refund_id !== null;
}

/** The counts of a commission in the reports. Payouts count their own payments. */
function commissionCounts(commission: Commission): Count[] {
  const { created_at: at, amount } = commission;
  // Both of a pair are the same promoter's, so nothing was earned.
  if (commission.set_off !== undefined) return [];
  const counts: Count[] = [{ metric: "commissions", at }, ...importedCounts(commission)];
  if (commission.status !== "approved" || commission.unit !== "cash") return counts;
  counts.push({ metric: "earnings_cents", at, amount });
  if (commission.is_paid_elsewhere) counts.push({ metric: "paid_cents", at, amount });
  return counts;
}

/**
 * An imported commission has no record of its sale or refund, so one commission of each event counts that as
 * well.
 */
function importedCounts({ sale_id, is_of_counted_sale, sale_amount, created_at: at }: Commission): Count[] {
  if (sale_id !== null || is_of_counted_sale || sale_amount === 0) return [];
  return sale_amount > 0
    ? [
        { metric: "sales", at },
        { metric: "sales_cents", at, amount: sale_amount },
      ]
    : [
        { metric: "refunds", at },
        { metric: "refunds_cents", at, amount: -sale_amount },
      ];
}
