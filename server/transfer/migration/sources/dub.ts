import { Failure } from "../../../failure.ts";
import type { ArchivedRows, Source, SourceRecord } from "../model.ts";
import { newRemarks, readRows, remarkClosed, type Remarks } from "../shapes.ts";
import {
  askDub,
  codeShape,
  commissionShape,
  customerShape,
  partnerShape,
  payoutCommissionShape,
  payoutShape,
  TYPES,
  type Commission,
  type Partner,
} from "./dub-answers.ts";

/** Partners without a group. */
const NO_GROUP = "none";

/** @see https://dub.co/docs/api-reference/introduction */
export const dub: Source = {
  name: "dub",
  title: "Dub",
  baseUrl: "https://api.dub.co",
  keyHint: "an API key of the workspace that has the program",
  // Every plan with a program allows more. The answers say when the limit is used up.
  limit: { requests: 500, withinMs: 60_000 },
  headers: (key) => {
    if (!/^\S+$/.test(key)) throw new Failure("invalid", "The key must be only the API key");
    return { authorization: `Bearer ${key}` };
  },
  linkParams: ["via"],
  fetch: askDub,
  records: dubRecords,
};

/** What is read from one list and needed for others. */
interface Reading {
  archive: ArchivedRows;
  remarks: Remarks;
  /** The group of each partner. */
  groups: Map<string, string>;
  customers: Set<string>;
  /** The sales of commissions that are not the first of theirs. */
  sales: Map<string, string>;
  /** The payout of each commission. */
  payouts: Map<string, string>;
  /** When the latest commission of each payout was made. */
  latest: Map<string, string>;
}

async function* dubRecords(archive: ArchivedRows): AsyncGenerator<SourceRecord> {
  const remarks = newRemarks();
  const reading: Reading = {
    archive,
    remarks,
    groups: new Map(),
    customers: new Set(),
    sales: new Map(),
    payouts: new Map(),
    latest: new Map(),
  };
  yield* campaigns(reading);
  yield* promoters(reading);
  yield* places(reading);
  yield* codes(reading);
  yield* customers(reading);
  await noteSales(reading);
  await notePayouts(reading);
  yield* sales(reading);
  yield* commissions(reading);
  yield* payouts(reading);
  await remarkClosed(archive, remarks);
  yield* remarks.all();
}

async function* partners(reading: Reading): AsyncGenerator<Partner & { email: string }> {
  const list = { list: "partners", shape: partnerShape, noun: "Partner" };
  for await (const row of readRows(reading, list)) {
    const { email } = row;
    if (email !== null) yield { ...row, email };
    else reading.remarks.add(`partner:${row.id}`, `Partner ${row.name ?? row.id} has no e-mail address.`);
  }
}

