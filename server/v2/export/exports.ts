import { z } from "zod";
import { writeExport, type AuditedEntity } from "../../domain/access/audit/audit.ts";
import { everything, opening } from "../../transfer/open/export.ts";
import { actorOf } from "../../request/caller.ts";
import type { V2Operation, V2Request, V2Row } from "../operation.ts";
import { commissionPages, COMMISSION_COLUMNS } from "./commissions.ts";
import type { Line } from "../../csv.ts";
import { csvPages } from "./csv-pages.ts";
import { leadPages, LEAD_COLUMNS } from "./leads.ts";
import { payoutPages, PAYOUT_COLUMNS } from "./payouts.ts";
import { promoterPages, PROMOTER_COLUMNS } from "./promoters.ts";

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

/** `GET /api/v2/company/exports/everything`. Owners only, because it is the whole program. */
function everythingOperation(): V2Operation {
  return {
    id: "exportEverything",
    summary: "Download the whole program as JSON lines",
    description:
      "Campaigns, rewards, promoters, links, promo codes, leads, sales, refunds, commissions, payouts and payout methods, one record per line, each with its `kind`. `docs/leaving.md` describes every field. Amounts are decimals as text. Details of payout methods are left out. The audit log records who downloaded it. An extension of Tidemark.",
    answer: z.string(),
    media: "application/x-ndjson",
    async handle(request) {
      const { account, context, headers } = request;
      await logExport(request, "account");
      headers["content-disposition"] =
        `attachment; filename="everything-${context.now.toISOString().slice(0, 10)}.jsonl"`;
      return everything(opening(context.store, account, false));
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
  await store.transact((tx) => writeExport(tx, written, { accountId: account.id, entity }));
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
