import { makeProgram, truthOf, type Program } from "./program.ts";
import { numberedPage, sizeIn, startStandIn, type Lists, type Row, type StandInOptions } from "./stand-in.ts";

const KEY = "rewardful-secret-1";
/** One affiliate was moved from the first campaign to the second one. Their commissions stay where they were. */
const MOVED = 9;

/** A stand-in of Rewardful. */
export function startRewardful(options: StandInOptions = {}) {
  // Rewardful has commissions for sales alone.
  const program = makeProgram({ ...options, hasManual: false });
  return startStandIn(
    {
      key: KEY,
      lists: listsOf(program),
      truth: truthOf(program, { idOf: (n) => uuid("aff", n), counts: true }),
      isAllowed: ({ authorization }) =>
        authorization === `Basic ${Buffer.from(`${KEY}:`).toString("base64")}`,
      unauthorized: { error: "Invalid API Secret." },
      busy: {
        headers: { ratelimit: "limit=45, remaining=0, reset=12" },
        body: { error: "Too many requests" },
      },
      notFound: { error: "Not found" },
      answer,
    },
    options,
  );
}

function answer(path: string, query: URLSearchParams, lists: Lists): unknown {
  const rows = lists[path.slice(1)];
  if (rows === undefined) return undefined;
  const states = query.getAll("conversion_state[]");
  const found = rows.filter((row) => states.length === 0 || states.includes(String(row["conversion_state"])));
  const size = sizeIn(query, "limit", { usual: 25, most: 100 });
  const page = Number(query.get("page") ?? 1);
  // The newest record comes first.
  const data = numberedPage(found.toReversed(), { page, size });
  const pages = Math.max(1, Math.ceil(found.length / size));
  return {
    pagination: {
      previous_page: page > 1 ? page - 1 : null,
      current_page: page,
      next_page: page < pages ? page + 1 : null,
      count: data.length,
      limit: size,
      total_pages: pages,
      total_count: found.length,
    },
    data: data.map((row) => shown(path, row, query.getAll("expand[]"))),
  };
}

/** Nested records come only if they are asked for. */
function shown(path: string, row: Row, expanded: string[]): Row {
  const nested =
    { "/affiliates": ["links"], "/commissions": ["sale"], "/payouts": ["commissions"] }[path] ?? [];
  const hidden = new Set(nested.filter((name) => !expanded.includes(name)));
  return Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.has(name)));
}

function listsOf(program: Program): Lists {
  return {
    campaigns: program.campaigns.map(campaign),
    affiliates: program.promoters.map((promoter) => affiliate(program, promoter)),
    affiliate_coupons: program.promoters.flatMap((promoter) => coupon(promoter)),
    referrals: [...program.customers.map((customer) => referral(program, customer)), visitor()],
    commissions: program.commissions.map((commission) => commissionRow(program, commission)),
    payouts: program.payouts.map((payout) => payoutRow(program, payout)),
  };
}

function campaign({ n, name, percent }: Program["campaigns"][number]): Row {
  return {
    id: uuid("cam", n),
    name,
    url: "https://shop.example/pricing",
    private: n === 3,
    default: n === 1,
    reward_type: n === 3 ? "amount" : "percent",
    commission_percent: n === 3 ? null : percent,
    commission_amount_cents: n === 3 ? 1_500 : null,
    commission_amount_currency: n === 3 ? "EUR" : null,
    minimum_payout_cents: 5_000,
    minimum_payout_currency: "USD",
    max_commissions: n === 2 ? 3 : null,
    max_commission_period_months: n === 1 ? 12 : null,
    days_before_referrals_expire: 60,
    days_until_commissions_are_due: 30,
    parameter_type: "query",
    stripe_coupon_id: n === 1 ? "welcome10" : null,
    visitors: 0,
    leads: 0,
    conversions: 0,
  };
}

const AFFILIATE_STATES = {
  accepted: "active",
  pending: "suspicious",
  rejected: "disabled",
  blocked: "disabled",
  inactive: "disabled",
};

function affiliate(program: Program, promoter: Program["promoters"][number]): Row {
  const { n, at, links } = promoter;
  const people = program.customers.filter((customer) => customer.promoter === n);
  return {
    id: uuid("aff", n),
    first_name: promoter.first_name,
    last_name: promoter.last_name,
    email: promoter.email,
    state: AFFILIATE_STATES[promoter.state],
    confirmed_at: n % 2 === 0 ? at : null,
    paypal_email: promoter.paypal,
    wise_email: n === 2 || n === 3 ? `wise-${n}@example.com` : null,
    stripe_customer_id: null,
    stripe_account_id: null,
    visitors: links.reduce((sum, { clicks }) => sum + clicks, 0),
    leads: people.length,
    conversions: people.filter(({ state }) => state !== "signup").length,
    campaign: { id: uuid("cam", campaignOf(promoter)), name: "…" },
    links: links.map(({ token, clicks }, place) => ({
      id: uuid("lnk", n * 10 + place),
      url: `https://shop.example/?via=${token}`,
      token,
      visitors: clicks,
      leads: 0,
      conversions: 0,
    })),
    coupon: null,
    created_at: at,
    updated_at: at,
  };
}

