import { makeProgram, truthOf, type Program, type Truth } from "./program.ts";
import { numberedPage, sizeIn, startStandIn, type Lists, type Row, type StandInOptions } from "./stand-in.ts";

const [API_KEY, ACCOUNT_ID] = ["fp-secret-1", "acc-77"];

/** A stand-in of FirstPromoter, whose amounts are all in the program's currency. */
export function startFirstPromoter(options: StandInOptions = {}) {
  const program = makeProgram(options);
  return startStandIn(
    {
      key: `${API_KEY}\n${ACCOUNT_ID}`,
      lists: listsOf(program),
      truth: truthOf(program, { idOf: String, counts: true }).map(inOneCurrency),
      isAllowed: ({ authorization, ...headers }) =>
        authorization === `Bearer ${API_KEY}` && headers["account-id"] === ACCOUNT_ID,
      unauthorized: undefined,
      busy: { headers: {}, body: { message: "Too many requests", code: "rate_limited" } },
      notFound: { message: "Not found", code: "not_found" },
      answer,
    },
    options,
  );
}

function inOneCurrency(truth: Truth): Truth {
  const names = ["pending", "approved", "paid", "owed"] as const;
  const sums = names.map((name) => {
    const amounts = Object.values(truth[name]);
    return [
      name,
      amounts.length === 0 ? {} : { "the program's": amounts.reduce((sum, each) => sum + each, 0) },
    ];
  });
  return { ...truth, ...(Object.fromEntries(sums) as Pick<Truth, (typeof names)[number]>) };
}

function answer(path: string, query: URLSearchParams, lists: Lists): unknown {
  const single = /^\/promoters\/(\d+)$/.exec(path);
  if (single) {
    const row = lists["promoters"]!.find(({ id }) => id === Number(single[1]));
    const withParent = query.get("include_parent_promoter") === "true";
    return row && shown(row, withParent ? ["parent_promoter"] : []);
  }
  const found = rowsFor(path, query, lists);
  if (found === undefined) return undefined;
  const size = sizeIn(query, "per_page", { usual: 20, most: 100 });
  const isOldestFirst = [...query.keys()].some((name) => name.startsWith("sorting["));
  const sorted = isOldestFirst ? found : found.toReversed();
  const rows = numberedPage(sorted, { page: Number(query.get("page") ?? 1), size }).map((row) =>
    shown(row, []),
  );
  return path === "/promoters" ? { data: rows, meta: { pending_count: 0 } } : rows;
}

function rowsFor(path: string, query: URLSearchParams, lists: Lists): Row[] | undefined {
  const links = /^\/promoter_campaigns\/(\d+)\/referral_links$/.exec(path);
  if (links) return lists["referral_links"]!.filter(({ place }) => place === Number(links[1]));
  const rows = lists[path.slice(1)];
  if (path === "/promo_codes")
    return rows!.filter(({ place }) => String(place) === query.get("promoter_campaign_id"));
  const payout = query.get("filters[payout_id]");
  if (path === "/rewards") return rows!.filter(({ scope }) => scope === query.get("scope"));
  if (path === "/promoters") {
    const isArchived = query.get("filters[archived]") === "true";
    return rows!.filter(({ archived_at: at }) => (at !== null) === isArchived);
  }
  if (path === "/payout_methods")
    return rows!.filter(({ promoter_id: id }) => String(id) === query.get("filters[promoter_id]"));
  if (path === "/commissions" && payout !== null)
    return rows!.filter(({ payout_id: id }) => String(id) === payout);
  return rows;
}

/** What an answer holds only if it is asked for, or never. */
function shown(row: Row, asked: string[]): Row {
  const hidden = new Set(
    ["parent_promoter", "scope", "payout_id", "promoter_id", "place"].filter((name) => !asked.includes(name)),
  );
  return Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.has(name)));
}

function listsOf(program: Program): Lists {
  return {
    campaigns: program.campaigns.map(campaign),
    rewards: rewards(),
    promoters: program.promoters.map(promoterRow),
    promoter_campaigns: program.promoters.map(promoterCampaign),
    promo_codes: [],
    referral_links: program.promoters.flatMap(referralLinks),
    payout_methods: program.promoters.flatMap(payoutMethod),
    referrals: [...program.customers.map(referral), ...oddReferrals()],
    commissions: program.commissions.flatMap((each) => commissionRows(program, each)),
    payouts: program.payouts.map(payoutRow),
  };
}

