import type { z } from "zod";
import { share } from "../../../domain/money.ts";
import { Failure } from "../../../failure.ts";
import { newDerivedPayouts, newRemarks, readRows, remarkClosed, type Remarks } from "../shapes.ts";
import type { ArchivedRows, Source, SourcePayoutMethod, SourceRecord } from "../model.ts";
import {
  askTolt,
  programShape,
  partnerShape,
  linkShape,
  codeShape,
  customerShape,
  transactionShape,
  commissionShape,
  type Program,
  type Partner,
  type Transaction,
  type Commission,
} from "./tolt-answers.ts";

/** Partners without a group. */
const NO_GROUP = "none";

/** The first generation of the API, which has everything that the second one has. @see https://docs.tolt.com */
export const tolt: Source = {
  name: "tolt",
  title: "Tolt",
  baseUrl: "https://api.tolt.com/v1",
  keyHint: "the API key of the account's settings",
  // 25 per second are allowed.
  limit: { requests: 20, withinMs: 1_000 },
  headers: (key) => {
    if (!/^\S+$/.test(key)) throw new Failure("invalid", "The key must be only the API key");
    return { authorization: `Bearer ${key}` };
  },
  linkParams: ["ref", "via"],
  fetch: askTolt,
  records: toltRecords,
};

/** What is read from one list and needed for others. */
interface Reading {
  archive: ArchivedRows;
  remarks: Remarks;
  programs: Program[];
  /** The program of each partner. */
  homes: Map<string, string>;
  /** The group of each partner. */
  groups: Map<string, string>;
  customers: Set<string>;
  sales: Set<string>;
  /** The transactions that Tolt itself has converted. */
  conversions: Map<string, Conversion>;
}

/** One payment in two currencies, by Tolt's own amounts. */
type Conversion = { amount: number; currency: string }[];

async function* toltRecords(archive: ArchivedRows): AsyncGenerator<SourceRecord> {
  const remarks = newRemarks();
  const reading: Reading = {
    archive,
    remarks,
    programs: [],
    homes: new Map(),
    groups: new Map(),
    customers: new Set(),
    sales: new Set(),
    conversions: new Map(),
  };
  const programs = { list: "programs", shape: programShape, noun: "Program" };
  for await (const program of readRows(reading, programs)) reading.programs.push(program);
  yield* campaigns(reading);
  yield* promoters(reading);
  yield* places(reading);
  yield* codes(reading);
  yield* customers(reading);
  yield* sales(reading);
  yield* commissions(reading);
  await remarkClosed(archive, remarks);
  yield* remarks.all();
}

/** The rows of a list of all programs, with their programs. */
async function* rowsOf<T>(reading: Reading, list: { list: string; shape: z.ZodType<T>; noun: string }) {
  const listOf = ({ id }: Program) => ({ list: `${list.list}-${id}`, value: id });
  for (const program of reading.programs) {
    const own = listOf(program);
    const others = reading.programs.filter((each) => each !== program).map(listOf);
    const asked = { value: own.value, named: (row: Row) => programsIn(reading, row), others };
    for await (const row of readRows(reading, { ...list, list: own.list, asked })) yield { row, program };
  }
}

type Row = Record<string, unknown>;

/** What a row says about its program. Its partner is in one of them. */
function programsIn({ homes }: Reading, row: Row): unknown[] {
  return [row["program_id"], row["program"], homes.get(String(row["partner_id"]))];
}

function partners(reading: Reading) {
  return rowsOf(reading, { list: "partners", shape: partnerShape, noun: "Partner" });
}

async function* campaigns(reading: Reading): AsyncGenerator<SourceRecord> {
  const found = new Map<string, string>();
  for await (const { row, program } of partners(reading)) {
    const { group_id, group } = row;
    const key = groupOf(row, program);
    const name = group_id === null ? `${program.name ?? "Tolt"}, without a group` : `Tolt group ${group_id}`;
    reading.groups.set(row.id, key);
    reading.homes.set(row.id, program.id);
    found.set(key, group?.name ?? found.get(key) ?? name);
  }
  for (const [id, name] of found) {
    reading.remarks.add(
      `group:${id}`,
      `Campaign "${name}": Tolt gives no rewards of a group. Enter them by hand.`,
    );
    yield {
      kind: "campaign",
      id,
      name,
      landing_url: null,
      is_default: false,
      is_private: false,
      cookieDays: null,
      holdDays: null,
      minPayment: null,
      rewards: [],
    };
  }
}

