/**
 * A made-up affiliate program, of which each stand-in shows what its source can hold. Everything depends on the seed. Numbers
 * are turned into ids by each stand-in. The first records are the odd ones.
 */
export interface Program {
  campaigns: Campaign[];
  promoters: Promoter[];
  customers: Customer[];
  sales: Sale[];
  commissions: Commission[];
  payouts: Payout[];
}

export interface Campaign {
  n: number;
  name: string;
  percent: number;
}

export interface Promoter {
  n: number;
  email: string;
  first_name: string;
  last_name: string;
  campaign: number;
  state: "accepted" | "pending" | "rejected" | "blocked" | "inactive";
  isArchived: boolean;
  links: { token: string; clicks: number }[];
  code: string | null;
  paypal: string | null;
  /** Another promoter, who is accepted. */
  parent: number | null;
  at: string;
}

export interface Customer {
  n: number;
  email: string | null;
  billingId: string | null;
  name: string | null;
  promoter: number;
  state: "signup" | "active" | "cancelled";
  byCode: boolean;
  at: string;
  since: string | null;
}

export interface Sale {
  n: number;
  customer: number;
  promoter: number;
  amount: number;
  currency: string;
  /** Part of the amount, or all of it. */
  refunded: number;
  at: string;
}

export interface Commission {
  n: number;
  /** null: given by hand, or taken back. */
  sale: number | null;
  customer: number | null;
  promoter: number;
  amount: number;
  currency: string;
  status: "pending" | "approved" | "denied";
  isPaid: boolean;
  payout: number | null;
  at: string;
}

export interface Payout {
  n: number;
  promoter: number;
  amount: number;
  currency: string;
  status: "pending" | "processing" | "completed" | "failed";
  at: string;
  paid_at: string | null;
}

/** What a promoter has after the import, in the source's ids. */
export interface Truth {
  id: string;
  email: string;
  /** null: the source does not count clicks. */
  clicks: number | null;
  /** All people who were referred, customers included. */
  leads: number;
  /** Those who have bought. */
  customers: number;
  /** Sums of commissions by currency. `owed` is approved and not paid. Sums of nothing are absent. */
  pending: Sums;
  approved: Sums;
  paid: Sums;
  owed: Sums;
}

export type Sums = Record<string, number>;

const START = Date.UTC(2025, 0, 1);
const HOUR_MS = 3_600_000;
const CURRENCIES = ["USD", "EUR", "JPY"];

interface Wish {
  seed?: number;
  /** About the number of customers, sales and commissions together. */
  size?: number;
  /** The number of promoters, if it is not to follow from the size. */
  people?: number | undefined;
  /** Whether the source has commissions without a sale. */
  hasManual?: boolean;
}

export function makeProgram({ seed = 1, size = 300, people, hasManual = true }: Wish): Program {
  const dice = newDice(seed);
  const campaigns = [
    { n: 1, name: "Standard", percent: 20 },
    { n: 2, name: "Agencies", percent: 12.5 },
    { n: 3, name: "Friends", percent: 30 },
  ];
  const promoters = count(people ?? Math.max(14, Math.round(size / 150))).map((n) => makePromoter(n, dice));
  const customers = count(Math.max(20, Math.round(size * 0.24))).map((n) =>
    makeCustomer(n, promoters[dice(promoters.length)]!, dice),
  );
  const buyers = customers.filter(({ state }) => state !== "signup");
  const sales = count(Math.round(size * 0.36)).map((n) => makeSale(n, buyers[n % buyers.length]!, dice));
  const program = { campaigns, promoters, customers, sales, commissions: [] as Commission[], payouts: [] };
  for (const sale of sales) addCommissions(program, sale, dice);
  if (hasManual) addByHand(program);
  return { ...program, payouts: makePayouts(program) };
}

/** What each promoter of the program has. */
export function truthOf(
  program: Program,
  { idOf, counts }: { idOf: (n: number) => string; counts: boolean },
) {
  const found = new Map<number, Truth>();
  for (const { n, email, links } of program.promoters) {
    const clicks = counts ? links.reduce((sum, link) => sum + link.clicks, 0) : null;
    const none = { pending: {}, approved: {}, paid: {}, owed: {} };
    found.set(n, { id: idOf(n), email, clicks, leads: 0, customers: 0, ...none });
  }
  for (const { promoter, state } of program.customers) {
    const truth = found.get(promoter)!;
    truth.leads += 1;
    if (state !== "signup") truth.customers += 1;
  }
  for (const { promoter, status, isPaid, amount, currency } of program.commissions) {
    const truth = found.get(promoter)!;
    if (status === "denied") continue;
    add(truth[status], currency, amount);
    if (status === "approved") add(isPaid ? truth.paid : truth.owed, currency, amount);
  }
  return [...found.values()];
}

