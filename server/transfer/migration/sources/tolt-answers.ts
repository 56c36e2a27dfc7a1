import { z } from "zod";
import type { SourceApi, SourceQuery } from "../model.ts";
import { idsOf, readCursorPages, readIfAny, readNeeded } from "../paging.ts";
import {
  amount,
  amountOrNull,
  country,
  currency,
  fields,
  id,
  instant,
  meaning,
  readAnswer,
  someInstant,
  text,
} from "../shapes.ts";

const MOST_ROWS = 100;

/** Fetches everything that Tolt offers. */
export async function askTolt(api: SourceApi): Promise<void> {
  await readNeeded(api, "programs", () => readList(api, "programs", {}));
  for await (const program of idsOf(api.kept, "programs")) {
    for (const [name, query] of LISTS) {
      const own = { list: `${name}-${program}`, query: { program_id: program, ...query } };
      const read = name === "promotion-codes" ? readIfAny : readNeeded;
      await read(api, own.list, () => readList(api, name, own.query, own.list));
    }
  }
}

/** The lists of each program. */
const LISTS: [name: string, query?: SourceQuery][] = [
  ["partners", { "expand[]": ["group"] }],
  ["links"],
  ["promotion-codes"],
  ["customers"],
  ["transactions"],
  ["commissions"],
];

const rows = z.array(z.unknown());
/** The rows are in `data` or in `data.data`. */
const page = z.looseObject({
  has_more: z.boolean().nullish(),
  data: z.union([rows, z.looseObject({ data: rows, has_more: z.boolean().nullish() })]),
});

/** Each program has its own list, whose name ends in the program's id. */
function readList(api: SourceApi, name: string, query: SourceQuery, list = name): Promise<void> {
  const path = `/${name}`;
  return readCursorPages(api, list, {
    async ask(after) {
      const place = after === null ? {} : { starting_after: after };
      const answer = await api.get(path, { ...query, limit: MOST_ROWS, ...place });
      const { data, has_more } = readAnswer(page, answer, path);
      if (Array.isArray(data)) return { rows: data, hasMore: has_more ?? data.length > 0 };
      return { rows: data.data, hasMore: data.has_more ?? has_more ?? data.data.length > 0 };
    },
  });
}

export const programShape = z.object({ id, name: text, currency_code: currency });
export type Program = z.output<typeof programShape>;

export const partnerShape = z.object({
  id,
  first_name: text,
  last_name: text,
  email: z.string(),
  company_name: text,
  country_code: country,
  group_id: text,
  group: z.object({ name: text }).nullish().catch(null),
  payout_method: text,
  payout_details: fields,
  status: z
    .string()
    .nullish()
    // Only programs that approve partners by hand have a state.
    .transform((status) => status ?? "active")
    .pipe(meaning({ active: "accepted", pending: "pending", suspended: "blocked", rejected: "rejected" })),
  created_at: someInstant,
});
export type Partner = z.output<typeof partnerShape>;

export const linkShape = z.object({ id, param: text, value: z.string().min(1), partner_id: id });

export const codeShape = z.object({ id, code: z.string().min(1), partner_id: id });

export const customerShape = z.object({
  id,
  customer_id: text,
  email: text,
  name: text,
  status: meaning({
    lead: "signup",
    trialing: "signup",
    active: "active",
    canceled: "cancelled",
    suspended: "denied",
  }),
  plan: text,
  subscription_id: text,
  created_at: instant,
  lead_at: instant,
  active_at: instant,
  promotion_code_id: text,
  partner_id: text,
});

export const transactionShape = z.object({
  id,
  amount,
  amount_excluding_tax: amountOrNull,
  currency,
  payment_amount: amountOrNull,
  payment_currency: currency,
  charge_id: text,
  status: text,
  customer_id: text,
  partner_id: text,
  created_at: instant,
});
export type Transaction = z.output<typeof transactionShape>;

export const commissionShape = z.object({
  id,
  amount,
  currency,
  status: meaning({
    pending: { status: "pending", isPaid: false },
    approved: { status: "approved", isPaid: false },
    paid: { status: "approved", isPaid: true },
    rejected: { status: "denied", isPaid: false },
    refunded: { status: "denied", isPaid: false },
  }),
  type: text,
  transaction_id: text,
  customer_id: text,
  partner_id: text,
  payout_id: text,
  created_at: someInstant,
});
export type Commission = z.output<typeof commissionShape>;