/** Only the ids of groups are available, neither names nor rewards. */
async function* campaigns(reading: Reading): AsyncGenerator<SourceRecord> {
  const found = new Set<string>();
  for await (const { id, groupId } of partners(reading)) {
    const group = groupId ?? NO_GROUP;
    reading.groups.set(id, group);
    found.add(group);
  }
  for (const group of found) {
    const name = group === NO_GROUP ? "Dub, without a group" : `Dub group ${group}`;
    reading.remarks.add(
      `group:${group}`,
      `Campaign "${name}": Dub gives neither the name nor the rewards of a group. Enter them by hand.`,
    );
    yield {
      kind: "campaign",
      id: group,
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

async function* promoters(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of partners(reading)) {
    const [firstName = null, ...further] = row.name?.split(/\s+/) ?? [];
    yield {
      kind: "promoter",
      id: row.id,
      email: row.email,
      first_name: firstName,
      last_name: further.join(" ") || null,
      company_name: row.companyName,
      country: row.country,
      cust_id: row.tenantId,
      note: null,
      custom_fields: null,
      parentId: null,
      isArchived: false,
      payoutMethod:
        row.paypalEmail === null ? null : { method: "paypal", details: { wallet_email: row.paypalEmail } },
      counts: {
        clicks: (row.links ?? []).reduce((sum, { clicks }) => sum + clicks, 0),
        leads: null,
        customers: null,
      },
      created_at: row.createdAt,
    };
  }
}

async function* places(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of partners(reading)) {
    yield {
      kind: "promoter_campaign",
      id: row.id,
      promoter_id: row.id,
      campaign_id: row.groupId ?? NO_GROUP,
      state: row.status,
      links: (row.links ?? []).map((link) => ({
        id: link.id,
        token: link.key,
        url: link.shortLink,
        target: link.url,
        clicks: link.clicks,
      })),
      created_at: row.createdAt,
    };
  }
}

async function* codes(reading: Reading): AsyncGenerator<SourceRecord> {
  const list = { list: "discount-codes", shape: codeShape, noun: "Discount code" };
  for await (const { id, code, partnerId, disabledAt } of readRows(reading, list)) {
    const campaignId = reading.groups.get(partnerId) ?? null;
    yield {
      kind: "code",
      id,
      code,
      promoter_id: partnerId,
      campaign_id: campaignId,
      ext_id: null,
      archived_at: disabledAt,
    };
  }
}

async function* customers(reading: Reading): AsyncGenerator<SourceRecord> {
  const list = { list: "customers", shape: customerShape, noun: "Customer" };
  let others = 0;
  for await (const row of readRows(reading, list)) {
    if (row.partner === null) {
      others += 1;
      continue;
    }
    const isCustomer = row.firstSaleAt !== null || row.sales > 0;
    reading.customers.add(row.id);
    yield {
      kind: "customer",
      id: row.id,
      email: row.email,
      uid: row.externalId,
      billingId: row.stripeCustomerId,
      subscription_id: null,
      name: row.name,
      promoter_id: row.partner,
      campaign_id: reading.groups.get(row.partner) ?? null,
      state: row.subscriptionCanceledAt !== null ? "cancelled" : isCustomer ? "active" : "signup",
      entry_source: "cookie",
      plan_id: null,
      custom_fields: null,
      created_at: row.createdAt,
      customer_since: row.firstSaleAt,
      cancelled_at: row.subscriptionCanceledAt,
    };
  }
  if (others > 0) {
    reading.remarks.add(
      "customers:others",
      `Customers who are left out, because no partner referred them: ${others}.`,
    );
  }
}

async function* commissionRows(reading: Reading): AsyncGenerator<Commission & { partner: string }> {
  for (const type of TYPES) {
    const others = TYPES.filter((each) => each !== type).map((each) => ({
      list: `commissions-${each}`,
      value: each,
    }));
    const asked = { value: type, named: (row: Record<string, unknown>) => [row["type"]], others };
    const list = { list: `commissions-${type}`, shape: commissionShape, noun: "Commission", asked };
    for await (const row of readRows(reading, list)) {
      const { partner } = row;
      if (partner !== null) yield { ...row, partner };
      else
        reading.remarks.add(
          `commission:${row.id}`,
          `Commission ${row.id} of ${row.earnings} has no partner.`,
        );
    }
  }
}

/** Two commissions of one invoice are of one sale. The older one names it, so that a later run finds it again. */
async function noteSales(reading: Reading): Promise<void> {
  const firsts = new Map<string, Pick<Commission, "id" | "createdAt">>();
  const others = new Map<string, string>();
  for await (const row of commissionRows(reading)) {
    if (row.invoiceId === null || !isSale(reading, row)) continue;
    const { id, createdAt, customer, invoiceId, amount, currency } = row;
    const sale = [customer, invoiceId, amount, currency].join(" ");
    const before = firsts.get(sale);
    const isFirst = before === undefined || `${createdAt} ${id}` < `${before.createdAt} ${before.id}`;
    if (before !== undefined) others.set(isFirst ? before.id : id, sale);
    if (isFirst) firsts.set(sale, { id, createdAt });
  }
  for (const [id, sale] of others) reading.sales.set(id, firsts.get(sale)!.id);
}

/** The sale of a commission has no record of its own. */
function isSale(reading: Reading, { type, amount, customer }: Commission): boolean {
  return type === "sale" && amount !== null && customer !== null && reading.customers.has(customer);
}

async function* sales(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of commissionRows(reading)) {
    if (!isSale(reading, row) || reading.sales.has(row.id)) continue;
    yield {
      kind: "sale",
      id: row.id,
      event_id: row.invoiceId,
      customerId: row.customer!,
      promoter_id: row.partner,
      campaign_id: reading.groups.get(row.partner) ?? null,
      amount: row.amount!,
      currency: row.currency,
      refunded: row.status.isRefunded ? row.amount! : 0,
      plan_id: null,
      created_at: row.createdAt,
    };
  }
}

async function* commissions(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of commissionRows(reading)) {
    const { type, customer, status } = row;
    yield {
      kind: "commission",
      id: row.id,
      sale_id: isSale(reading, row) ? (reading.sales.get(row.id) ?? row.id) : null,
      customerId: customer !== null && reading.customers.has(customer) ? customer : null,
      promoter_id: row.partner,
      campaign_id: reading.groups.get(row.partner) ?? null,
      unit: "cash",
      amount: row.earnings,
      currency: row.currency,
      status: status.status,
      isPaid: status.isPaid,
      payout_id: reading.payouts.get(row.id) ?? null,
      tier_level: 1,
      note: row.description ?? (type === "sale" || type === "custom" ? null : `Dub: ${type}`),
      created_at: row.createdAt,
      paid_at: row.paidAt,
    };
  }
}

async function notePayouts(reading: Reading): Promise<void> {
  const { payouts, latest } = reading;
  const asked = { named: (row: Record<string, unknown>) => [row["payout_id"], row["payout"]] };
  const list = { list: "payout-commissions", shape: payoutCommissionShape, noun: "Commission", asked };
  for await (const { id, of: payout, createdAt } of readRows(reading, list)) {
    const at = createdAt ?? "";
    payouts.set(id, payout);
    if (at > (latest.get(payout) ?? "")) latest.set(payout, at);
  }
}

async function* payouts(reading: Reading): AsyncGenerator<SourceRecord> {
  const list = { list: "payouts", shape: payoutShape, noun: "Payout" };
  for await (const row of readRows(reading, list)) {
    // A pending payout has no date.
    const createdAt = row.createdAt ?? row.initiatedAt ?? row.paidAt ?? reading.latest.get(row.id) ?? null;
    if (row.partner === null || createdAt === null) {
      reading.remarks.add(
        `payout:${row.id}`,
        `Payout ${row.id} of ${row.amount} lacks its partner or its date.`,
      );
      continue;
    }
    yield {
      kind: "payout",
      id: row.id,
      promoter_id: row.partner,
      campaign_id: null,
      unit: "cash",
      amount: row.amount,
      currency: row.currency,
      status: row.status,
      method: row.method === "paypal" ? "paypal" : row.method === null ? null : "custom",
      error: row.failureReason,
      period_start: row.periodStart,
      period_end: row.periodEnd,
      created_at: createdAt,
      paid_at: row.paidAt,
    };
  }
}
