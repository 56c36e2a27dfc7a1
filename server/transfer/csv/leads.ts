import { z } from "zod";
import { importLead } from "../../domain/people/lead/creation.ts";
import { Failure } from "../../failure.ts";
import { email, instant, oneOf, text } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { LEAD_STATES } from "../../domain/people/lead/lead.ts";
import type { Columns } from "./columns.ts";
import { CREATED_AT, EMAIL, NAME, namesOf, PROMOTER_EMAIL, REF_ID, UID, refId, type Kind } from "./import.ts";
import { LEAD_WORDS } from "./words.ts";

const CONCURRENCY = 16;
const columns: Columns[] = [
  [...EMAIL, "lead_email", "customer_email"],
  [...UID, "external_id"],
  REF_ID,
  PROMOTER_EMAIL,
  ["username", "user_name"],
  ["first_name", "firstname"],
  ["last_name", "lastname", "surname"],
  [...NAME, "lead_name", "customer_name"],
  ["state", "status", "lead_status", "customer_status", "referral_status"],
  ["plan_name", "plan"],
  ["sub_id"],
  ["customer_since", "customer_at", "first_sale_at"],
  ["cancelled_at", "canceled_at"],
  CREATED_AT,
];

const leadRow = z.object({
  email: email.optional(),
  uid: text.optional(),
  ref_id: refId.optional(),
  promoter_email: email.optional(),
  username: text.optional(),
  first_name: text.optional(),
  last_name: text.optional(),
  name: text.optional(),
  state: text.toLowerCase().pipe(oneOf(LEAD_STATES)).optional(),
  plan_name: text.optional(),
  sub_id: text.optional(),
  customer_since: instant.optional(),
  cancelled_at: instant.optional(),
  created_at: instant.optional(),
});
/**
 * Makes the import of a line of leads or of customers. Customers without a start date get their creation date.
 */
function leadRowImport({ areCustomers }: { areCustomers: boolean }): Kind["importRow"] {
  return async (context, account, { values }) => {
    const row = shapeInput(leadRow, values);
    if (row.email === undefined && row.uid === undefined)
      throw new Failure("missing", "email or uid is missing");
    const since = row.customer_since ?? (areCustomers ? (row.created_at ?? context.now) : null);
    return importLead(context, account, {
      ref_token: row.ref_id ?? null,
      promoterEmail: row.promoter_email ?? null,
      details: {
        email: row.email ?? null,
        uid: row.uid ?? null,
        username: row.username ?? null,
        ...namesOf(row),
        website: null,
        custom_fields: null,
        sub_id: row.sub_id ?? null,
      },
      state: row.state ?? (row.cancelled_at ? "cancelled" : since === null ? "signup" : "active"),
      plan_id: row.plan_name ?? null,
      customer_since: since,
      cancelled_at:
        row.cancelled_at ?? (row.state === "cancelled" ? (since ?? row.created_at ?? null) : null),
      created_at: row.created_at ?? null,
    });
  };
}

const WHO = ["email", "uid"];
const COMMON = {
  columns,
  words: { state: LEAD_WORDS },
  read: (_: unknown, values: Record<string, string>) => shapeInput(leadRow, values),
  concurrency: CONCURRENCY,
  keys: WHO,
  claims: [],
};

export const LEADS: Kind = {
  ...COMMON,
  required: [WHO, ["ref_id", "promoter_email"]],
  importRow: leadRowImport({ areCustomers: false }),
};

/** Customers. A known lead becomes a customer. */
export const CUSTOMERS: Kind = {
  ...COMMON,
  required: [WHO],
  importRow: leadRowImport({ areCustomers: true }),
};
