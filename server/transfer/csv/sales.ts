import { z } from "zod";
import type { Account } from "../../domain/program/account/account.ts";
import { exponentOf } from "../../domain/money.ts";
import { importSale } from "../../domain/ledger/sale/import.ts";
import { Failure } from "../../failure.ts";
import { decimal, email, instant, text } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { Columns } from "./columns.ts";
import { currency } from "./commissions.ts";
import { CREATED_AT, PROMOTER_EMAIL, REF_ID, refId, SALE_ID, UID, type Kind } from "./import.ts";

const columns: Columns[] = [
  ["event_id", "id", ...SALE_ID],
  ["email", "lead_email", "customer_email", "email_address", "e_mail", "customer"],
  [...UID, "lead_uid"],
  REF_ID,
  PROMOTER_EMAIL,
  ["amount", "sale_amount", "order_amount", "order_total", "order_value", "total", "revenue", "price"],
  ["currency", "currency_code"],
  ["plan_id", "plan", "plan_name", "product"],
  [...CREATED_AT, "paid_at", "charged_at"],
];

/** The shape of a row whose amount has this many decimals. */
const saleRow = (places: number) =>
  z.object({
    event_id: text.optional(),
    email: email.optional(),
    uid: text.optional(),
    ref_id: refId.optional(),
    promoter_email: email.optional(),
    amount: decimal(places).refine((amount) => amount > 0, "must be more than 0"),
    currency: currency.optional(),
    plan_id: text.optional(),
    created_at: instant.optional(),
  });
const ROWS = [0, 1, 2, 3, 4].map(saleRow);

/** Amounts have the decimals of their currency. */
function read(account: Account, values: Record<string, string>) {
  const code = currency.safeParse(values["currency"]).data ?? account.currency;
  const row = shapeInput(ROWS[exponentOf(code) ?? 2]!, values);
  if (row.email === undefined && row.uid === undefined)
    throw new Failure("missing", "email or uid is missing");
  return row;
}

const importRow: Kind["importRow"] = async (context, account, { values, source }) => {
  const row = read(account, values);
  return importSale(context, account, {
    source,
    email: row.email ?? null,
    uid: row.uid ?? null,
    ref_token: row.ref_id ?? null,
    promoterEmail: row.promoter_email ?? null,
    event_id: row.event_id ?? null,
    amount: row.amount,
    currency: row.currency ?? null,
    plan_id: row.plan_id ?? null,
    created_at: row.created_at ?? null,
  });
};

/** Sales are imported one at a time, because those of a customer change the same record. */
export const SALES: Kind = {
  columns,
  required: [["amount"], ["email", "uid"]],
  read,
  importRow,
  concurrency: 1,
  keys: ["event_id"],
  claims: [],
};
