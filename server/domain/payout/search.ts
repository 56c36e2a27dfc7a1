import type { Account } from "../account/account.ts";
import { campaigns, type Campaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { payoutMethods } from "../payout-method/payout-method.ts";
import type { PayoutMethod } from "../payout-method/record.ts";
import { promoters } from "../promoter/promoter.ts";
import type { Promoter } from "../promoter/record.ts";
import { parse } from "../../storage/documents.ts";
import { findIds, findInOrder, type Found, type Sort, type Window } from "../../storage/query.ts";
import type { Table } from "../../storage/table.ts";
import { payoutQuestion, type PayoutFilter, type PayoutQuestion } from "./filter.ts";
import { payouts } from "./payout.ts";
import type { Payout } from "./record.ts";

const COLUMNS = {
  id: "payouts.id",
  amount: "payouts.amount",
  periodStart: "payouts.period_start",
  periodEnd: "payouts.period_end",
} as const;

/** The field that payouts are sorted by, and the direction. */
export type PayoutSort = Sort<keyof typeof COLUMNS>;

interface PayoutRequest extends Window {
  filter: PayoutFilter;
  /** The first one decides, then the next. Ties are sorted by id, in the direction of the first. */
  sorting: PayoutSort[];
}

/** A payout with the records that are shown with it. null: there is none. */
export interface PayoutParts {
  payout: Payout;
  promoter: Promoter | null;
  campaign: Campaign | null;
  /** The method that it was paid by, or is being paid by. */
  used: PayoutMethod | null;
  /** The method that its promoter has selected. */
  selected: PayoutMethod | null;
}

/** A page of the payouts that pass a filter, sorted by id unless told otherwise. */
export async function listPayouts(
  context: Context,
  account: Account,
  { filter, sorting, ...window }: PayoutRequest,
): Promise<Found<PayoutParts>> {
  const { store } = context;
  const question = sorted(payoutQuestion(context, account, filter), sorting);
  const { ids, total } = await findIds(store, payouts, { question, ...window });
  const parts = withParts(payoutQuestion(context, account, { ids }));
  const rows = await findInOrder(store, ids, parts.select("payouts.id"));
  return { records: rows.map(partsOf), total };
}

function sorted(question: PayoutQuestion, sorting: PayoutSort[]): PayoutQuestion {
  const last: PayoutSort = { by: "id", isDescending: sorting[0]?.isDescending ?? false };
  return [...sorting, last].reduce(
    (ordered, { by, isDescending }) => ordered.orderBy(COLUMNS[by], isDescending ? "desc" : "asc"),
    question,
  );
}

/** Selects payouts with their parts, for `partsOf`. */
export function withParts(question: PayoutQuestion) {
  return question
    .leftJoin("promoters", (join) =>
      join
        .onRef("promoters.account_id", "=", "payouts.account_id")
        .onRef("promoters.id", "=", "payouts.promoter_id"),
    )
    .leftJoin("campaigns", (join) =>
      join
        .onRef("campaigns.account_id", "=", "payouts.account_id")
        .onRef("campaigns.id", "=", "payouts.campaign_id"),
    )
    .leftJoin("payout_methods as used", (join) =>
      join
        .onRef("used.account_id", "=", "payouts.account_id")
        .onRef("used.id", "=", "payouts.payout_method_id"),
    )
    .leftJoin("payout_methods as selected", (join) =>
      join
        .onRef("selected.account_id", "=", "payouts.account_id")
        .onRef("selected.selected_by_id", "=", "payouts.promoter_id"),
    )
    .select([
      "payouts.doc as payout",
      "promoters.doc as promoter",
      "campaigns.doc as campaign",
      "used.doc as used",
      "selected.doc as selected",
    ]);
}

/** The texts of a payout and its parts. */
type PartsRow = { [Name in keyof PayoutParts]: string | null } & { payout: string };

/** A payout with its parts from a row. */
export function partsOf({ payout, promoter, campaign, used, selected }: PartsRow): PayoutParts {
  return {
    payout: parse(payouts, payout),
    promoter: parsed(promoters, promoter),
    campaign: parsed(campaigns, campaign),
    used: parsed(payoutMethods, used),
    selected: parsed(payoutMethods, selected),
  };
}

function parsed<R>(from: Table<R>, doc: string | null): R | null {
  return doc === null ? null : parse(from, doc);
}
