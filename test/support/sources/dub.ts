import { makeProgram, truthOf, type Program } from "./program.ts";
import {
  numberedPage,
  pageAfter,
  sizeIn,
  startStandIn,
  without,
  type Lists,
  type Row,
  type StandInOptions,
} from "./stand-in.ts";

const KEY = "dub_secret_1";

/** A stand-in of Dub. */
export function startDub(options: StandInOptions = {}) {
  const program = makeProgram(options);
  return startStandIn(
    {
      key: KEY,
      lists: listsOf(program),
      truth: truthOf(program, { idOf: (n) => name("pn", n), counts: true }),
      isAllowed: ({ authorization }) => authorization === `Bearer ${KEY}`,
      unauthorized: refusal("unauthorized", "Unauthorized: Invalid API key."),
      busy: {
        headers: { "retry-after": "3", "x-ratelimit-remaining": "0" },
        body: refusal("rate_limit_exceeded", "Too many requests."),
      },
      notFound: refusal("not_found", "Not found."),
      answer,
    },
    options,
  );
}

function refusal(code: string, message: string) {
  return { error: { code, message, doc_url: "https://dub.co/docs" } };
}

/** Lists leave these out if nothing is asked for. */
const HIDDEN = new Set(["duplicate", "fraud", "canceled"]);

function answer(path: string, query: URLSearchParams, lists: Lists): unknown {
  const rows = lists[path.slice(1)];
  if (rows === undefined) return undefined;
  const size = sizeIn(query, "pageSize", { usual: 100, most: 100 });
  const found = path === "/commissions" ? commissionsFor(query, rows) : rows;
  const sorted = query.get("sortOrder") === "asc" ? found : found.toReversed();
  const after = query.get("startingAfter");
  if (after === null) {
    const page = numberedPage(sorted, { page: Number(query.get("page") ?? 1), size });
    return page.map(shown);
  }
  if (query.get("sortBy") !== "createdAt" || query.has("page"))
    return {
      refused: { status: 422, body: refusal("unprocessable_entity", "Cursors need sortBy=createdAt.") },
    };
  const page = pageAfter(sorted, { after, size, name: "id" });
  if (page === null)
    return { refused: { status: 422, body: refusal("unprocessable_entity", "The ID does not exist.") } };
  return page.rows.map(shown);
}

function commissionsFor(query: URLSearchParams, rows: Row[]): Row[] {
  const [type, payout] = [query.get("type"), query.get("payoutId")];
  return rows.filter(
    (row) =>
      row["earnings"] !== 0 &&
      (type === null ? !HIDDEN.has(String(row["status"])) : row["type"] === type) &&
      (payout === null || row["payoutId"] === payout),
  );
}

/** The payout of a commission is only a filter. */
function shown(row: Row): Row {
  return without(row, ["payoutId"]);
}

function listsOf(program: Program): Lists {
  return {
    partners: program.promoters.map(partner),
    "discount-codes": program.promoters.flatMap(discountCode),
    customers: [...program.customers.map((customer) => customerRow(program, customer)), stranger()],
    commissions: [...program.commissions.map((each) => commissionRow(program, each)), zero()],
    payouts: program.payouts.map(payoutRow),
  };
}

const PARTNER_STATES = {
  accepted: "approved",
  pending: "pending",
  rejected: "rejected",
  blocked: "banned",
  inactive: "deactivated",
};

function partner(promoter: Program["promoters"][number]): Row {
  const { n, links } = promoter;
  return {
    id: name("pn", n),
    name: `${promoter.first_name} ${promoter.last_name}`,
    email: promoter.email,
    country: n % 2 === 0 ? "DE" : null,
    companyName: n === 2 ? "Acme" : null,
    status: PARTNER_STATES[promoter.state],
    tenantId: n === 3 ? "tenant-3" : null,
    groupId: n === 2 ? null : `grp_${promoter.campaign}`,
    links: links.map(({ token, clicks }, place) => ({
      id: name("link", n * 10 + place),
      domain: "go.shop.example",
      key: token,
      shortLink: `https://go.shop.example/${token}`,
      url: "https://shop.example/",
      clicks,
      leads: 0,
      conversions: 0,
      sales: 0,
      saleAmount: 0,
    })),
    defaultPayoutMethod: promoter.paypal === null ? "connect" : "paypal",
    paypalEmail: promoter.paypal,
    createdAt: promoter.at,
  };
}

function discountCode({ n, code, at }: Program["promoters"][number]): Row[] {
  if (code === null) return [];
  const disabledAt = n === 4 ? at : null;
  return [
    { id: name("dcode", n), code, discountId: "disc_1", partnerId: name("pn", n), linkId: null, disabledAt },
  ];
}

function customerRow(program: Program, customer: Program["customers"][number]): Row {
  const { n, at, since } = customer;
  return {
    id: name("cus", n),
    externalId: `user-${n}`,
    email: customer.email,
    name: customer.name,
    stripeCustomerId: customer.billingId,
    sales: since === null ? 0 : 1,
    createdAt: at,
    firstSaleAt: since,
    subscriptionCanceledAt: customer.state === "cancelled" ? "2026-01-01T00:00:00.000Z" : null,
    partner: { id: name("pn", customer.promoter), email: program.promoters[customer.promoter - 1]!.email },
  };
}

/** A customer whom no partner has referred. */
function stranger(): Row {
  return { id: name("cus", 900_000), externalId: "x", createdAt: "2026-01-01T00:00:00.000Z", partner: null };
}

function commissionRow(program: Program, commission: Program["commissions"][number]): Row {
  const { n, isPaid, at } = commission;
  const sale = commission.sale === null ? null : program.sales[commission.sale - 1]!;
  return {
    id: name("cm", n),
    type: sale === null ? "custom" : "sale",
    amount: sale === null ? 0 : sale.amount,
    earnings: commission.amount,
    currency: commission.currency.toLowerCase(),
    quantity: 1,
    status: isPaid ? "paid" : statusOf(commission),
    invoiceId: sale === null ? null : `in_${sale.n}`,
    description: sale === null ? "By hand" : null,
    partner: { id: name("pn", commission.promoter) },
    customer: sale === null ? null : { id: name("cus", sale.customer) },
    createdAt: at,
    updatedAt: at,
    paidAt: isPaid ? at : null,
    payoutId: commission.payout === null ? null : name("po", commission.payout),
  };
}

function statusOf({ n, status }: Program["commissions"][number]): string {
  if (status === "denied") return ["refunded", "fraud", "duplicate", "canceled"][n % 4]!;
  if (status === "approved") return "processed";
  return n % 7 === 0 ? "hold" : "pending";
}

/** Dub never shows it. */
function zero(): Row {
  return { id: name("cm", 900_000), type: "click", amount: 0, earnings: 0, status: "pending" };
}

const PAYOUT_STATES = { pending: "pending", processing: "sent", completed: "completed", failed: "failed" };

function payoutRow({ n, promoter, amount, currency, status, paid_at }: Program["payouts"][number]): Row {
  return {
    id: name("po", n),
    amount,
    currency: currency.toLowerCase(),
    status: PAYOUT_STATES[status],
    method: status === "pending" ? null : "paypal",
    mode: "internal",
    periodStart: null,
    periodEnd: null,
    invoiceId: null,
    initiatedAt: paid_at,
    paidAt: paid_at,
    failureReason: null,
    partner: { id: name("pn", promoter) },
  };
}

function name(prefix: string, n: number): string {
  return `${prefix}_${String(n).padStart(8, "0")}`;
}
