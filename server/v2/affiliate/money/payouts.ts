import { z } from "zod";
import { loadPayout, PAYOUT_STATUSES, payouts, type Payout } from "../../../domain/ledger/payout/payout.ts";
import { payoutParts, type PayoutParts } from "../../../domain/ledger/payout/search.ts";
import { id, listOf, oneOf, text } from "../../../input/fields.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../../embedded-json.ts";
import { shown } from "../../../resource/answer.ts";
import { having, listed, type Condition } from "../../../resource/list.ts";
import { readPathId } from "../../../resource/listing.ts";
import { payoutMethodAnswer } from "../../payout/payout-methods.ts";
import { paymentRows, termRows } from "../../payout/payouts.ts";
import {
  dueStatsAnswer,
  dueStatsJson,
  payoutTermsAnswer,
  payoutTermsJson,
} from "../../payout/payout-stats.ts";
import { ownExport, type AffiliateOperation, type AffiliateRequest } from "../operation.ts";
import { OWN_METHOD_NAMES } from "./payout-details.ts";
import { createdSecond, field, recordId } from "../../../http/fields.ts";
import { shownName } from "../../../domain/program/account/brand.ts";
import { dueStats } from "../../../domain/ledger/payout/stats.ts";
import type { Account } from "../../../domain/program/account/account.ts";
import { promoterName, type Promoter } from "../../../domain/people/promoter/promoter.ts";
import { Failure } from "../../../failure.ts";
import { dayIn, timeZoneOf } from "../../../domain/program/account/time-zone.ts";
import { invoiceFields, invoiceFieldsJson } from "./invoice-details.ts";

/** A payout with the account's calendar. */
interface OwnParts extends PayoutParts {
  account: Account;
}

/** A payout as its promoter sees it. Its method is fixed once the payment starts. */
const ownPayoutAnswer = shown<Payout, OwnParts>(payouts)("PortalPayout", {
  id: recordId,
  status: field(z.enum(PAYOUT_STATUSES), "State of the record."),
  amount: field(z.int(), "The amount: cents for `cash`, whole units otherwise.", 2000),
  ...termRows,
  period_start: [
    field(z.iso.date(), "First day of the period that is paid for."),
    ({ period_start }, { account }) => dayIn(timeZoneOf(account), new Date(period_start)),
  ],
  period_end: [
    field(z.iso.date(), "Last day of the period that is paid for."),
    ({ period_end_date }) => period_end_date,
  ],
  due_date: field(z.iso.date(), "Day by which it must be paid, or null if there is none."),
  ...paymentRows,
  error: field(z.string().nullable(), "What went wrong, for people.", "Campaign 7 was not found"),
  total_incl_tax: field(z.int(), "The amount with tax.", 2380),
  created_at: createdSecond,
  payout_method: [
    field(payoutMethodAnswer.schema.nullable(), "How it is or was paid, or null if that is not known yet."),
    (_, { used }) => used && payoutMethodAnswer.json(used),
  ],
  promoter: [
    field(embeddedPromoter, "The promoter, or null if they were deleted."),
    (_, { promoter }) => embeddedPromoterJson(promoter),
  ],
  campaign: [
    field(embeddedCampaign.nullable(), "The campaign, or null if it was deleted."),
    (_, { campaign }) => embeddedCampaignJson(campaign),
  ],
});

const ownPayouts = listed(payouts, { isNewestFirst: true })({
  filters: {
    status: field(oneOf(PAYOUT_STATUSES), "Only records with this status."),
    campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
    payments_batch_id: field(listOf(id), "Ids of the payments that they are part of.", [5]),
    group_ref: field(text, "The run that made the payouts.", "2026-02"),
  },
});

function ofPromoter({ promoter }: AffiliateRequest): Condition[] {
  return having(payouts, { promoter_id: promoter.id });
}

async function showOwn({ account, context: { store } }: AffiliateRequest, records: Payout[]) {
  const parts = await payoutParts(store, records);
  return records.flatMap((payout, at) => {
    const own = parts[at];
    return own ? [ownPayoutAnswer.json(payout, { ...own, account })] : [];
  });
}

