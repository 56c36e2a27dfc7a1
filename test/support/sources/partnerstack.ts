import { makeProgram, truthOf, type Program } from "./program.ts";
import {
  pageAfter,
  sizeIn,
  startStandIn,
  without,
  type Lists,
  type Row,
  type StandInOptions,
} from "./stand-in.ts";

const [PUBLIC_KEY, SECRET_KEY] = ["pk_public1", "sk_secret1"];

/** A stand-in of PartnerStack, which shows neither parents nor codes nor clicks. */
export function startPartnerStack(options: StandInOptions = {}) {
  const program = makeProgram(options);
  const basic = Buffer.from(`${PUBLIC_KEY}:${SECRET_KEY}`).toString("base64");
  return startStandIn(
    {
      key: `${PUBLIC_KEY}\n${SECRET_KEY}`,
      lists: listsOf(program),
      truth: truthOf(withBuyers(program), { idOf: (n) => name("part", n), counts: false }),
      isAllowed: ({ authorization }) => authorization === `Basic ${basic}`,
      unauthorized: { message: "Unauthorized", status: 401 },
      busy: { headers: {}, body: { message: "Too many requests", status: 429 } },
      notFound: { message: "Not found", status: 404 },
      answer,
    },
    options,
  );
}

/** Whether someone is a customer shows in the transactions alone. */
function withBuyers(program: Program): Program {
  const buyers = new Set(program.sales.map(({ customer }) => customer));
  const customers = program.customers.map((customer) => ({
    ...customer,
    state: buyers.has(customer.n) ? ("active" as const) : ("signup" as const),
  }));
  return { ...program, customers };
}

function answer(path: string, query: URLSearchParams, lists: Lists): unknown {
  const partner = /^\/links\/partnership\/(.+)$/.exec(path);
  if (partner) {
    const email = decodeURIComponent(partner[1]!);
    const own = lists["links"]!.filter((link) => link["email"] === email);
    const items = own.map((link) => without(link, ["email"]));
    if (items.length === 0)
      return { refused: { status: 400, body: { message: "Unknown partnership", status: 400 } } };
    return { data: { items, has_more: false }, message: "OK", status: 200 };
  }
  const rows = lists[path.slice(1)];
  if (rows === undefined || path === "/links") return undefined;
  const status = query.get("status");
  const found = rows.filter((row) => {
    if (path === "/rewards" && status === null) return row["reward_status"] !== "scheduled";
    if (path === "/partnerships" && row["archived"] === true) return query.get("include_archived") === "true";
    return status === null || row["reward_status"] === status;
  });
  const size = sizeIn(query, "limit", { usual: 10, most: 250 });
  const page = pageAfter(found.toReversed(), { after: query.get("starting_after"), size, name: "key" });
  if (page === null) return { refused: { status: 400, body: { message: "Unknown cursor", status: 400 } } };
  return { data: { items: page.rows, has_more: page.hasMore }, message: "OK", status: 200 };
}

function listsOf(program: Program): Lists {
  return {
    groups: program.campaigns.map(({ n, name: title }) => ({
      key: name("grup", n),
      name: title,
      slug: title.toLowerCase(),
      default: n === 1,
      archived: false,
    })),
    partnerships: program.promoters.map((promoter) => partnership(program, promoter)),
    links: program.promoters.flatMap(links),
    customers: [...program.customers.map((customer) => customerRow(program, customer)), ...testCustomers()],
    transactions: program.sales.map((sale) => transaction(program, sale)),
    rewards: program.commissions.map((commission) => reward(program, commission)),
  };
}

function partnership({ campaigns }: Program, promoter: Program["promoters"][number]): Row {
  const { n } = promoter;
  const states: Record<string, string> = { pending: "pending", rejected: "declined" };
  return {
    key: name("part", n),
    partner_key: `pkey${n}`,
    email: promoter.email,
    first_name: promoter.first_name,
    last_name: promoter.last_name,
    group: n === 9 ? null : { slug: campaigns[promoter.campaign - 1]!.name.toLowerCase() },
    address: { country: n === 2 ? "Germany" : "US" },
    stats: n % 2 === 0 ? {} : { CUSTOMER_COUNT: 3 },
    tags: [],
    ...(states[promoter.state] !== undefined && { approved_status: states[promoter.state] }),
    archived: promoter.isArchived || promoter.state === "blocked" || promoter.state === "inactive",
    joined_at: n === 3 ? null : epoch(promoter.at),
    created_at: epoch(promoter.at),
    updated_at: epoch(promoter.at),
  };
}

/** The eleventh partner has no link. */
function links({ n, email, links }: Program["promoters"][number]): Row[] {
  if (n === 11) return [];
  return links.map(({ token }, place) => ({
    key: name("link", n * 10 + place),
    url: `https://shop.partnerlinks.io/${token}`,
    dest: "https://shop.example/pricing",
    email,
  }));
}

function customerRow(program: Program, customer: Program["customers"][number]): Row {
  const { n } = customer;
  return {
    key: name("cust", n),
    customer_key: n === 2 ? "user-2" : customer.email,
    email: customer.email,
    name: customer.name,
    provider_key: customer.billingId,
    partnership_key: name("part", customer.promoter),
    partner_key: `pkey${customer.promoter}`,
    test: false,
    meta: n === 4 ? { plan: "pro" } : {},
    created_at: epoch(customer.at),
    updated_at: epoch(customer.at),
  };
}

/** More than a page of them. */
function testCustomers(): Row[] {
  return Array.from({ length: 260 }, (_, place) => ({
    key: name("test", place),
    email: `test-${place}@example.org`,
    partnership_key: name("part", 1),
    test: true,
    created_at: epoch("2026-01-01T00:00:00.000Z"),
  }));
}

function transaction(program: Program, sale: Program["sales"][number]): Row {
  const customer = program.customers[sale.customer - 1]!;
  return {
    key: name("tran", sale.n),
    amount: sale.amount,
    amount_usd: sale.amount,
    currency: sale.currency,
    // Some name the customer by its key, some by the merchant's id.
    ...(sale.n % 2 === 0 || customer.email === null
      ? { customer: { key: name("cust", customer.n) } }
      : { customer_key: customer.n === 2 ? "user-2" : customer.email }),
    product_key: "pro",
    approved: true,
    archived: false,
    test: false,
    created_at: epoch(sale.at),
  };
}

function reward(program: Program, commission: Program["commissions"][number]): Row {
  const { n, status, isPaid, promoter } = commission;
  const waiting = ["hold", "pending", "scheduled"][n % 3]!;
  return {
    key: name("rwrd", n),
    amount: commission.amount,
    currency: commission.currency,
    reward_status: { pending: waiting, approved: isPaid ? "paid" : "approved", denied: "declined" }[status],
    description: commission.sale === null ? "Manual reward" : null,
    partnership: { email: program.promoters[promoter - 1]!.email.toUpperCase() },
    customer: null,
    transaction:
      commission.sale === null ? null : { key: name("tran", commission.sale), amount: 1, currency: "USD" },
    invoice: isPaid ? { key: `inv_${1 + (n % 2)}` } : null,
    created_at: epoch(commission.at),
    updated_at: epoch(commission.at),
  };
}

function epoch(at: string): number {
  return Date.parse(at);
}

function name(prefix: string, n: number): string {
  return `${prefix}_${String(n).padStart(8, "0")}`;
}
