import { z } from "zod";
import { UNITS } from "../../../domain/money.ts";
import { PAYOUT_STATUSES } from "../../../domain/ledger/payout/payout.ts";
import { listPayouts, type PayoutParts } from "../../../domain/ledger/payout/search.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, listOf, oneOf, text } from "../../../input/fields.ts";
import type { Found, Window } from "../../../storage/query.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../../embedded-json.ts";
import { pageParams, readListing, readPathId } from "../../../resource/listing.ts";
import { payoutMethodAnswer, payoutMethodJson } from "../../payout/payout-methods.ts";
import { setOffAnswer, setOffJson } from "../../payout/payouts.ts";
import {
  dueStatsAnswer,
  dueStatsJson,
  payoutTermsAnswer,
  payoutTermsJson,
} from "../../payout/payout-stats.ts";
import { ownExport, type AffiliateOperation, type AffiliateRequest } from "../operation.ts";
import { OWN_METHOD_NAMES } from "./payout-details.ts";
import { createdSecond, field, recordId, second, wholeSecond } from "../../../http/fields.ts";
import { shownName } from "../../../domain/program/account/brand.ts";
import { dueStats } from "../../../domain/ledger/payout/stats.ts";
import type { Account } from "../../../domain/program/account/account.ts";
import { promoterName, type Promoter } from "../../../domain/people/promoter/promoter.ts";
import { Failure } from "../../../failure.ts";
import { dayIn, timeZoneOf } from "../../../domain/program/account/time-zone.ts";
import { invoiceFields, invoiceFieldsJson } from "./invoice-details.ts";

/** A payout as its promoter sees it. */
const ownPayoutAnswer = z
  .object({
    id: recordId,
    status: field(z.enum(PAYOUT_STATUSES), "State of the record."),
    amount: field(z.int(), "The amount: cents for `cash`, whole units otherwise.", 2000),
    set_off: setOffAnswer,
    payments_batch_id: field(
      z.int().nullable(),
      "Id of the payments batch that it is part of, or null if it is in none.",
      null,
    ),
    tax_rate: field(z.number(), "Tax in percent.", 19),
    unit: field(z.enum(UNITS), "Unit of the amount.", "cash"),
    period_start: field(z.iso.date(), "First day of the period that is paid for."),
    period_end: field(z.iso.date(), "Last day of the period that is paid for."),
    due_date: field(z.iso.date(), "Day by which it must be paid, or null if there is none."),
    paid_at: field(second.nullable(), "When it was paid, or null if it was not yet."),
    processing_started_at: field(second.nullable(), "When the payment began, or null if it has not."),
    failed_at: field(second.nullable(), "When the payment failed, or null if it did not."),
    error: field(z.string().nullable(), "What went wrong, for people.", "Campaign 7 was not found"),
    total_incl_tax: field(z.int(), "The amount with tax.", 2380),
    created_at: createdSecond,
    payout_method: field(
      payoutMethodAnswer.nullable(),
      "How it is or was paid, or null if that is not known yet.",
    ),
    promoter: field(embeddedPromoter, "The promoter, or null if they were deleted."),
    campaign: field(embeddedCampaign.nullable(), "The campaign, or null if it was deleted."),
  })
  .meta({ id: "PortalPayout" });
type Answer = z.output<typeof ownPayoutAnswer>;

const filters = z
  .object(
    {
      status: field(oneOf(PAYOUT_STATUSES), "Only records with this status."),
      campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
      payments_batch_id: field(listOf(id), "Ids of the payments that they are part of.", [5]),
      group_ref: field(text, "The run that made the payouts.", "2026-02"),
    },
    "is invalid",
  )
  .partial()
  .default({});
const listParams = z.object({ filters: field(filters, "Only records that match."), ...pageParams.shape });