function campaign({ n, name }: Program["campaigns"][number]): Row {
  return {
    id: n,
    name,
    landing_url: "https://shop.example/",
    visitor_cookie_life: 60,
    ref_token_param: "fpr",
    is_private: n === 3,
    is_default: n === 1,
    links: [],
    rewards_for_promoters: [
      { apply_on: "all", product_ids: [], reward_id: n },
      ...(n === 1 ? [{ apply_on: "all", product_ids: [], reward_id: 10 }] : []),
      ...(n === 2 ? [{ apply_on: "all", product_ids: [], reward_id: 11 }] : []),
    ],
    rewards_for_referrals: n === 1 ? [{ apply_on: "all", product_ids: [], reward_id: 20 }] : [],
  };
}

function rewards(): Row[] {
  const percent = (amount: unknown) => [{ unit: "cash", amount, flat_amount: false, rules: [] }];
  const common = {
    is_promoter_reward: true,
    promoter_reward_type: "sale",
    scope: "promoters",
    tier_level: null,
  };
  const parents = { ...common, promoter_reward_type: "tier", tier_level: 2, duration: null };
  return [
    {
      ...common,
      id: 1,
      name: "A fifth",
      duration: "repeating",
      duration_in_months: 12,
      schemas: percent(20),
    },
    { ...common, id: 2, name: "An eighth", duration: "forever", schemas: percent("12.5") },
    {
      ...common,
      id: 3,
      name: "Points",
      duration: "once",
      schemas: [{ unit: "points", amount: 30, flat_amount: true, rules: [] }],
    },
    { ...parents, id: 10, name: "Parents", tier_reward_mode: "tier_override_mode", schemas: percent(2) },
    {
      ...parents,
      id: 11,
      name: "Parents' share",
      tier_reward_mode: "tier_commission_mode",
      schemas: percent(10),
    },
    { id: 20, name: "Welcome", is_promoter_reward: false, scope: "referrals", duration: "once", schemas: [] },
  ];
}

function promoterRow(promoter: Program["promoters"][number]): Row {
  const { n, at, links, parent } = promoter;
  return {
    id: n,
    email: promoter.email,
    name: `${promoter.first_name} ${promoter.last_name}`,
    cust_id: n === 3 ? "own-3" : null,
    note: n === 2 ? "Likes tea" : null,
    stats: { clicks_count: links.reduce((sum, { clicks }) => sum + clicks, 0) },
    profile: {
      first_name: promoter.first_name,
      last_name: promoter.last_name,
      country: n === 2 ? "Germany" : "US",
    },
    joined_at: at,
    archived_at: promoter.isArchived ? at : null,
    custom_fields: n === 4 ? { audience: "cooks" } : {},
    promoter_campaigns: [
      {
        id: 1_000 + n,
        campaign_id: promoter.campaign,
        state: promoter.state,
        coupon: n === 12 ? "LONE12" : null,
        ref_token: links[0]!.token,
        ref_link: `https://shop.example/?fpr=${links[0]!.token}`,
      },
    ],
    parent_promoter: parent === null ? null : { id: parent, email: `promoter-${parent}@example.com` },
  };
}

function promoterCampaign({ n, links, code, at }: Program["promoters"][number]): Row {
  return {
    id: 1_000 + n,
    stats: { clicks_count: links[0]!.clicks },
    display_coupon: null,
    direct_url: null,
    promo_codes:
      code === null ? [] : [{ id: 3_000 + n, code, ext_id: `promo_${n}`, archived_at: n === 4 ? at : null }],
  };
}

/** The usual link is in the list too. A promoter's second link has a sub id, and the third one a page of its own. */
function referralLinks({ n, links }: Program["promoters"][number]): Row[] {
  return links.map(({ token }, at) => ({
    id: 5_000 + n * 10 + at,
    place: 1_000 + n,
    name: at === 0 ? "Default" : `Link ${at}`,
    url: `https://shop.example/${at === 2 ? "spring" : ""}?fpr=${token}${at === 1 ? "&sid=mail" : ""}`,
    is_default: at === 0,
    source: null,
    sub_id: at === 1 ? "mail" : null,
  }));
}

