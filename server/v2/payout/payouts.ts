import { z } from "zod";
import {
  groupPayouts,
  UNPAYABLE_REASONS,
  INVOICEABLE,
  type PayoutGroup,
} from "../../domain/ledger/payout/groups.ts";
import {
  DUE_PERIODS,
  isDue,
  isPaidBy,
  isPayable,
  ofPromoters,
  ofPromoterWith,
  payoutParts,
  type PayoutScope,
} from "../../domain/ledger/payout/search.ts";
import { PAYOUT_METHODS } from "../../domain/ledger/payout-method/payout-method.ts";
import {
  PAYOUT_STATUSES,
  payouts,
  type Payout,
  type PayoutStatus,
} from "../../domain/ledger/payout/payout.ts";
import { UNITS } from "../../domain/money.ts";
import { FRAUD_SUSPICIONS } from "../../domain/people/lead/lead.ts";
import { INVOICE_DETAILS_STATUSES } from "../../domain/people/promoter/promoter.ts";
import { isSuspect } from "../../domain/people/promoter/search.ts";
import { invoiceDetailFaults } from "../../domain/people/vat-number.ts";
import { createdSecond, field, recordId, second } from "../../http/fields.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { flag, id, listOf, oneOf, text } from "../../input/fields.ts";
import { shown } from "../../resource/answer.ts";
import { EVERY, ids, listed } from "../../resource/list.ts";
import { pageParams, period, readListing } from "../../resource/listing.ts";
import { lists } from "../../resource/operations.ts";
import { anyOf } from "../../storage/query.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { NO_DETAILS, payoutMethodAnswer } from "./payout-methods.ts";

/** Rows of a payout that its promoter sees, too. */
export const termRows = {
  set_off: [
    field(
      z.array(
        z.object({
          campaign_id: field(z.int(), "Id of the campaign in which the promoter owed.", 2),
          amount: field(z.int(), "What was paid back, in the unit of the payout.", 500),
        }),
      ),
      "What the payout pays back of debts in other campaigns. Its amount is less by it. Missing: nothing.",
    ).optional(),
    ({ set_offs }: Payout) => set_offs?.map(({ campaign_id, amount }) => ({ campaign_id, amount })),
  ],
  payments_batch_id: field(
    z.int().nullable(),
    "Id of the payments batch that it is part of, or null if it is in none.",
    null,
  ),
  tax_rate: [
    field(z.number(), "Tax in percent.", 19),
    ({ tax_rate_hundredths }: Payout) => tax_rate_hundredths / 100,
  ],
  unit: field(z.enum(UNITS), "Unit of the amount.", "cash"),
} as const;

/** Rows about the payment, for company and promoter. */
export const paymentRows = {
  paid_at: field(second.nullable(), "When it was paid, or null if it was not yet."),
  processing_started_at: field(second.nullable(), "When the payment began, or null if it has not."),
  failed_at: field(second.nullable(), "When the payment failed, or null if it did not."),
};

/** @see docs/spec/v2.md "Payout" */
export const payoutAnswer = shown(payouts, payoutParts)("Payout", {
  id: recordId,
  status: field(z.enum(PAYOUT_STATUSES), "State of the record."),
  amount: field(z.number(), "The amount: cents for `cash`, whole units otherwise.", 2000),
  ...termRows,
  period_start: field(second, "First moment of the period that is paid for."),
  period_end: field(second, "Last moment of the period that is paid for."),
  ...paymentRows,
  error: field(z.string().nullable(), "Why the payment failed, how much of it came back, or null.", null),
  total_incl_tax: field(z.number(), "The amount with tax.", 2380),
  created_at: createdSecond,
  payout_method: [
    field(
      payoutMethodAnswer.schema.nullable(),
      "How the promoter is paid, or null if they have not chosen yet.",
    ),
    ({ payout_method_id }, { used, selected }) => {
      const method = payout_method_id === null ? selected : used;
      return method && payoutMethodAnswer.json(method);
    },
  ],
  promoter: [
    field(embeddedPromoter, "The promoter, or null if they were deleted."),
    (_, { promoter }) => embeddedPromoterJson(promoter),
  ],
  campaign: [
    field(embeddedCampaign, "The campaign, or null if it was deleted."),
    (_, { campaign }) => embeddedCampaignJson(campaign),
  ],
});
type PayoutJson = z.output<typeof payoutAnswer.schema>;
const { shape } = payoutAnswer.schema;

