import type { SelectQueryBuilder } from "kysely";
import type { Account } from "../account/account.ts";
import { campaigns, type Campaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { leads } from "../lead/lead.ts";
import type { Lead } from "../lead/record.ts";
import { payouts } from "../payout/payout.ts";
import type { Payout } from "../payout/record.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import { promoters } from "../promoter/promoter.ts";
import type { Promoter } from "../promoter/record.ts";
import { parse } from "../../storage/documents.ts";
import {
  findIds,
  findInOrder,
  type Found,
  type Schema,
  type Sort,
  type Window,
} from "../../storage/query.ts";
import type { Reader } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { commissions } from "./commission.ts";
import {
  commissionQuestion,
  type CommissionFilter,
  type CommissionQuestion,
  type CommissionSchema,
} from "./filter.ts";
import type { Commission } from "./record.ts";

const COLUMNS = {
  id: "commissions.id",
  saleAmount: "commissions.sale_cents",
  amount: "commissions.amount",
  createdAt: "commissions.created_at",
  lead: "commissions.lead_id",
} as const;

/**
 * The field that commissions are sorted by, and the direction. Choice: leads are sorted by id, which is the order in
 * which they came, because their e-mail addresses change.
 */
export type CommissionSort = Sort<keyof typeof COLUMNS>;

interface CommissionRequest extends Window {
  filter: CommissionFilter;
  /** The first one decides, then the next. Ties are sorted by id, in the direction of the first. */
  sorting: CommissionSort[];
}

/** A commission with the records that are shown with it. null: it has none, or it was deleted. */
export interface CommissionParts {
  commission: Commission;
  promoterCampaign: PromoterCampaign | null;
  promoter: Promoter | null;
  campaign: Campaign | null;
  lead: Lead | null;
  payout: Payout | null;
}

/** A page of the commissions that pass a filter, sorted by id unless told otherwise. */
export async function listCommissions(
  context: Pick<Context, "store" | "now">,
  account: Account,
  { limit, offset, ...wanted }: CommissionRequest,
): Promise<Found<CommissionParts>> {
  const { store } = context;
  const question = sorted(commissionQuestion(context, account, wanted.filter), wanted.sorting);
  const { ids, total } = await findIds(store, commissions, { question, limit, offset });
  const parts = withParts(commissionQuestion(context, account, { ids }));
  const rows = await findInOrder(store, ids, parts.select("commissions.id"));
  return { records: rows.map(partsOf), total };
}

/** Commissions that are read together for an export. */
const CHUNK = 1_000;

/** All commissions of an account, oldest first, in chunks. */
export async function* allCommissions(
  context: Pick<Context, "store" | "now">,
  account: Account,
): AsyncGenerator<CommissionParts[]> {
  const { store } = context;
  const all = withParts(commissionQuestion(context, account, {}))
    .orderBy("commissions.id")
    .limit(CHUNK);
  for (let last = 0; ;) {
    const chunk = (await store.rows(all.where("commissions.id", ">", last))).map(partsOf);
    yield chunk;
    if (chunk.length < CHUNK) return;
    last = chunk.at(-1)!.commission.id;
  }
}

/** The same for one commission. */
export async function readCommissionParts(reader: Reader, commission: Commission): Promise<CommissionParts> {
  const { accountId, leadId, payoutId } = commission;
  return {
    commission,
    promoterCampaign: await reader.get(promoterCampaigns, accountId, commission.promoterCampaignId),
    promoter: await reader.get(promoters, accountId, commission.promoterId),
    campaign: await reader.get(campaigns, accountId, commission.campaignId),
    lead: leadId === null ? null : await reader.get(leads, accountId, leadId),
    payout: payoutId === null ? null : await reader.get(payouts, accountId, payoutId),
  };
}

function sorted(question: CommissionQuestion, sorting: CommissionSort[]): CommissionQuestion {
  const last: CommissionSort = { by: "id", isDescending: sorting[0]?.isDescending ?? false };
  return [...sorting, last].reduce(
    (ordered, { by, isDescending }) => ordered.orderBy(COLUMNS[by], isDescending ? "desc" : "asc"),
    question,
  );
}

type PartSchema = CommissionSchema &
  Schema<{
    promoter_campaigns: typeof promoterCampaigns;
    promoters: typeof promoters;
    campaigns: typeof campaigns;
    leads: typeof leads;
    payouts: typeof payouts;
  }>;

/** Selects commissions with their parts, for `partsOf`. */
function withParts(question: CommissionQuestion) {
  return (question as unknown as SelectQueryBuilder<PartSchema, "commissions", object>)
    .leftJoin("promoter_campaigns", (join) =>
      join
        .onRef("promoter_campaigns.account_id", "=", "commissions.account_id")
        .onRef("promoter_campaigns.id", "=", "commissions.promoter_campaign_id"),
    )
    .leftJoin("promoters", (join) =>
      join
        .onRef("promoters.account_id", "=", "commissions.account_id")
        .onRef("promoters.id", "=", "commissions.promoter_id"),
    )
    .leftJoin("campaigns", (join) =>
      join
        .onRef("campaigns.account_id", "=", "commissions.account_id")
        .onRef("campaigns.id", "=", "commissions.campaign_id"),
    )
    .leftJoin("leads", (join) =>
      join
        .onRef("leads.account_id", "=", "commissions.account_id")
        .onRef("leads.id", "=", "commissions.lead_id"),
    )
    .leftJoin("payouts", (join) =>
      join
        .onRef("payouts.account_id", "=", "commissions.account_id")
        .onRef("payouts.id", "=", "commissions.payout_id"),
    )
    .select([
      "commissions.doc as commission",
      "promoter_campaigns.doc as promoterCampaign",
      "promoters.doc as promoter",
      "campaigns.doc as campaign",
      "leads.doc as lead",
      "payouts.doc as payout",
    ]);
}

/** The texts of a commission and its parts. */
type PartsRow = { [Name in keyof CommissionParts]: string | null } & { commission: string };

function partsOf(row: PartsRow): CommissionParts {
  return {
    commission: parse(commissions, row.commission),
    promoterCampaign: parsed(promoterCampaigns, row.promoterCampaign),
    promoter: parsed(promoters, row.promoter),
    campaign: parsed(campaigns, row.campaign),
    lead: parsed(leads, row.lead),
    payout: parsed(payouts, row.payout),
  };
}

function parsed<R>(from: Table<R>, doc: string | null): R | null {
  return doc === null ? null : parse(from, doc);
}