export const listOwnPayoutsOperation: AffiliateOperation = {
  id: "listOwnPayouts",
  summary: "List the promoter's payouts, newest first",
  description: "Lists the promoter's payouts, newest first.",
  params: ownPayouts.params,
  answer: z.object({
    data: field(z.array(ownPayoutAnswer.schema), "The records."),
    meta: field(payoutTermsAnswer, "Further data."),
  }),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const data = await showOwn(request, await ownPayouts.read(request, ofPromoter(request)));
    return { data, meta: ownTermsJson(request.account, request.promoter) };
  },
};

export const exportOwnPayoutsOperation = ownExport({
  id: "exportOwnPayouts",
  noun: "payouts",
  note: "Amounts are in cents.",
  list: ownPayouts,
  within: ofPromoter,
  columns: [
    "id",
    "status",
    "unit",
    "amount",
    "tax_rate",
    "total_incl_tax",
    "period_start",
    "period_end",
    "due_date",
    "paid_at",
    "payout_method",
    "campaign",
  ],
  linesOf: async (request, records) =>
    (await showOwn(request, records)).map((payout) => ({
      ...payout,
      payout_method: payout.payout_method?.method ?? "",
      campaign: payout.campaign?.name ?? "",
    })),
});

const receiptAnswer = z
  .object({
    number: field(z.string(), "Number of the receipt. It never changes.", "acme-12"),
    payer: field(
      z.object({ name: field(z.string(), "The record's display name.", "Jane Doe") }),
      "The company.",
    ),
    payee: field(
      z.object({
        name: field(z.string(), "The record's display name.", "Jane Doe"),
        email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
        ...invoiceFields,
      }),
      "The promoter, with their invoice details.",
    ),
    currency: field(z.string(), "The currency of the amounts.", "USD"),
    tax_amount: field(z.int(), "The tax within the total.", 400),
    payout: field(ownPayoutAnswer.schema, "The payout that was paid."),
  })
  .meta({ id: "PayoutReceipt" });

export const payoutReceiptOperation: AffiliateOperation = {
  id: "getPayoutReceipt",
  summary: "Show the receipt of a payout",
  description: "Shows the receipt of a payout that was paid.",
  answer: receiptAnswer,
  refusals: ["not_found", "refused"],
  handle: showReceipt,
};

export const ownDueStatsOperation: AffiliateOperation = {
  id: "getOwnDueStats",
  summary: "Show what the promoter will be paid, and when",
  description: "Shows the sums that are due next, overdue, and due on other terms.",
  answer: dueStatsAnswer,
  handle: showDueStats,
};

/** Only a completed payout has a receipt. */
async function showReceipt(request: AffiliateRequest) {
  const { event, account, promoter, context } = request;
  const payout = await loadPayout(context.store, account.id, readPathId(event));
  if (payout.promoter_id !== promoter.id) throw new Failure("not_found", "Payout not found.");
  if (payout.status !== "completed") throw new Failure("refused", "This payout was not paid yet.");
  const [shownPayout] = await showOwn(request, [payout]);
  return {
    number: `${account.public_id}-${payout.id}`,
    payer: { name: shownName(account) },
    payee: { name: promoterName(promoter), email: promoter.email, ...invoiceFieldsJson(promoter) },
    currency: account.currency,
    tax_amount: payout.total_incl_tax - payout.amount,
    payout: shownPayout,
  };
}

async function showDueStats({ account, promoter, context }: AffiliateRequest) {
  const found = await dueStats(context, account, { promoter_id: promoter.id });
  return { meta: ownTermsJson(account, promoter), data: dueStatsJson(found) };
}

/** The promoter's payout terms: the account's, unless the promoter has their own `net_payout_days`. */
export function ownTermsJson(account: Account, promoter: Promoter): z.output<typeof payoutTermsAnswer> {
  const netPayoutDays = promoter.net_payout_days ?? account.net_payout_days;
  return {
    ...payoutTermsJson({ ...account, net_payout_days: netPayoutDays }),
    selected_payout_methods: OWN_METHOD_NAMES,
  };
}