const search = field(text.optional(), "Text to search for in names and e-mail addresses.", "jane");
const status = field(oneOf(PAYOUT_STATUSES), "Only records with this status.");
const campaign_id = field(listOf(id), "Ids of the campaigns.", [1]);

/** @see docs/spec/v2.md "List payouts" */
const payoutList = listed(payouts)({
  params: {
    q: [search, (wanted, { account }) => ofPromoterWith(account.id, wanted)],
    ids,
  },
  filters: {
    status,
    campaign_id,
    payments_batch_id: field(listOf(id), "Ids of the payments that they are part of.", [5]),
    due_period: [
      field(
        oneOf(DUE_PERIODS),
        "`next`: at the coming due date. `overdue`: past it. `custom`: promoters with their own terms.",
      ),
      (wanted, { account, today, filters }) =>
        isDue(account.id, { period: wanted, today, ...dueAmong(filters) }),
    ],
    period_start: field(period, shape.period_start),
    period_end: field(period, shape.period_end),
    payout_method: [field(oneOf([...PAYOUT_METHODS, "not_set"]), "How the promoter is paid."), isPaidBy],
    promoter_id: field(id, "Id of the promoter.", 17),
    only_payable: [
      field(flag, "`true`: only what can be paid now."),
      (wanted, { account }) => (wanted ? isPayable(account) : EVERY),
    ],
    group_ref: field(text, "The run that made the payouts.", "2026-02"),
    fraud_suspicions: [
      field(
        listOf(oneOf([...FRAUD_SUSPICIONS, "no_suspicion"])),
        "Promoters with any of these suspicions. `no_suspicion`: those with none.",
      ),
      (wanted, { account }) => ofPromoters(account.id, anyOf(wanted.map(isSuspect))),
    ],
  },
  sorting: {
    amount: "By amount.",
    period_start: "By the start of the period.",
    period_end: "By the end of the period.",
  },
});

/** The next due date is that of the payouts with the wanted status in the wanted campaigns. */
function dueAmong({ status, campaign_id }: Record<string, unknown>): Omit<PayoutScope, "text"> {
  return { status: status as PayoutStatus | undefined, campaign_ids: campaign_id as number[] | undefined };
}

/** @see docs/spec/v2.md "List payouts" */
export const listPayoutsOperation: V2Operation = lists(payoutAnswer, {
  id: "listPayouts",
  summary: "List payouts",
  description:
    "Lists payouts, with filters and sorting. A payout is what a promoter is paid for one campaign and period.",
  list: payoutList,
});

/** @see docs/spec/v2.md "Grouped payouts" */
const groupAnswer = z
  .object({
    promoter: field(
      embeddedPromoter.extend({
        invoice_details_status: field(
          z.enum(INVOICE_DETAILS_STATUSES),
          "Whether the promoter's invoice details are approved.",
        ),
        fraud_suspicions: field(
          z.array(z.string()),
          "Why the promoter is suspected of fraud. Empty if they are not.",
          ["same_ip_suspicion"],
        ),
        profile: field(
          z.object({
            invoice_details_validation_errors: field(
              z.record(z.string(), z.unknown()),
              "Errors in the invoice details, by field.",
              {},
            ),
          }),
          "The part of the promoter's profile that matters for invoices.",
        ),
      }),
      "The promoter, or null if they were deleted.",
    ),
    payout_method: field(
      payoutMethodAnswer.schema.nullable(),
      "How the promoter is paid, or null if they have not chosen yet.",
    ),
    payouts: field(z.array(payoutAnswer.schema), "The promoter's payouts."),
    is_amount_payable: field(z.boolean(), "Whether the promoter can be paid now."),
    not_payable_because: field(
      z.string().nullable(),
      "Why the payouts can't be paid yet, or null if they can.",
      "The payout method is disabled",
    ),
    payout_ids: field(z.array(z.int()), "Ids of the promoter's payouts.", [88]),
    amount: field(z.number(), "The amount: cents for `cash`, whole units otherwise.", 2000),
    total_incl_tax: field(z.number(), "The amount with tax.", 2380),
  })
  .meta({ id: "PayoutGroup" });

