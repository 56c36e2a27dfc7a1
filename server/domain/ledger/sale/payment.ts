import { flag, integer, json, table, type RowOf } from "../../../storage/table.ts";
import type { Transaction } from "../../../storage/store.ts";
import { USUAL_BASE, type CommissionBase } from "../../program/account/account.ts";
import type { Earning } from "../commission/earnings.ts";
import { share, WHOLE } from "../../money.ts";
import { refunds, type Refund, type Sale } from "./sale.ts";

/** The objects of billing providers that report a payment. Later ones know more. */
const PAYMENT_SOURCES = ["charge", "checkout", "invoice", "transaction"] as const;

export type PaymentSource = (typeof PAYMENT_SOURCES)[number];

/** The parts of a payment, in the minor unit of its currency. */
export interface PaymentParts {
  source: PaymentSource;
  /** The sum paid, with and without tax. */
  gross_amount: number;
  net_amount: number;
  /** The shipping cost in it, without tax. Absent: none. */
  shipping_amount?: number;
  /** The number of items sold, for flat rewards. */
  quantity: number;
}

/** A provider's report on a new sale's payment, and the commission base. */
export interface Reported {
  parts: PaymentParts;
  base: CommissionBase;
}

/** Money of a payment that was taken back or returned. */
export interface Taking {
  /** The event id of its refund. */
  id: string;
  /** `reversal`: a bank returned the money of a dispute. `own`: the account recorded the refund itself. */
  kind: "refund" | "dispute" | "reversal" | "own";
  /**
   * With and without tax. For `own`, both are the refunded part of the sale. They are in the sale's currency, and in
   * the payment's if the account sent the sale itself and it is known what was paid.
   */
  gross_amount: number;
  /** Null: the payment's own tax share applies. */
  net_amount: number | null;
  /** What was paid, with tax, in the unit of `gross_amount`. Null: unknown. */
  paid_amount: number | null;
  at: string;
}

const fields = {
  sale_id: integer(),
  /** Null if only refunds of it were reported. */
  parts: json<PaymentParts>().nullable(),
  /** The commission base on the day of the sale. Absent: the default. */
  base: json<CommissionBase>().optional(),
  /**
   * Whether the sale's amount comes from the parts. False: the account sent the sale itself, and its amount
   * stays.
   */
  is_reported: flag(),
  /** The earnings of a reported sale, and the commission of each. */
  earnings: json<Earning[]>(),
  commission_ids: json<number[]>(),
  /** In the order of their arrival. */
  takings: json<Taking[]>(),
};

/**
 * A billing provider's reports on a sale's payment. The amounts of the sale, its refunds and its commissions
 * follow from it alone, so that the order of the provider's events does not matter.
 *
 * @see docs/spec/money.md "Billing providers"
 */
export type SalePayment = RowOf<typeof fields>;

export const salePayments = table("sale-payment", fields, {
  key: ["sale_id"],
});

/** The better parts: those of the later source, then those of the larger sum. Null if none are known. */
export function bestParts(known: (PaymentParts | null)[]): PaymentParts | null {
  return known.reduce((best, each) => {
    if (best === null || each === null) return best ?? each;
    const isLater = PAYMENT_SOURCES.indexOf(each.source) - PAYMENT_SOURCES.indexOf(best.source);
    return (isLater || each.gross_amount - best.gross_amount) > 0 ? each : best;
  }, null);
}

/** The part of a payment that counts as its sale's amount. */
export function countedAmount(parts: PaymentParts, base: CommissionBase): number {
  const { gross_amount, net_amount, shipping_amount = 0 } = parts;
  const paid = base.is_less_tax ? net_amount : gross_amount;
  const rest = Math.max(0, paid - (base.is_less_shipping ? shipping_amount : 0));
  return share(rest, WHOLE - base.fee_ten_thousandths, WHOLE);
}

type Taken = Pick<SalePayment, "parts" | "base" | "takings" | "is_reported">;

/**
 * How much of a sale its refunds and disputes have taken back, in the minor unit of its currency: the same
 * part as of the payment, and at most the sale. A reversal before its dispute has no effect.
 */
