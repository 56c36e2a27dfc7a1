import { z } from "zod";
import { importCommission } from "../../domain/ledger/commission/import.ts";
import { Failure } from "../../failure.ts";
import type { Account } from "../../domain/program/account/account.ts";
import { decimal, email, instant, oneOf, text } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { exponentOf, isCurrency, UNITS } from "../../domain/money.ts";
import type { Columns } from "./columns.ts";
import { CREATED_AT, PROMOTER_EMAIL, REF_ID, refId, SALE_ID, type Kind } from "./import.ts";
import { COMMISSION_WORDS, PAYMENT_WORDS } from "./words.ts";

const columns: Columns[] = [
  ["id", "commission_id", "reward_id", "conversion_id"],
  REF_ID,
  PROMOTER_EMAIL,
  ["email", "lead_email", "customer_email", "customer"],
  ["uid", "lead_uid", "customer_id", "cus_id"],
  ["amount", "commission", "commission_amount", "commission_value", "reward_amount"],
  ["unit"],
  ["currency"],
  [
    "status",
    "state",
    "commission_status",
    "commission_state",
    "reward_status",
    "conversion_status",
    "referral_status",
    "approval_status",
  ],
  ["payment_status", "payout_status", "paid_status", "is_paid", "paid", "is_paid_elsewhere"],
  ["paid_at", "paid_on", "paid_date", "date_paid"],
  [
    "sale_amount",
    "conversion_amount",
    "order_amount",
    "order_total",
    "order_value",
    "sale_value",
    "revenue",
    "sale",
    "total",
  ],
  ["event_id", ...SALE_ID],
  CREATED_AT,
];

/** An ISO 4217 code, in any case. */
export const currency = text.trim().toUpperCase().refine(isCurrency, "is not an ISO 4217 currency");

const state = text.toLowerCase().pipe(oneOf(["pending", "approved", "denied", "paid"]));

/** The shape of a row whose amounts have this many decimals. */
const commissionRow = (places: number) =>
  z.object({
    id: text.optional(),
    ref_id: refId.optional(),
    promoter_email: email.optional(),
    email: email.optional(),
    uid: text.optional(),
    amount: decimal(places, { isSigned: true }),
    unit: oneOf(UNITS).optional(),
    currency: currency.optional(),
    status: state.optional(),
    payment_status: state.optional(),
    paid_at: instant.optional(),
    sale_amount: decimal(places, { isSigned: true }).optional(),
    event_id: text.optional(),
    created_at: instant.optional(),
  });
/** The shapes by number of decimals. */
const ROWS = [0, 1, 2, 3, 4].map(commissionRow);

function read(account: Account, values: Record<string, string>) {
  const given = shapeInput(ROWS[placesOf(account)]!, values);
  const { payment_status: _payment, paid_at: _paidAt, ...row } = { ...given, status: statusOf(given) };
  // Commissions are not converted, because the promised sum would change.
  if (row.currency !== undefined && row.currency !== account.currency && (row.unit ?? "cash") === "cash")
    throw new Failure(
      "invalid",
      `currency is ${row.currency}, and the account counts in ${account.currency}`,
    );
  return row;
}

/**
 * What was paid stays paid, whatever another column says, and what was denied is not owed.
 *
 * @see docs/spec/v2.md "Coming from another program"
 */
function statusOf({ status, payment_status: payment, paid_at }: Given): Given["status"] {
  const said = new Set([status, payment]);
  if (paid_at !== undefined || said.has("paid")) return "paid";
  return said.has("denied") ? "denied" : (status ?? payment);
}
type Given = z.output<ReturnType<typeof commissionRow>>;

const importRow: Kind["importRow"] = async (context, account, { values, source }) => {
  const places = placesOf(account);
  const row = read(account, values);
  const unit = row.unit ?? "cash";
  const perWhole = 10 ** places;
  if (unit !== "cash" && row.amount % perWhole !== 0)
    throw new Failure("invalid", `amount is in whole ${unit}`);
  return importCommission(context, account, {
    source_id: row.id ?? null,
    source,
    ref_token: row.ref_id ?? null,
    promoterEmail: row.promoter_email ?? null,
    leadEmail: row.email ?? null,
    leadUid: row.uid ?? null,
    unit,
    amount: unit === "cash" ? row.amount : row.amount / perWhole,
    status: row.status ?? "approved",
    sale_amount: row.sale_amount ?? 0,
    event_id: row.event_id ?? null,
    created_at: row.created_at ?? null,
  });
};

/** Commissions are imported one at a time, because those of a promoter change the same balance. */
export const COMMISSIONS: Kind = {
  columns,
  required: [["amount"], ["ref_id", "promoter_email", "email", "uid"]],
  wider: { field: "amount", other: "sale_amount" },
  words: { status: COMMISSION_WORDS, payment_status: PAYMENT_WORDS },
  needsStates: true,
  read,
  importRow,
  concurrency: 1,
  changing: ["status", "payment_status", "paid_at"],
  keys: ["id"],
  claims: [],
};

function placesOf({ currency: code }: Account): number {
  return exponentOf(code) ?? 2;
}