/** @see docs/spec/v2.md "List payouts grouped by promoters" */
const groupParams = z.object({
  q: search,
  filters: field(
    z
      .object(
        {
          status,
          campaign_id,
          min_payment: field(
            z
              .string("is invalid")
              .trim()
              .regex(/^\d{1,15}$/, "is invalid")
              .transform(Number)
              .meta({ documentedAs: { type: "integer", minimum: 0 } }),
            "Cash payouts of a promoter below this amount wait for the next period.",
            5000,
          ),
          invoiceable: field(oneOf(INVOICEABLE), "Whether the promoter's invoice details are approved."),
        },
        "is invalid",
      )
      .partial()
      .default({}),
    "Only records that match.",
  ),
  include_payout_method_details: field(
    flag.optional(),
    "`true` shows the accounts and wallets that money goes to.",
  ),
  ...pageParams.shape,
});

/** @see docs/spec/v2.md "List payouts grouped by promoters" */
export const groupPayoutsOperation: V2Operation = {
  id: "groupPayoutsByPromoters",
  summary: "List payouts by promoter",
  description:
    "Lists payouts promoter by promoter, with sums. `meta` covers every payout that matches the filters, not only the page.",
  params: groupParams,
  answer: z.object({
    data: field(z.array(groupAnswer), "The records."),
    meta: field(
      z.object({
        total: field(z.number(), "Sum of the cash amounts, in cents.", 2000),
        promoters_count: field(z.int(), "How many promoters they belong to.", 8),
        total_incl_tax: field(z.number(), "Sum of the cash amounts with tax, in cents.", 2380),
        due_date: field(z.iso.date().nullable(), "Day by which it must be paid, or null if there is none."),
        period_end: field(
          z.iso.date().nullable(),
          "Last day of the next period that is paid for, or null if there is none.",
        ),
      }),
      "Further data.",
    ),
  }),
  isPaged: true,
  refusals: ["invalid"],
  handle: group,
};

async function group(request: V2Request) {
  const { account, context } = request;
  const { params, page, window } = readListing(request, groupParams);
  const { q, filters, include_payout_method_details: withDetails } = params;
  const found = await groupPayouts(context, account, {
    filter: {
      text: q,
      status: filters.status,
      campaign_ids: filters.campaign_id,
      min_payment_cents: filters.min_payment,
      invoiceable: filters.invoiceable,
    },
    ...window,
  });
  setPageHeaders(request, page, found.promotersCount);
  const payouts = await payoutAnswer.showAll(
    context.store,
    found.groups.flatMap((each) => each.payouts),
  );
  const shownById = new Map(payouts.map((payout) => [payout.id, payout]));
  return {
    data: found.groups.map((each) => groupJson(each, { shownById, withDetails })),
    meta: {
      total: found.cents,
      promoters_count: found.promotersCount,
      total_incl_tax: found.centsInclTax,
      due_date: found.due?.due_date ?? null,
      period_end: found.due?.period_end_date ?? null,
    },
  };
}

function groupJson(
  each: PayoutGroup,
  {
    shownById,
    withDetails = false,
  }: { shownById: Map<number, PayoutJson>; withDetails?: boolean | undefined },
): z.output<typeof groupAnswer> {
  const { promoter, selected } = each.payee;
  const method = selected && payoutMethodAnswer.json(selected);
  const payouts = each.payouts.flatMap(({ id }) => shownById.get(id) ?? []);
  return {
    promoter: {
      ...embeddedPromoterJson(promoter),
      invoice_details_status: promoter.invoice_details_status,
      fraud_suspicions: promoter.fraud_suspicions,
      profile: { invoice_details_validation_errors: invoiceDetailFaults(promoter.profile) },
    },
    payout_method: withDetails ? method : withoutDetails(method),
    payouts: withDetails
      ? payouts
      : payouts.map((payout) => ({ ...payout, payout_method: withoutDetails(payout.payout_method) })),
    is_amount_payable: each.unpayableReason === null,
    not_payable_because: each.unpayableReason && UNPAYABLE_REASONS[each.unpayableReason],
    payout_ids: payouts.map(({ id }) => id),
    amount: each.cents,
    total_incl_tax: each.centsInclTax,
  };
}

/** Details are shown only with `include_payout_method_details`. */
function withoutDetails<M extends z.output<typeof payoutMethodAnswer.schema> | null>(method: M): M {
  return method && { ...method, details: NO_DETAILS };
}
