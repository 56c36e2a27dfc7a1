import { z } from "zod";
import { identityOf } from "../archive.ts";
import type { SourceApi } from "../model.ts";
import { idsOf, readCursorPages, readForEach, readIfAny, readNeeded, readNumberedPages } from "../paging.ts";
import {
  amount,
  amountOrNull,
  count,
  country,
  currency,
  id,
  instant,
  meaning,
  readAnswer,
  reference,
  someInstant,
  text,
} from "../shapes.ts";

const MOST_ROWS = 100;
/** A list without a filter has no denied commissions, a list by type has. */
export const TYPES = ["click", "lead", "sale", "referral", "custom"] as const;
/** Fetches everything that Dub offers. */
export async function askDub(api: SourceApi): Promise<void> {
  const byDate = { sortBy: "createdAt", sortOrder: "asc" };
  await readNeeded(api, "partners", () => readNumbered(api, "partners", byDate));
  await readIfAny(api, "discount-codes", () => readNumbered(api, "discount-codes", {}));
  await readIfAny(api, "customers", () =>
    readAfter(api, "customers", { path: "/customers", query: { includeExpandedFields: "true" } }),
  );
  for (const type of TYPES) {
    const list = `commissions-${type}`;
    await readNeeded(api, list, () => readAfter(api, list, { path: "/commissions", query: { type } }));
  }
  // The default order is by amount, which may change meanwhile.
  await readNeeded(api, "payouts", () =>
    readNumbered(api, "payouts", { sortBy: "initiatedAt", sortOrder: "asc" }),
  );
  await readNeeded(api, "payout-commissions", () =>
    readForEach(api, "payout-commissions", {
      parents: idsOf(api.kept, "payouts"),
      ask: (payoutId) => allAfter(api, { path: "/commissions", query: { payoutId } }),
    }),
  );
}

const rowsShape = z.array(z.unknown());

function readNumbered(api: SourceApi, list: string, query: Record<string, string>): Promise<void> {
  const path = `/${list}`;
  return readNumberedPages(api, list, {
    most: MOST_ROWS,
    async ask(page, pageSize) {
      return { rows: readAnswer(rowsShape, await api.get(path, { ...query, page, pageSize }), path) };
    },
  });
}

interface Cursored {
  path: string;
  query: Record<string, string>;
}

/** The page after a row. */
async function pageAfter(api: SourceApi, { path, query }: Cursored, after: string | null) {
  const place = after === null ? {} : { startingAfter: after };
  const answer = await api.get(path, { ...query, sortBy: "createdAt", pageSize: MOST_ROWS, ...place });
  return readAnswer(rowsShape, answer, path);
}

function readAfter(api: SourceApi, list: string, cursored: Cursored): Promise<void> {
  return readCursorPages(api, list, {
    async ask(after) {
      const rows = await pageAfter(api, cursored, after);
      return { rows, hasMore: rows.length > 0 };
    },
  });
}

async function allAfter(api: SourceApi, cursored: Cursored): Promise<unknown[]> {
  const all: unknown[] = [];
  for (;;) {
    const rows = await pageAfter(api, cursored, all.length === 0 ? null : identityOf(all.at(-1)));
    if (rows.length === 0) return all;
    all.push(...rows);
  }
}

export const partnerShape = z.object({
  id,
  name: text,
  email: text,
  country,
  companyName: text,
  status: meaning({
    pending: "pending",
    invited: "pending",
    approved: "accepted",
    rejected: "rejected",
    declined: "inactive",
    deactivated: "inactive",
    archived: "inactive",
    banned: "blocked",
  }),
  tenantId: text,
  groupId: text,
  links: z.array(z.object({ id, key: z.string(), shortLink: text, url: text, clicks: count })).nullish(),
  defaultPayoutMethod: text,
  paypalEmail: text,
  createdAt: someInstant,
});
export type Partner = z.output<typeof partnerShape>;

export const codeShape = z.object({ id, code: z.string().min(1), partnerId: id, disabledAt: instant });

export const customerShape = z.object({
  id,
  externalId: text,
  email: text,
  name: text,
  stripeCustomerId: text,
  sales: count,
  createdAt: someInstant,
  firstSaleAt: instant,
  subscriptionCanceledAt: instant,
  partner: reference,
});

const denied = { status: "denied", isPaid: false } as const;
export const commissionShape = z.object({
  id,
  type: text,
  amount: amountOrNull,
  earnings: amount,
  currency,
  status: meaning({
    pending: { status: "pending", isPaid: false, isRefunded: false },
    hold: { status: "pending", isPaid: false, isRefunded: false },
    processed: { status: "approved", isPaid: false, isRefunded: false },
    paid: { status: "approved", isPaid: true, isRefunded: false },
    refunded: { ...denied, isRefunded: true },
    duplicate: { ...denied, isRefunded: false },
    fraud: { ...denied, isRefunded: false },
    canceled: { ...denied, isRefunded: false },
  }),
  invoiceId: text,
  description: text,
  partner: reference,
  customer: reference,
  createdAt: someInstant,
  paidAt: instant,
});
export type Commission = z.output<typeof commissionShape>;

/** A commission that was answered for a payout. */
export const payoutCommissionShape = z.object({ of: id, id, createdAt: instant });

export const payoutShape = z.object({
  id,
  amount,
  currency,
  status: meaning({
    pending: "pending",
    processing: "processing",
    processed: "processing",
    sent: "processing",
    completed: "completed",
    failed: "failed",
    canceled: "cancelled",
  }),
  method: text,
  periodStart: instant,
  periodEnd: instant,
  initiatedAt: instant,
  paidAt: instant,
  createdAt: instant,
  failureReason: text,
  partner: reference,
});