function groupOf({ group_id }: Partner, program: Program): string {
  return group_id ?? `${NO_GROUP}:${program.id}`;
}

async function* promoters(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const { row } of partners(reading)) {
    yield {
      kind: "promoter",
      id: row.id,
      email: row.email,
      first_name: row.first_name,
      last_name: row.last_name,
      company_name: row.company_name,
      country: row.country_code,
      cust_id: null,
      note: null,
      custom_fields: null,
      parentId: null,
      isArchived: false,
      payoutMethod: payoutMethodOf(row, reading.remarks),
      counts: { clicks: null, leads: null, customers: null },
      created_at: row.created_at,
    };
  }
}

/** The names of the details are undocumented, so only an e-mail address is recognised. */
function payoutMethodOf(row: Partner, remarks: Remarks): SourcePayoutMethod | null {
  const { payout_method: method, payout_details: details } = row;
  if (method === null || method === "none") return null;
  const found = Object.values(details ?? {}).find((value) => typeof value === "string" && /.@./.test(value));
  if (typeof found === "string" && method === "paypal") return { method, details: { wallet_email: found } };
  if (typeof found === "string" && method === "wise") return { method, details: { wise_email: found } };
  remarks.add(
    `partner:${row.id}:method`,
    `Partner ${row.email} is paid by ${method}. Ask them to enter its details in the portal.`,
  );
  return null;
}

async function* places(reading: Reading): AsyncGenerator<SourceRecord> {
  const links = new Map<string, { id: string; token: string; url: null; clicks: number }[]>();
  for await (const { row } of rowsOf(reading, { list: "links", shape: linkShape, noun: "Link" })) {
    const link = { id: row.id, token: row.value, url: null, clicks: 0 };
    links.set(row.partner_id, [...(links.get(row.partner_id) ?? []), link]);
  }
  for await (const { row, program } of partners(reading)) {
    yield {
      kind: "promoter_campaign",
      id: row.id,
      promoter_id: row.id,
      campaign_id: groupOf(row, program),
      state: row.status,
      // newest first
      links: (links.get(row.id) ?? []).toReversed(),
      created_at: row.created_at,
    };
  }
}

async function* codes(reading: Reading): AsyncGenerator<SourceRecord> {
  const list = { list: "promotion-codes", shape: codeShape, noun: "Promotion code" };
  for await (const { row } of rowsOf(reading, list)) {
    yield {
      kind: "code",
      id: row.id,
      code: row.code,
      promoter_id: row.partner_id,
      campaign_id: reading.groups.get(row.partner_id) ?? null,
      ext_id: null,
      archived_at: null,
    };
  }
}

async function* customers(reading: Reading): AsyncGenerator<SourceRecord> {
  const list = { list: "customers", shape: customerShape, noun: "Customer" };
  for await (const { row } of rowsOf(reading, list)) {
    const createdAt = row.lead_at ?? row.created_at ?? row.active_at;
    if (row.partner_id === null || createdAt === null) {
      const shown = row.email ?? row.customer_id ?? row.id;
      reading.remarks.add(`customer:${row.id}`, `Customer ${shown} has no partner or no date.`);
      continue;
    }
    const isStripe = row.customer_id?.startsWith("cus_") ?? false;
    reading.customers.add(row.id);
    yield {
      kind: "customer",
      id: row.id,
      email: row.email,
      uid: isStripe ? null : row.customer_id,
      billingId: isStripe ? row.customer_id : null,
      subscription_id: row.subscription_id,
      name: row.name,
      promoter_id: row.partner_id,
      campaign_id: reading.groups.get(row.partner_id) ?? null,
      state: row.status,
      entry_source: row.promotion_code_id === null ? "cookie" : "coupon",
      plan_id: row.plan,
      custom_fields: null,
      created_at: createdAt,
      customer_since: row.active_at,
      cancelled_at: null,
    };
  }
}