/** `GET /api/v2/affiliate/payouts` */
export const listOwnPayoutsOperation: AffiliateOperation = {
  id: "listOwnPayouts",
  summary: "List the promoter's payouts, newest first",
  description: "Lists the promoter's payouts, newest first.",
  params: listParams,
  answer: z.object({
    data: field(z.array(ownPayoutAnswer), "The records."),
    meta: field(payoutTermsAnswer, "Further data."),
  }),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { params, page, window } = readListing(request, listParams);
    const found = await find(request, params.filters, window);
    setPageHeaders(request, page, found.total);
    const data = found.records.map((parts) => ownPayoutJson(request, parts));
    return { data, meta: ownTermsJson(request.account, request.promoter) };
  },
};

/** `GET /api/v2/affiliate/payouts/export` */
export const exportOwnPayoutsOperation = ownExport({
  id: "exportOwnPayouts",
  noun: "payouts",
  note: "Amounts are in cents.",
  filters,
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
  async linesOf(request, given, window) {
    const { records } = await find(request, given, window);
    const shown = records.map((parts) => ownPayoutJson(request, parts));
    return shown.map(({ payout_method: method, campaign, ...each }) => ({
      ...each,
      payout_method: method?.method ?? "",
      campaign: campaign?.name ?? "",
    }));
  },
});

function find(
  { context, account, promoter }: AffiliateRequest,
  given: z.output<typeof filters>,
  window: Window,
): Promise<Found<PayoutParts>> {
  const { status, campaign_id: campaignIds, payments_batch_id: paymentsBatchIds, group_ref } = given;
  return listPayouts(context, account, {
    filter: { promoter_id: promoter.id, status, campaign_ids: campaignIds, paymentsBatchIds, group_ref },
    sorting: [{ by: "id", isDescending: true }],
    ...window,
  });
}

/** Shows a payout. Its method is fixed once the payment starts. */
function ownPayoutJson(
  { account, promoter }: Pick<AffiliateRequest, "account" | "promoter">,
  { payout, campaign, used: method }: PayoutParts,
): Answer {
  return {
    id: payout.id,
    status: payout.status,
    amount: payout.amount,
    ...setOffJson(payout),
    payments_batch_id: payout.payments_batch_id,
    tax_rate: payout.tax_rate_hundredths / 100,
    unit: payout.unit,
    period_start: dayIn(timeZoneOf(account), new Date(payout.period_start)),
    period_end: payout.period_end_date,
    due_date: payout.due_date,
    paid_at: wholeSecond(payout.paid_at),
    processing_started_at: wholeSecond(payout.processing_started_at),
    failed_at: wholeSecond(payout.failed_at),
    error: payout.error,
    total_incl_tax: payout.total_incl_tax,
    created_at: wholeSecond(payout.created_at),
    payout_method: method && payoutMethodJson(method),
    promoter: embeddedPromoterJson(promoter),
    campaign: campaign && embeddedCampaignJson(campaign),
  };
}

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
    payout: field(ownPayoutAnswer, "The payout that was paid."),
  })
  .meta({ id: "PayoutReceipt" });

/** `GET /api/v2/affiliate/payouts/{id}/receipt` */
export const payoutReceiptOperation: AffiliateOperation = {
  id: "getPayoutReceipt",
  summary: "Show the receipt of a payout",
  description: "Shows the receipt of a payout that was paid.",
  answer: receiptAnswer,
  refusals: ["not_found", "refused"],
  handle: showReceipt,
};

/** `GET /api/v2/affiliate/payouts/due_stats` */
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
  const filter = { ids: [readPathId(event)], promoter_id: promoter.id };
  const { records } = await listPayouts(context, account, { filter, sorting: [], limit: 1, offset: 0 });
  const [parts] = records;
  if (parts === undefined) throw new Failure("not_found", "Payout not found.");
  const { payout } = parts;
  if (payout.status !== "completed") throw new Failure("refused", "This payout was not paid yet.");
  return {
    number: `${account.public_id}-${payout.id}`,
    payer: { name: shownName(account) },
    payee: { name: promoterName(promoter), email: promoter.email, ...invoiceFieldsJson(promoter) },
    currency: account.currency,
    tax_amount: payout.total_incl_tax - payout.amount,
    payout: ownPayoutJson(request, parts),
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
