import { Failure } from "../../../failure.ts";
import { newDerivedPayouts, newRemarks, readRows, remarkClosed, type Remarks } from "../shapes.ts";
import type { ArchivedRows, Source, SourceLink, SourceRecord } from "../model.ts";
import {
  askPartnerStack,
  groupShape,
  partnershipShape,
  linkShape,
  customerShape,
  transactionShape,
  rewardShape,
  type Partnership,
  type Reward,
} from "./partnerstack-answers.ts";

/** Partnerships without a group. */
const NO_GROUP = "none";

/** The list of all rewards lacks scheduled ones. */
const REWARD_LISTS = ["rewards", "rewards-scheduled"];

/** The vendor's side of the second version. @see https://docs.partnerstack.com/docs/partnerstack-api */
export const partnerstack: Source = {
  name: "partnerstack",
  title: "PartnerStack",
  baseUrl: "https://api.partnerstack.com/api/v2",
  keyHint: "the public key and the secret key for production, each on its own line",
  // About 4,000 per minute are allowed.
  limit: { requests: 3_000, withinMs: 60_000 },
  headers: (key) => {
    const [publicKey, secretKey, ...further] = key.split(/[\s:]+/);
    if (!publicKey || !secretKey || further.length > 0)
      throw new Failure("invalid", "The key must be the public key and the secret key, each on its own line");
    return { authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString("base64")}` };
  },
  linkParams: ["ps_partner_key", "gspk"],
  fetch: askPartnerStack,
  records: partnerStackRecords,
};

/** What is read from one list and needed for others. */
interface Reading {
  archive: ArchivedRows;
  remarks: Remarks;
  /** The keys of groups by their slugs. */
  slugs: Map<string, string>;
  /** The campaign of each partnership. */
  groups: Map<string, string>;
  /** The partnerships by their e-mail addresses. */
  emails: Map<string, string>;
  /** The partnerships of the customers. */
  customers: Map<string, string>;
  /** The customers by the merchant's ids and by their e-mail addresses. */
  names: Map<string, string>;
  /** The customers who have bought. */
  buyers: Set<string>;
  /** The customers of the sales. */
  sales: Map<string, string>;
}

async function* partnerStackRecords(archive: ArchivedRows): AsyncGenerator<SourceRecord> {
  const remarks = newRemarks();
  const reading: Reading = {
    archive,
    remarks,
    slugs: new Map(),
    groups: new Map(),
    emails: new Map(),
    customers: new Map(),
    names: new Map(),
    buyers: new Set(),
    sales: new Map(),
  };
  yield* campaigns(reading);
  yield* promoters(reading);
  yield* places(reading);
  yield* customers(reading);
  yield* sales(reading);
  yield* commissions(reading);
  remarks.add(
    "codes",
    "PartnerStack gives neither coupon codes nor ways of payment nor clicks. Enter codes by hand.",
  );
  await remarkClosed(archive, remarks);
  yield* remarks.all();
}

async function* campaigns(reading: Reading): AsyncGenerator<SourceRecord> {
  const found = new Map<string, { name: string; is_default: boolean }>();
  for await (const row of readRows(reading, { list: "groups", shape: groupShape, noun: "Group" })) {
    found.set(row.key, { name: row.name ?? row.slug ?? row.key, is_default: row.default });
    if (row.slug !== null) reading.slugs.set(row.slug, row.key);
  }
  for await (const row of partnerships(reading)) {
    const group = reading.slugs.get(row.group?.slug ?? "") ?? row.group?.key ?? NO_GROUP;
    reading.groups.set(row.key, group);
    reading.emails.set(row.email.toLowerCase(), row.key);
    if (!found.has(group)) found.set(group, { name: "PartnerStack, without a group", is_default: false });
  }
  for (const [id, { name, is_default }] of found) {
    reading.remarks.add(
      `group:${id}`,
      `Campaign "${name}": PartnerStack gives no rewards of a group. Enter them by hand.`,
    );
    yield {
      kind: "campaign",
      id,
      name,
      landing_url: null,
      is_default,
      is_private: false,
      cookieDays: null,
      holdDays: null,
      minPayment: null,
      rewards: [],
    };
  }
}

async function* partnerships(reading: Reading): AsyncGenerator<Partnership & { at: string }> {
  const list = { list: "partnerships", shape: partnershipShape, noun: "Partnership" };
  for await (const row of readRows(reading, list)) {
    const at = row.joined_at ?? row.created_at;
    if (at !== null) yield { ...row, at };
    else reading.remarks.add(`partnership:${row.key}`, `Partner ${row.email} has no date of joining.`);
  }
}

async function* promoters(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of partnerships(reading)) {
    yield {
      kind: "promoter",
      id: row.key,
      email: row.email,
      first_name: row.first_name,
      last_name: row.last_name,
      company_name: null,
      country: row.address?.country ?? null,
      cust_id: null,
      note: null,
      custom_fields: null,
      parentId: null,
      isArchived: row.archived,
      payoutMethod: null,
      counts: { clicks: null, leads: null, customers: null },
      created_at: row.at,
    };
  }
}

async function* places(reading: Reading): AsyncGenerator<SourceRecord> {
  const links = new Map<string, SourceLink[]>();
  const asked = { named: (row: Record<string, unknown>) => [ownerIn(row)] };
  for await (const row of readRows(reading, { list: "links", shape: linkShape, noun: "Link", asked })) {
    const token = tokenIn(row.url);
    if (token === null) {
      reading.remarks.add(`link:${row.key}`, `Link ${row.url} of ${row.of} names no partner.`);
      continue;
    }
    const link = { id: row.key, token, url: row.url, target: row.dest, clicks: 0 };
    links.set(row.of, [...(links.get(row.of) ?? []), link]);
  }
  for await (const row of partnerships(reading)) {
    const own = links.get(row.email) ?? [];
    const { partner_key: key } = row;
    // PartnerStack's links have the partner's key in parameters and cookies.
    const further = key === null || own.some(({ token }) => token === key) ? [] : [key];
    yield {
      kind: "promoter_campaign",
      id: row.key,
      promoter_id: row.key,
      campaign_id: reading.groups.get(row.key) ?? NO_GROUP,
      state: row.archived && row.approved_status === "accepted" ? "inactive" : row.approved_status,
      links: [...own, ...further.map((token) => ({ id: `${row.key}:key`, token, url: null, clicks: 0 }))],
      created_at: row.at,
    };
  }
}

/** A link's partner by e-mail address, as it was asked for. It usually names none. */
function ownerIn(row: Record<string, unknown>): unknown {
  const partnership = row["partnership"];
  return typeof partnership === "object" && partnership !== null
    ? (partnership as { email?: unknown }).email
    : row["email"];
}

/** The last part of a link's path. */
function tokenIn(url: string): string | null {
  const path = url.replace(/[?#].*$/, "").replace(/^[a-z]+:\/\/[^/]+/i, "");
  const last = path.split("/").findLast((part) => part !== "");
  if (last === undefined) return null;
  try {
    return decodeURIComponent(last);
  } catch {
    return last; // An invalid escape is a part of the token.
  }
}

async function* customers(reading: Reading): AsyncGenerator<SourceRecord> {
  const list = { list: "customers", shape: customerShape, noun: "Customer" };
  let [tests, others] = [0, 0];
  for await (const row of readRows(reading, list)) {
    if (row.test || row.partnership_key === null) continue;
    reading.customers.set(row.key, row.partnership_key);
    if (row.email !== null) reading.names.set(row.email.toLowerCase(), row.key);
    if (row.customer_key !== null) reading.names.set(row.customer_key, row.key);
  }
  for await (const row of transactions(reading))
    if (row.customerId !== null) reading.buyers.add(row.customerId);
  for await (const row of readRows(reading, list)) {
    const { partnership_key: promoterId } = row;
    if (row.test) tests += 1;
    else if (promoterId === null) others += 1;
    if (row.test || promoterId === null) continue;
    const isBuyer = reading.buyers.has(row.key);
    yield {
      kind: "customer",
      id: row.key,
      email: row.email,
      uid: row.customer_key,
      billingId: row.provider_key,
      subscription_id: null,
      name: row.name,
      promoter_id: promoterId,
      campaign_id: reading.groups.get(promoterId) ?? null,
      state: isBuyer ? "active" : "signup",
      entry_source: "cookie",
      plan_id: null,
      custom_fields: row.meta,
      created_at: row.created_at,
      customer_since: null,
      cancelled_at: null,
    };
  }
  if (tests > 0) reading.remarks.add("customers:test", `Test customers that are left out: ${tests}.`);
  if (others > 0)
    reading.remarks.add(
      "customers:others",
      `Customers who are left out, because they have no partner: ${others}.`,
    );
}

/** The transactions without tests, with their customers. */
async function* transactions(reading: Reading) {
  const list = { list: "transactions", shape: transactionShape, noun: "Transaction" };
  for await (const row of readRows(reading, list)) {
    if (row.test) continue;
    const names = [row.customer, row.customer_key].filter((name) => name !== null);
    yield { ...row, customerId: customerNamed(reading, names) };
  }
}

/** Customers are identified by their key, the merchant's id or an e-mail address. Null if none is known. */
function customerNamed({ customers, names }: Reading, given: string[]): string | null {
  for (const name of given) {
    if (customers.has(name)) return name;
    const found = names.get(name) ?? names.get(name.toLowerCase());
    if (found !== undefined) return found;
  }
  return null;
}

async function* sales(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of transactions(reading)) {
    if (row.customerId === null) {
      reading.remarks.add(
        `transaction:${row.key}`,
        `Transaction ${row.key} names no customer that was imported.`,
      );
      continue;
    }
    const promoterId = reading.customers.get(row.customerId)!;
    reading.sales.set(row.key, row.customerId);
    yield {
      kind: "sale",
      id: row.key,
      // It is undocumented whether the key is the charge's.
      event_id: null,
      customerId: row.customerId,
      promoter_id: promoterId,
      campaign_id: reading.groups.get(promoterId) ?? null,
      amount: row.amount,
      currency: row.currency,
      refunded: 0,
      plan_id: row.product_key,
      created_at: row.created_at,
    };
  }
}

async function* rewards(reading: Reading): AsyncGenerator<Reward> {
  const seen = new Set<string>();
  for (const list of REWARD_LISTS) {
    for await (const row of readRows(reading, { list, shape: rewardShape, noun: "Reward" })) {
      if (seen.has(row.key)) continue;
      seen.add(row.key);
      yield row;
    }
  }
}

async function* commissions(reading: Reading): AsyncGenerator<SourceRecord> {
  const payouts = newDerivedPayouts();
  for await (const row of rewards(reading)) {
    const { partnership, customer, transaction, invoice } = row;
    const promoterId =
      partnership?.key ?? reading.emails.get(partnership?.email?.toLowerCase() ?? "") ?? null;
    if (promoterId === null) {
      const shown = `Reward ${row.key} of ${row.amount} (${row.currency ?? "?"})`;
      reading.remarks.add(`reward:${row.key}`, `${shown} names no partner that was imported.`);
      continue;
    }
    const saleId = transaction !== null && reading.sales.has(transaction) ? transaction : null;
    const names = [customer?.key, customer?.external_key, customer?.email].filter(
      (name) => typeof name === "string",
    );
    const commission = {
      id: row.key,
      sale_id: saleId,
      customerId: (saleId && reading.sales.get(saleId)) ?? customerNamed(reading, names),
      promoter_id: promoterId,
      campaign_id: reading.groups.get(promoterId) ?? null,
      unit: "cash" as const,
      amount: row.amount,
      currency: row.currency,
      ...row.reward_status,
      // An invoice pays many partners.
      payout_id:
        invoice !== null && row.reward_status.isPaid ? `${invoice}:${promoterId}:${row.currency}` : null,
      tier_level: 1,
      note: row.description,
      created_at: row.created_at,
      paid_at: null,
    };
    payouts.add(commission);
    yield { kind: "commission", ...commission };
  }
  yield* payouts.all();
}