function add(sums: Sums, currency: string, amount: number): void {
  sums[currency] = (sums[currency] ?? 0) + amount;
}

const STATES = ["accepted", "pending", "rejected", "blocked", "inactive"] as const;

function makePromoter(n: number, dice: Dice): Promoter {
  // The first five have all states, and so have the others at times.
  const state = n <= 5 ? STATES[n - 1]! : n % 17 === 0 ? STATES[n % 5]! : "accepted";
  const links = count(n % 3 === 0 ? 3 : 1).map((place) => ({
    token: place === 1 ? `token-${n}` : `token-${n}-${place}`,
    clicks: dice(500),
  }));
  return {
    n,
    email: `promoter-${n}@example.com`,
    first_name: `Pia${n}`,
    last_name: n === 6 ? "Unknown" : `Muster${n}`,
    campaign: 1 + (n % 3),
    state,
    isArchived: n === 7,
    links,
    // The code of the first promoter is the token of the eighth one's link.
    code: n === 1 ? "token-8" : n % 4 === 0 ? `CODE${n}` : null,
    paypal: n % 2 === 0 ? `pay-${n}@example.com` : null,
    parent: n > 8 && n % 5 === 0 ? 1 : null,
    at: time(n),
  };
}

function makeCustomer(n: number, promoter: Promoter, dice: Dice): Customer {
  const state = n % 4 === 0 ? "signup" : n % 9 === 0 ? "cancelled" : "active";
  return {
    n,
    email: n === 1 ? null : `customer-${n}@example.org`,
    billingId: n === 2 || state === "signup" ? null : `cus_${String(n).padStart(8, "0")}`,
    name: n === 3 ? "cus_00000003" : n % 2 === 0 ? `Kim ${n}` : null,
    promoter: promoter.n,
    state,
    byCode: promoter.code !== null && dice(3) === 0,
    at: time(100 + n),
    since: state === "signup" ? null : time(101 + n),
  };
}

function makeSale(n: number, customer: Customer, dice: Dice): Sale {
  const amount = 1_000 + dice(20_000);
  return {
    n,
    customer: customer.n,
    promoter: customer.promoter,
    amount,
    currency: CURRENCIES[n % 3]!,
    refunded: n === 3 ? amount : n % 11 === 2 ? Math.floor(amount / 3) : 0,
    at: time(200 + n),
  };
}

/** The first sale has two equal commissions. A sale that was refunded as a whole has a denied one. */
function addCommissions({ commissions }: Program, sale: Sale, dice: Dice): void {
  const kept = sale.refunded === sale.amount ? sale.amount : sale.amount - sale.refunded;
  const amount = Math.round(kept / 5);
  const kind =
    sale.refunded === sale.amount ? "denied" : (["pending", "approved", "paid"] as const)[dice(3)]!;
  for (const _ of count(sale.n === 1 ? 2 : 1)) {
    commissions.push({
      n: commissions.length + 1,
      sale: sale.n,
      customer: sale.customer,
      promoter: sale.promoter,
      amount,
      currency: sale.currency,
      status: kind === "paid" ? "approved" : kind,
      isPaid: kind === "paid",
      payout: null,
      at: time(201 + sale.n),
    });
  }
}

/** A bonus that was given by hand, and a commission that was taken back after it had been paid. */
function addByHand({ commissions }: Program): void {
  const common = { sale: null, customer: null, promoter: 1, currency: "USD", payout: null, at: time(190) };
  commissions.push(
    { ...common, n: commissions.length + 1, amount: 2_500, status: "approved", isPaid: false },
    { ...common, n: commissions.length + 2, amount: -700, status: "approved", isPaid: false },
  );
}

/** One for the paid commissions of each promoter and currency, and one that is pending for the others. */
function makePayouts({ commissions }: Program): Payout[] {
  const payouts = new Map<string, Payout>();
  for (const commission of commissions) {
    if (commission.status !== "approved" || (!commission.isPaid && commission.promoter % 2 === 0)) continue;
    const { promoter, currency, isPaid, amount } = commission;
    const name = `${promoter} ${currency} ${isPaid}`;
    const n = payouts.size + 1;
    const payout = payouts.get(name) ?? {
      n,
      promoter,
      amount: 0,
      currency,
      status: isPaid ? "completed" : n % 3 === 0 ? "processing" : "pending",
      at: time(5_000 + n),
      paid_at: isPaid ? time(5_001 + n) : null,
    };
    payout.amount += amount;
    commission.payout = payout.n;
    payouts.set(name, payout);
  }
  return [...payouts.values()];
}

function time(hours: number): string {
  return new Date(START + hours * HOUR_MS).toISOString();
}

function count(most: number): number[] {
  return Array.from({ length: most }, (_, place) => place + 1);
}

/** A whole number below a limit. */
export type Dice = (below: number) => number;

export function newDice(seed: number): Dice {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