export function takenAmount(saleAmount: number, payment: Taken): number {
  const { parts, base = USUAL_BASE, takings } = payment;
  const paid = paidAmount(payment);
  // Without the parts, only the sum with tax may be known.
  const isNet = ({ net_amount }: Taking) =>
    net_amount !== null && base.is_less_tax && (parts !== null || paid === null);
  const reported = takings.filter(({ kind }) => kind !== "own");
  const gross = lostSum(
    reported.filter((taking) => !isNet(taking)),
    ({ gross_amount }) => gross_amount,
  );
  const net = lostSum(reported.filter(isNet), ({ net_amount }) => net_amount ?? 0);
  const own = takings.filter(({ kind }) => kind === "own");
  const taken =
    sumOf(own, ({ gross_amount }) => gross_amount) +
    partOf(saleAmount, gross, paid) +
    partOf(saleAmount, net, parts?.net_amount ?? null);
  return Math.min(saleAmount, taken);
}

type AmountOf = (taking: Taking) => number;

function partOf(saleAmount: number, lost: number, whole: number | null): number {
  return whole !== null && whole > 0 ? share(saleAmount, lost, whole) : lost;
}

/**
 * What was paid, with tax, or null if unknown. Of a sale that the account sent itself, or imported, refunds may be all
 * that tells of it.
 */
export function paidAmount({ parts, takings, is_reported }: Omit<Taken, "base">): number | null {
  if (is_reported) return parts?.gross_amount ?? null;
  const told = [parts?.gross_amount, ...takings.map((taking) => taking.paid_amount)];
  const known = told.filter((amount) => typeof amount === "number");
  return known.length === 0 ? null : Math.max(...known);
}

/** Refunds, and disputes less their reversals. */
function lostSum(takings: Taking[], amountOf: AmountOf): number {
  const sumOfKind = (wanted: Taking["kind"]) =>
    sumOf(
      takings.filter(({ kind }) => kind === wanted),
      amountOf,
    );
  return sumOfKind("refund") + Math.max(0, sumOfKind("dispute") - sumOfKind("reversal"));
}

function sumOf(takings: Taking[], amountOf: AmountOf): number {
  return takings.reduce((sum, taking) => sum + amountOf(taking), 0);
}

/** Stores a provider's report on a new sale's payment. */
export async function addPayment(
  tx: Transaction,
  {
    sale: { account_id, id: saleId, commission_ids },
    reported,
    earnings,
  }: { sale: Sale; reported: Reported; earnings: Earning[] },
): Promise<void> {
  const payment = {
    account_id,
    sale_id: saleId,
    ...reported,
    is_reported: true,
    earnings,
    commission_ids,
    takings: [],
  };
  await tx.insert(salePayments, payment);
}

/**
 * The payment of a sale. If none is stored, because the account sent the sale itself, its refunds until now
 * are the account's own.
 */
export async function loadPayment(
  tx: Transaction,
  sale: Sale,
  parts: PaymentParts | null,
): Promise<SalePayment> {
  const { account_id, id: saleId, lead_id } = sale;
  const kept = await tx.get(salePayments, account_id, saleId);
  if (kept !== null) return kept;
  const made = await tx.view.page(refunds, "lead", account_id, [lead_id], { limit: MOST_REFUNDS });
  const takings = made
    .filter((refund) => refund.sale_id === saleId)
    .map((refund) =>
      ownTaking(refund, share(sale.original_amount, refund.amount_cents, Math.max(1, sale.amount_cents))),
    );
  return {
    account_id,
    sale_id: saleId,
    parts,
    is_reported: false,
    earnings: [],
    commission_ids: [],
    takings,
  };
}

/** The taking for a refund that the account recorded itself. The amount is in the sale's currency. */
export function ownTaking({ event_id, created_at }: Refund, amount: number): Taking {
  return {
    id: event_id,
    kind: "own",
    gross_amount: amount,
    net_amount: null,
    paid_amount: null,
    at: created_at,
  };
}

/** The size of a page of a lead's refunds. Payments have a few. */
const MOST_REFUNDS = 1_000;
