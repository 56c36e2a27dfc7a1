import { z } from "zod";
import { writeExport, type AuditedEntity } from "../../domain/access/audit/audit.ts";
import { accountLines } from "../../transfer/open/account-lines.ts";
import { actorOf } from "../../request/caller.ts";
import type { V2Operation, V2Request, V2Row } from "../operation.ts";
import type { Line } from "../../csv.ts";
import { csvPages, amountCell, rowsById } from "./csv-pages.ts";
import { leads } from "../../domain/people/lead/lead.ts";
import { promoterCampaigns } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import type { sales } from "../../domain/ledger/sale/sale.ts";
import { allOf, type Schema } from "../../storage/query.ts";
import { commissions, isPaid, type Commission } from "../../domain/ledger/commission/commission.ts";
import { commissionParts, type CommissionParts } from "../../domain/ledger/commission/search.ts";
import { payouts } from "../../domain/ledger/payout/payout.ts";

/** A file with all records of a kind. */
interface ExportFile {
  id: string;
  /** What the file contains, for the OpenAPI document. */
  content: string;
  /** The name in the path and in the file's name. */
  name: string;
  entity: AuditedEntity;
  columns: string[];
  pages: (request: V2Request) => AsyncGenerator<Line[]>;
}

/** The columns are named like those of `tidemark import-csv` where it has them. */
const LEAD_COLUMNS = [
  "id",
  "email",
  "uid",
  "username",
  "first_name",
  "last_name",
  "state",
  "suspicion",
  "ref_id",
  "promoter_email",
  "campaign_id",
  "plan_name",
  "sub_id",
  "sales_count",
  "mrr",
  "customer_since",
  "cancelled_at",
  "created_at",
];

/** The columns are named like those of `tidemark import-csv` where it has them. */
const COMMISSION_COLUMNS = [
  "id",
  "ref_id",
  "promoter_email",
  "campaign_id",
  "email",
  "uid",
  "amount",
  "unit",
  "currency",
  "status",
  "sale_amount",
  "event_id",
  "reward",
  "note",
  "payout_id",
  "created_at",
];

const PAYOUT_COLUMNS = [
  "id",
  "promoter_id",
  "promoter_email",
  "campaign_id",
  "status",
  "amount",
  "tax_rate_percent",
  "total_incl_tax",
  "unit",
  "currency",
  "period_start",
  "period_end",
  "due_date",
  "payments_batch_id",
  "error",
  "paid_at",
  "created_at",
];

/** The columns are named like those of `tidemark import-csv` where it has them. */
const PROMOTER_COLUMNS = [
  "id",
  "email",
  "first_name",
  "last_name",
  "ref_id",
  "cust_id",
  "promo_code",
  "campaign_id",
  "state",
  "parent_email",
  "website",
  "company_name",
  "country",
  "wallet_email",
  "landing_url",
  "note",
  "created_at",
  "archived_at",
];

const FILES: ExportFile[] = [
  {
    id: "exportPromoters",
    content: "All promoters, with their first campaign",
    name: "promoters",
    entity: "promoter",
    columns: PROMOTER_COLUMNS,
    pages: promoterPages,
  },
  {
    id: "exportReferrals",
    content: "All leads, with their promoters",
    name: "referrals",
    entity: "referral",
    columns: LEAD_COLUMNS,
    pages: leadPages,
  },
  {
    id: "exportCommissions",
    content: "All commissions, with their promoters and leads",
    name: "commissions",
    entity: "commission",
    columns: COMMISSION_COLUMNS,
    pages: commissionPages,
  },
  {
    id: "exportPayouts",
    content: "All payouts, with their promoters",
    name: "payouts",
    entity: "payout",
    columns: PAYOUT_COLUMNS,
    pages: payoutPages,
  },
];

/**
 * `GET /api/v2/company/exports/promoters` and the others, for managers. The audit log records each download.
 */
export const EXPORT_OPERATIONS: V2Row[] = [
  ...FILES.map((file): V2Row => ["GET", `/exports/${file.name}`, exportOperation(file), "manager"]),
  ["GET", "/exports/everything", everythingOperation(), "owner"],
];

