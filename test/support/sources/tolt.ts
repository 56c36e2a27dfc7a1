import { makeProgram, truthOf, type Program } from "./program.ts";
import { pageAfter, sizeIn, startStandIn, type Lists, type Row, type StandInOptions } from "./stand-in.ts";

const KEY = "tolt_secret_1";
const PROGRAM = "prg_1";

/** A stand-in of Tolt's first generation. */
export function startTolt(options: StandInOptions = {}) {
  const program = makeProgram(options);
  return startStandIn(
    {
      key: KEY,
      lists: listsOf(program),
      truth: truthOf(program, { idOf: (n) => name("part", n), counts: false }),
      isAllowed: ({ authorization }) => authorization === `Bearer ${KEY}`,
      unauthorized: refusal("Invalid API key", "authentication_error"),
      busy: { headers: {}, body: refusal("Too many requests", "rate_limit_error") },
      notFound: refusal("Not found", "not_found_error"),
      answer,
    },
    options,
  );
}

function refusal(message: string, type: string) {
  return { success: false, error: { message, type } };
}

function answer(path: string, query: URLSearchParams, lists: Lists): unknown {
  const rows = lists[path.slice(1)];
  if (rows === undefined) return undefined;
  if (path !== "/programs" && query.get("program_id") !== PROGRAM)
    return { refused: { status: 400, body: refusal("program_id is required", "invalid_request_error") } };
  const size = sizeIn(query, "limit", { usual: 10, most: 100 });
  const page = pageAfter(rows.toReversed(), { after: query.get("starting_after"), size, name: "id" });
  if (page === null) return { refused: { status: 404, body: refusal("No such object", "not_found_error") } };
  const data = page.rows.map((row) => shown(row, query.getAll("expand[]")));
  const frame = { has_more: page.hasMore, total_count: rows.length };
  // One list has its rows a level deeper than the others.
  if (path === "/customers") return { success: true, data: { ...frame, data } };
  return { success: true, ...frame, data };
}

function shown({ group, ...row }: Row, expanded: string[]): Row {
  return expanded.includes("group") && group !== undefined ? { ...row, group } : row;
}

function listsOf(program: Program): Lists {
  return {
    programs: [
      {
        id: PROGRAM,
        name: "Shop",
        status: "active",
        currency_code: "USD",
        created_at: "2025-01-01T00:00:00.000Z",
      },
    ],
    partners: program.promoters.map((promoter) => partner(program, promoter)),
    links: program.promoters.flatMap(links),
    "promotion-codes": program.promoters.flatMap(promotionCode),
    customers: program.customers.map(customerRow),
    transactions: program.sales.map(transaction),
    commissions: program.commissions.map((each) => commissionRow(program, each)),
  };
}

const PARTNER_STATES = {
  accepted: "active",
  pending: "pending",
  rejected: "rejected",
  blocked: "suspended",
  inactive: "suspended",
};

function partner({ campaigns }: Program, promoter: Program["promoters"][number]): Row {
  const { n, paypal } = promoter;
  return {
    id: name("part", n),
    first_name: promoter.first_name,
    last_name: promoter.last_name,
    email: promoter.email,
    company_name: null,
    country_code: n === 2 ? "de" : null,
    program_id: PROGRAM,
    group_id: n === 9 ? null : `group_${promoter.campaign}`,
    ...(n !== 9 && {
      group: { id: `group_${promoter.campaign}`, name: campaigns[promoter.campaign - 1]!.name },
    }),
    payout_method: paypal === null ? (n === 3 ? "wire" : "none") : "paypal",
    payout_details: paypal === null ? {} : { address: paypal },
    ...(n !== 6 && { status: PARTNER_STATES[promoter.state] }),
    created_at: promoter.at,
  };
}

function links({ n, links, at }: Program["promoters"][number]): Row[] {
  return links.map(({ token }, place) => ({
    id: name("lnk", n * 10 + place),
    param: "ref",
    value: n === 10 ? "john doe" : token,
    partner_id: name("part", n),
    created_at: at,
  }));
}

function promotionCode({ n, code }: Program["promoters"][number]): Row[] {
  return code === null
    ? []
    : [{ id: name("promo", n), code, type: "percent", value: "10", partner_id: name("part", n) }];
}

const CUSTOMER_STATES = { signup: "lead", active: "active", cancelled: "canceled" };

function customerRow(customer: Program["customers"][number]): Row {
  const { n } = customer;
  return {
    id: name("cust", n),
    customer_id: customer.billingId ?? (n === 2 ? "user-2" : null),
    email: customer.email,
    name: customer.name,
    status: CUSTOMER_STATES[customer.state],
    plan: customer.since === null ? null : "pro",
    subscription_id: customer.since === null ? null : `sub_${n}`,
    lead_at: customer.at,
    active_at: customer.since,
    click_id: null,
    promotion_code_id: customer.byCode ? name("promo", customer.promoter) : null,
    partner_id: name("part", customer.promoter),
    created_at: customer.at,
  };
}

/** Refunds of a transaction are whole. Amounts are texts. */
function transaction(sale: Program["sales"][number]): Row {
  const hasTax = sale.currency === "EUR";
  return {
    id: name("txn", sale.n),
    amount: String(hasTax ? Math.round(sale.amount * 1.2) : sale.amount),
    amount_excluding_tax: hasTax ? String(sale.amount) : null,
    currency: sale.currency,
    charge_id: `ch_${sale.n}`,
    billing_type: "subscription",
    status: sale.refunded === sale.amount ? "refunded" : "paid",
    customer_id: name("cust", sale.customer),
    partner_id: name("part", sale.promoter),
    created_at: sale.n === 4 ? undefined : sale.at,
  };
}

function commissionRow(program: Program, commission: Program["commissions"][number]): Row {
  const { n, status, isPaid } = commission;
  const sale = commission.sale === null ? null : program.sales[commission.sale - 1]!;
  const states = {
    pending: "pending",
    approved: isPaid ? "paid" : "approved",
    denied: n % 2 === 0 ? "rejected" : "refunded",
  };
  return {
    id: name("comm", n),
    amount: states[status] === "refunded" ? "0" : String(commission.amount),
    // The program's currency is left out.
    currency: commission.currency === "USD" ? null : commission.currency.toLowerCase(),
    status: states[status],
    type: sale !== null ? "sale" : commission.amount < 0 ? "refund" : "reward",
    transaction_id: sale === null ? null : name("txn", sale.n),
    customer_id: sale === null ? null : name("cust", sale.customer),
    partner_id: name("part", commission.promoter),
    payout_id: commission.payout === null ? null : name("pay", commission.payout),
    created_at: commission.at,
  };
}

function name(prefix: string, n: number): string {
  return `${prefix}_${String(n).padStart(8, "0")}`;
}