function campaignOf({ n, campaign }: Program["promoters"][number]): number {
  return n === MOVED ? 2 : campaign;
}

function coupon({ n, code }: Program["promoters"][number]): Row[] {
  if (code === null) return [];
  return [
    {
      id: uuid("cou", n),
      external_id: `promo_${n}`,
      token: code,
      archived: n === 4,
      archived_at: null,
      leads: 0,
      conversions: 0,
      affiliate_id: uuid("aff", n),
    },
  ];
}

function referral(program: Program, customer: Program["customers"][number]): Row {
  const { n, email, name, billingId, at, since } = customer;
  const promoter = program.promoters[customer.promoter - 1]!;
  return {
    id: uuid("ref", n),
    link: customer.byCode ? null : { id: uuid("lnk", promoter.n * 10), token: promoter.links[0]!.token },
    coupon: customer.byCode ? { id: uuid("cou", promoter.n) } : null,
    visits: 1,
    customer: email === null ? null : { id: uuid("cus", n), name, email, platform: "stripe" },
    affiliate: { id: uuid("aff", promoter.n), email: promoter.email },
    conversion_state: customer.state === "signup" ? "lead" : "conversion",
    became_lead_at: at,
    became_conversion_at: since,
    expires_at: "2026-12-31T00:00:00.000Z",
    deactivated_at: n === 5 ? "2026-01-01T00:00:00.000Z" : null,
    stripe_account_id: "acct_1",
    stripe_customer_id: billingId,
    created_at: at,
    updated_at: at,
  };
}

/** A click of which nothing came. */
function visitor(): Row {
  return {
    id: uuid("ref", 900_000),
    link: null,
    customer: null,
    affiliate: { id: uuid("aff", 1) },
    conversion_state: "visitor",
    created_at: "2026-01-01T00:00:00.000Z",
  };
}

function commissionRow(program: Program, commission: Program["commissions"][number]): Row {
  const { n, status, isPaid, at } = commission;
  const promoter = program.promoters[commission.promoter - 1]!;
  return {
    id: uuid("com", n),
    // Some answers bring amounts as texts.
    amount: n % 5 === 0 ? String(commission.amount) : commission.amount,
    currency: commission.currency,
    state: isPaid ? "paid" : { pending: "pending", approved: "due", denied: "voided" }[status],
    due_at: at,
    paid_at: isPaid ? at : null,
    voided_at: status === "denied" ? at : null,
    campaign: { id: uuid("cam", promoter.campaign) },
    sale: saleIn(program, program.sales[commission.sale! - 1]!),
    created_at: at,
    updated_at: at,
  };
}

function saleIn(program: Program, sale: Program["sales"][number]): Row {
  // Sales in euros carry a tax of a fifth.
  const taxed = (amount: number) => (sale.currency === "EUR" ? Math.round(amount * 1.2) : amount);
  const promoter = program.promoters[sale.promoter - 1]!;
  return {
    id: uuid("sal", sale.n),
    currency: sale.currency,
    charged_at: sale.at,
    invoiced_at: sale.at,
    charge_amount_cents: taxed(sale.amount),
    tax_amount_cents: taxed(sale.amount) - sale.amount,
    sale_amount_cents: sale.amount,
    refund_amount_cents: taxed(sale.refunded),
    stripe_charge_id: `ch_${sale.n}`,
    stripe_account_id: "acct_1",
    referral: referral(program, program.customers[sale.customer - 1]!),
    affiliate: { id: uuid("aff", promoter.n), email: promoter.email },
  };
}

const PAYOUT_STATES = { pending: "pending", processing: "processing", completed: "paid", failed: "due" };

function payoutRow(program: Program, payout: Program["payouts"][number]): Row {
  const { n, promoter, amount, currency, status, paid_at } = payout;
  return {
    id: uuid("pay", n),
    amount,
    currency,
    state: PAYOUT_STATES[status],
    paid_at,
    paid_by_id: null,
    affiliate: { id: uuid("aff", promoter) },
    commissions: program.commissions
      .filter((commission) => commission.payout === n)
      .map((commission) => ({ id: uuid("com", commission.n) })),
  };
}

/** The ids are UUIDs. The kind can be read in them, so that faults are easy to find. */
export function uuid(kind: string, n: number): string {
  const prefix = Buffer.from(kind).toString("hex").padEnd(8, "0");
  return `${prefix}-0000-4000-8000-${String(n).padStart(12, "0")}`;
}