/** Owners only, because it is the whole program. */
function everythingOperation(): V2Operation {
  return {
    id: "exportEverything",
    summary: "Download the whole program as JSON lines",
    description:
      "The account and all its records, one per line, each with its table as `table`: campaigns, rewards, promoters, leads, sales, commissions, payouts and the others. The names are those of the API and of `docs/storage.md`. Amounts of money are in cents. Secrets, such as passwords and bank accounts, are left out. The audit log records who downloaded it. An extension of Tidemark.",
    answer: z.string(),
    media: "application/x-ndjson",
    async handle(request) {
      const { account, context, headers } = request;
      await logExport(request, "account");
      headers["content-disposition"] =
        `attachment; filename="everything-${context.now.toISOString().slice(0, 10)}.jsonl"`;
      return accountLines(context.store, account);
    },
  };
}

/** A HEAD request downloads nothing, so it is not logged. */
export async function logExport(
  { account, caller, context, event }: V2Request,
  entity: AuditedEntity,
): Promise<void> {
  if (event.req.method === "HEAD") return;
  const { store, now } = context;
  const written = { store, now, actor: actorOf(caller) };
  await store.transact((tx) => writeExport(tx, written, { account_id: account.id, entity }));
}

function exportOperation({ id, content, name, entity, columns, pages }: ExportFile): V2Operation {
  return {
    id,
    summary: `Download all ${name} as a CSV file`,
    description: `${content}, as a CSV file, oldest first. Amounts have decimals, and texts that a spreadsheet would run as a formula begin with \`'\`. The audit log records who downloaded it.`,
    answer: z.string(),
    media: "text/csv",
    async handle(request) {
      const { context, headers } = request;
      await logExport(request, entity);
      headers["content-disposition"] =
        `attachment; filename="${name}-${context.now.toISOString().slice(0, 10)}.csv"`;
      return csvPages(columns, pages(request));
    },
  };
}

type ExportSchema = Schema<{
  leads: typeof leads;
  promoters: typeof promoters;
  promoter_campaigns: typeof promoterCampaigns;
  sales: typeof sales;
}>;

interface LeadRow {
  ref_token: string | null;
  mrr: number | null;
}

/** All leads, with their promoters. `mrr` is the monthly revenue that the latest sale brings. */
async function* leadPages({ account, context: { store } }: V2Request): AsyncGenerator<Line[]> {
  const query = store
    .query<ExportSchema>()
    .selectFrom("leads")
    .leftJoin("promoters", (join) =>
      join
        .onRef("promoters.account_id", "=", "leads.account_id")
        .onRef("promoters.id", "=", "leads.promoter_id"),
    )
    .leftJoin("promoter_campaigns", (join) =>
      join
        .onRef("promoter_campaigns.account_id", "=", "leads.account_id")
        .onRef("promoter_campaigns.id", "=", "leads.promoter_campaign_id"),
    )
    .where("leads.account_id", "=", account.id)
    .where("leads.archived_at", "is", null)
    .select(["leads.id", ...allOf(leads), ...allOf(promoters), "promoter_campaigns.ref_token"])
    .select(({ selectFrom }) =>
      selectFrom("sales")
        .select("sales.mrr_cents")
        .whereRef("sales.account_id", "=", "leads.account_id")
        .whereRef("sales.lead_id", "=", "leads.id")
        .orderBy("sales.created_at", "desc")
        .orderBy("sales.id", "desc")
        .limit(1)
        .as("mrr"),
    );
  const lineOf = (row: LeadRow): Line => {
    const lead = store.record(leads, row)!;
    const promoter = store.record(promoters, row);
    const mrr = row.mrr === null || lead.sales_count === 0 ? null : Number(row.mrr);
    return {
      id: lead.id,
      email: lead.email,
      uid: lead.uid,
      username: lead.username,
      first_name: lead.first_name,
      last_name: lead.last_name,
      state: lead.state,
      suspicion: lead.fraud_check,
      ref_id: row.ref_token,
      promoter_email: promoter?.email ?? null,
      campaign_id: lead.campaign_id,
      plan_name: lead.plan_id,
      sub_id: lead.sub_id,
      sales_count: lead.sales_count,
      mrr: mrr === null ? null : amountCell(mrr, "cash", account.currency),
      customer_since: lead.customer_since,
      cancelled_at: lead.cancelled_at,
      created_at: lead.created_at,
    };
  };
  for await (const rows of rowsById(store, query, "leads.id")) yield rows.map(lineOf);
}

/** All commissions with their promoters and leads. @see docs/spec/v2.md "CSV files" */
async function* commissionPages({ account, context: { store } }: V2Request): AsyncGenerator<Line[]> {
  for await (const chunk of store.scan(commissions, "id", account.id, [])) {
    const parts = await commissionParts(store, chunk);
    yield chunk.map((commission, at) => lineOf(commission, parts[at]!, account.currency));
  }
}