function payoutMethod({ n, paypal }: Program["promoters"][number]): Row[] {
  if (paypal === null) return [];
  const common = { promoter_id: n, is_disabled: false };
  return [
    { ...common, id: n, method: "paypal", is_selected: true, details: { wallet_email: paypal, extra: null } },
    { ...common, id: 100_000 + n, method: "bank", is_selected: false, details: { iban: "DE00" } },
  ];
}

const REFERRAL_STATES = { signup: "signup", active: "active", cancelled: "cancelled" };

function referral(customer: Program["customers"][number]): Row {
  const { n, at, since, state } = customer;
  return {
    id: n,
    email: customer.email,
    uid: customer.billingId,
    state: n === 8 ? "subscribed" : REFERRAL_STATES[state],
    entry_source: customer.byCode ? "coupon" : "cookie",
    created_at: at,
    customer_since: since,
    cancelled_at: state === "cancelled" ? "2026-01-01T00:00:00.000Z" : null,
    promoter_campaign: { promoter: { id: customer.promoter }, campaign: { id: 1 + (customer.promoter % 3) } },
    username: customer.name,
    metadata: null,
    split_details: [],
    is_expired: false,
  };
}

/** Someone who was moved to another promoter, and someone without any. */
function oddReferrals(): Row[] {
  const common = { entry_source: "cookie", created_at: "2025-02-01T00:00:00.000Z", customer_since: null };
  const promoterCampaign = { promoter: { id: 1 }, campaign: { id: 2 } };
  return [
    {
      ...common,
      id: 900_001,
      email: "customer-5@example.org (moved)",
      state: "moved",
      promoter_campaign: promoterCampaign,
    },
    { ...common, id: 900_002, email: "nobodys@example.org", state: "signup", promoter_campaign: null },
  ];
}

/** A partial refund has a row of its own, and leaves the first one as it was. */
function commissionRows(program: Program, commission: Program["commissions"][number]): Row[] {
  const { n, promoter } = commission;
  const sale = commission.sale === null ? null : program.sales[commission.sale - 1]!;
  const isPartial = sale !== null && sale.refunded > 0 && sale.refunded < sale.amount;
  const whole = isPartial ? Math.round(sale.amount / 5) : commission.amount;
  const back = { id: 500_000 + n, amount: commission.amount - whole, sale_amount: -(sale?.refunded ?? 0) };
  const rows: Row[] = [
    {
      id: n,
      status: commission.status,
      commission_type: sale === null ? "custom" : "sale",
      sale_amount: sale === null ? null : sale.amount,
      original_sale_amount: sale?.currency === "JPY" ? sale.amount * 150 : null,
      original_sale_currency: sale?.currency === "JPY" ? "jpy" : null,
      event_id: sale === null ? null : `evt_${sale.n}`,
      plan_id: sale === null ? null : "pro",
      tier: 1,
      unit: "cash",
      amount: whole,
      is_paid: commission.isPaid,
      is_split: false,
      created_at: commission.at,
      promoter_campaign: { promoter: { id: promoter }, campaign: { id: 1 + (promoter % 3) } },
      referral: sale === null ? null : { id: sale.customer },
      payout_id: commission.payout,
    },
  ];
  const original = { original_sale_amount: null, original_sale_currency: null };
  return isPartial ? [...rows, { ...rows[0], ...original, ...back }] : rows;
}

/** Amounts of payouts are dollars here, and cents in other accounts. */
function payoutRow({ n, promoter, amount, status, at, paid_at }: Program["payouts"][number]): Row {
  return {
    id: n,
    status,
    amount: amount / 100,
    tax_rate: 0,
    total_incl_tax: amount / 100,
    unit: "cash",
    period_start: at.slice(0, 10),
    period_end: at.slice(0, 10),
    paid_at,
    error: null,
    payout_method: { method: "paypal" },
    promoter: { id: promoter },
    campaign: { id: 1 + (promoter % 3) },
  };
}
