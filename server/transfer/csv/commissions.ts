import { z } from "zod";
import { importCommission } from "../../domain/commission/import.ts";
import { Failure } from "../../failure.ts";
import { decimal, email, instant, oneOf, text } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { exponentOf, UNITS } from "../../domain/money/money.ts";
import type { Columns } from "./read.ts";
import { CREATED_AT, PROMOTER_EMAIL, REF_ID, refId, type Kind } from "./import.ts";

const columns: Columns[] = [
  ["id", "commission_id", "reward_id"],
  REF_ID,
  PROMOTER_EMAIL,
  ["email", "lead_email", "customer_email"],
  ["uid", "lead_uid", "customer_id", "cus_id"],
  ["amount", "commission", "commission_amount", "reward_amount"],
  ["unit"],
  ["status", "state"],
  ["sale_amount", "conversion_amount", "revenue", "sale"],
  ["event_id", "sale_id", "transaction_id", "invoice_id"],
  CREATED_AT,
];

/** A row whose amounts have so many decimals. */
const commissionRow = (places: number) =>
  z.object({
    id: text.optional(),
    ref_id: refId.optional(),
    promoter_email: email.optional(),
    email: email.optional(),
    uid: text.optional(),
    amount: decimal(places, { isSigned: true }),
    unit: oneOf(UNITS).optional(),
    status: text
      .toLowerCase()
      .pipe(oneOf(["pending", "approved", "denied", "paid"]))
      .optional(),
    sale_amount: decimal(places, { isSigned: true }).optional(),
    event_id: text.optional(),
    created_at: instant.optional(),
  });
/** By the decimals of the account's currency. */
const ROWS = [0, 1, 2, 3, 4].map(commissionRow);

const importRow: Kind["importRow"] = (context, account, { values, source }) => {
  const places = exponentOf(account.currency) ?? 2;
  const row = shapeInput(ROWS[places]!, values);
  const unit = row.unit ?? "cash";
  const perWhole = 10 ** places;
  if (unit !== "cash" && row.amount % perWhole !== 0)
    throw new Failure("invalid", `amount is in whole ${unit}`);
  return importCommission(context, account, {
    sourceId: row.id ?? null,
    source,
    refToken: row.ref_id ?? null,
    promoterEmail: row.promoter_email ?? null,
    leadEmail: row.email ?? null,
    leadUid: row.uid ?? null,
    unit,
    amount: unit === "cash" ? row.amount : row.amount / perWhole,
    status: row.status ?? "approved",
    saleCents: row.sale_amount ?? 0,
    eventId: row.event_id ?? null,
    createdAt: row.created_at ?? null,
  });
};

/** Commissions. They are imported one at a time, because those of one promoter add to one balance. */
export const COMMISSIONS: Kind = { columns, importRow, concurrency: 1, changing: "status" };