function transactions(reading: Reading) {
  return rowsOf(reading, { list: "transactions", shape: transactionShape, noun: "Transaction" });
}

function commissionRows(reading: Reading) {
  return rowsOf(reading, { list: "commissions", shape: commissionShape, noun: "Commission" });
}

async function* sales(reading: Reading): AsyncGenerator<SourceRecord> {
  const dates = new Map<string, string>();
  for await (const { row } of commissionRows(reading)) {
    if (row.transaction_id !== null) dates.set(row.transaction_id, row.created_at);
  }
  for await (const { row, program } of transactions(reading)) {
    const createdAt = row.created_at ?? dates.get(row.id) ?? null;
    const { customer_id, partner_id: promoterId } = row;
    const isKnown = customer_id !== null && reading.customers.has(customer_id);
    if (!isKnown || promoterId === null || createdAt === null) {
      reading.remarks.add(`transaction:${row.id}`, `Transaction ${row.id} has no customer, partner or date.`);
      continue;
    }
    const conversion = conversionOf(row, program);
    if (conversion !== null) reading.conversions.set(row.id, conversion);
    const { amount: sold, currency } = converted(
      { amount: soldBy(row), currency: row.currency ?? program.currency_code },
      { conversion, to: program.currency_code },
    );
    reading.sales.add(row.id);
    yield {
      kind: "sale",
      id: row.id,
      event_id: row.charge_id,
      customerId: customer_id,
      promoter_id: promoterId,
      campaign_id: reading.groups.get(promoterId) ?? null,
      amount: sold,
      currency,
      refunded: row.status === "refunded" ? sold : 0,
      plan_id: null,
      created_at: createdAt,
    };
  }
}

/** Null if Tolt has not converted it. */
function conversionOf(row: Transaction, { currency_code: own }: Program): Conversion | null {
  const { amount, payment_amount: paid, payment_currency: other } = row;
  const currency = row.currency ?? own;
  if (currency === null || other === null || other === currency || !paid || paid <= 0 || amount <= 0)
    return null;
  return [
    { amount, currency },
    { amount: paid, currency: other },
  ];
}

interface Money {
  amount: number;
  currency: string | null;
}

/** An amount in the program's currency by Tolt's own amounts, so that a refund takes back exactly what the sale gave. */
function converted(
  money: Money,
  { conversion, to }: { conversion: Conversion | null | undefined; to: string | null },
): Money {
  const from = conversion?.find(({ currency }) => currency === money.currency);
  const own = conversion?.find(({ currency }) => currency === to);
  if (from === undefined || own === undefined || from === own) return money;
  const size = share(Math.abs(money.amount), own.amount, from.amount);
  return { amount: money.amount < 0 ? -size : size, currency: own.currency };
}

function soldBy({ amount, amount_excluding_tax: net }: Transaction): number {
  return net ?? amount;
}

async function* commissions(reading: Reading): AsyncGenerator<SourceRecord> {
  const payouts = newDerivedPayouts();
  for await (const { row, program } of commissionRows(reading)) {
    const { partner_id: promoterId, transaction_id: sale, customer_id: customer } = row;
    if (promoterId === null) {
      reading.remarks.add(`commission:${row.id}`, `Commission ${row.id} of ${row.amount} has no partner.`);
      continue;
    }
    const money = converted(
      { amount: row.amount, currency: row.currency ?? program.currency_code },
      { conversion: reading.conversions.get(sale ?? ""), to: program.currency_code },
    );
    const commission = {
      id: row.id,
      sale_id: sale !== null && reading.sales.has(sale) ? sale : null,
      customerId: customer !== null && reading.customers.has(customer) ? customer : null,
      promoter_id: promoterId,
      campaign_id: reading.groups.get(promoterId) ?? null,
      unit: "cash" as const,
      ...money,
      ...row.status,
      payout_id: row.payout_id,
      tier_level: 1,
      note: noteOf(row),
      created_at: row.created_at,
      paid_at: null,
    };
    payouts.add(commission);
    yield { kind: "commission", ...commission };
  }
  yield* payouts.all();
}

function noteOf({ type }: Commission): string | null {
  return type === null || type === "sale" ? null : `Tolt: ${type}`;
}