function lineOf(commission: Commission, parts: CommissionParts, currency: string): Line {
  const { promoter, promoterCampaign, lead } = parts;
  const { unit } = commission;
  return {
    id: commission.id,
    ref_id: promoterCampaign?.ref_token ?? null,
    promoter_email: promoter?.email ?? null,
    campaign_id: commission.campaign_id,
    email: lead?.email ?? null,
    uid: lead?.uid ?? null,
    amount: amountCell(commission.amount, unit, currency),
    unit,
    currency: unit === "cash" ? currency : null,
    status: isPaid(commission, parts.payout) ? "paid" : commission.status,
    sale_amount: amountCell(commission.sale_amount, "cash", currency),
    event_id: commission.event_id,
    reward: commission.reward_name,
    note: commission.internal_note,
    payout_id: commission.payout_id,
    created_at: commission.created_at,
  };
}

/** All payouts, with their promoters. Details of bank accounts are only in the files of payments batches. */
async function* payoutPages({ account, context: { store } }: V2Request): AsyncGenerator<Line[]> {
  const query = store
    .query<Schema<{ payouts: typeof payouts; promoters: typeof promoters }>>()
    .selectFrom("payouts")
    .leftJoin("promoters", (join) =>
      join
        .onRef("promoters.account_id", "=", "payouts.account_id")
        .onRef("promoters.id", "=", "payouts.promoter_id"),
    )
    .where("payouts.account_id", "=", account.id)
    .select(["payouts.id", ...allOf(payouts), ...allOf(promoters)]);
  const lineOf = (row: object): Line => {
    const payout = store.record(payouts, row)!;
    const promoter = store.record(promoters, row);
    const { unit } = payout;
    return {
      id: payout.id,
      promoter_id: payout.promoter_id,
      promoter_email: promoter?.email ?? null,
      campaign_id: payout.campaign_id,
      status: payout.status,
      amount: amountCell(payout.amount, unit, account.currency),
      tax_rate_percent: payout.tax_rate_hundredths / 100,
      total_incl_tax: amountCell(payout.total_incl_tax, unit, account.currency),
      unit,
      currency: unit === "cash" ? account.currency : null,
      period_start: payout.period_start,
      period_end: payout.period_end,
      due_date: payout.due_date,
      payments_batch_id: payout.payments_batch_id,
      error: payout.error,
      paid_at: payout.paid_at,
      created_at: payout.created_at,
    };
  };
  for await (const rows of rowsById(store, query, "payouts.id")) yield rows.map(lineOf);
}

/** All promoters, with their first campaign. */
async function* promoterPages({ account, context: { store } }: V2Request): AsyncGenerator<Line[]> {
  const query = store
    .query<Schema<{ promoters: typeof promoters; promoter_campaigns: typeof promoterCampaigns }>>()
    .selectFrom("promoters")
    .leftJoin("promoters as parents", (join) =>
      join
        .onRef("parents.account_id", "=", "promoters.account_id")
        .onRef("parents.id", "=", "promoters.parent_promoter_id"),
    )
    .leftJoin("promoter_campaigns as firsts", (join) =>
      join
        .onRef("firsts.account_id", "=", "promoters.account_id")
        .onRef("firsts.id", "=", "promoters.default_promoter_campaign_id"),
    )
    .where("promoters.account_id", "=", account.id)
    .select([
      "promoters.id",
      ...allOf(promoters),
      ...allOf(promoters, "parents"),
      ...allOf(promoterCampaigns, "firsts"),
    ]);
  const lineOf = (row: object): Line => {
    const promoter = store.record(promoters, row)!;
    const parent = store.record(promoters, row, "parents");
    const first = store.record(promoterCampaigns, row, "firsts");
    const { profile } = promoter;
    return {
      id: promoter.id,
      email: promoter.email,
      first_name: profile.first_name,
      last_name: profile.last_name,
      ref_id: first?.ref_token ?? null,
      cust_id: promoter.cust_id,
      promo_code: first?.coupon ?? null,
      campaign_id: first?.campaign_id ?? null,
      state: first?.state ?? null,
      parent_email: parent?.email ?? null,
      website: profile.website,
      company_name: profile.company_name,
      country: profile.country,
      wallet_email: profile.wallet_email,
      landing_url: first?.landing_url ?? null,
      note: promoter.note,
      created_at: promoter.created_at,
      archived_at: promoter.archived_at,
    };
  };
  for await (const rows of rowsById(store, query, "promoters.id")) yield rows.map(lineOf);
}
