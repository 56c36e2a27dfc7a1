import { z } from "zod";
import type { Account } from "../../domain/program/account/account.ts";
import { createdBy, type Context } from "../../domain/context.ts";
import {
  annotateCommission,
  createCommission,
  destroyCommission,
} from "../../domain/ledger/commission/changes.ts";
import {
  COMMISSION_TYPES,
  type CommissionNotes,
  type CommissionStatus,
} from "../../domain/ledger/commission/commission.ts";
import { UNITS } from "../../domain/money.ts";
import { BILLING_PERIODS } from "../../domain/ledger/sale/sale.ts";
import { recordSale } from "../../domain/ledger/sale/new-sale.ts";
import { unlessWaiting } from "../../domain/ledger/sale/waiting.ts";
import { readJson } from "../../http/parameters/json.ts";
import { saleAmount, saleParams } from "../../input/event-params.ts";
import { flag, id, instant, longText, oneOf, text, wholeAmount } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { changes } from "../../resource/operations.ts";
import type { Transaction } from "../../storage/store.ts";
import { commissionAnswer } from "./commissions.ts";
import { field } from "../../http/fields.ts";
import { runBatch } from "../../domain/batch.ts";
import { changeCommissionStatus, setFulfilment } from "../../domain/ledger/commission/review.ts";
import type { Introduced } from "../../http/operation.ts";
import { batchOperation } from "../batch/batch-processes.ts";

const commonBody = z.object({
  commission_type: field(oneOf(COMMISSION_TYPES), commissionAnswer.schema.shape.commission_type),
  event_id: field(text.optional(), "Your own id of the sale. Default: a new one.", "order-1001"),
  event_date: field(instant.optional(), "The day that it counts on. Default: today.", "2026-03-01"),
  internal_note: field(longText.optional(), commissionAnswer.schema.shape.internal_note),
  external_note: field(longText.optional(), commissionAnswer.schema.shape.external_note),
  billing_period: field(oneOf(BILLING_PERIODS).optional(), "How often the sold plan is paid.", "monthly"),
  notify_promoter: field(
    flag.optional(),
    "Whether the promoter gets an e-mail, if the campaign sends `new_commission`. Default: `false`.",
  ),
});
const saleBody = commonBody.extend({
  referral_id: field(id, "Id of the lead who bought something.", 204),
  sale_amount: field(saleAmount, "What was sold, in cents.", 10000),
  currency: saleParams.shape.currency,
  quantity: saleParams.shape.quantity,
  plan_id: field(text.optional(), "The sold price or plan, by your own id.", "pro-monthly"),
});
const customBody = commonBody.extend({
  promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
  amount: field(wholeAmount, "The amount: cents for `cash`, whole units otherwise.", 2000),
  unit: field(oneOf(UNITS).default("cash"), "Unit of the amount.", "cash"),
});
/** The fields of both kinds, for the OpenAPI document. */
const createBody = saleBody.extend(customBody.shape).partial().required({ commission_type: true });

const updateBody = z
  .object({
    internal_note: field(longText.nullable(), commissionAnswer.schema.shape.internal_note),
    external_note: field(longText.nullable(), commissionAnswer.schema.shape.external_note),
  })
  .partial();

/** @see docs/spec/v2.md "Create a commission" */
export const createCommissionOperation: V2Operation = {
  id: "createCommission",
  summary: "Give a promoter a commission",
  description:
    "Gives a promoter a commission. `custom` gives an exact `amount` to a `promoter_campaign_id`. `sale` gives what a sale of `sale_amount` to a `referral_id` earns, for each tier and each part of a split.",
  example: {
    commission_type: "custom",
    promoter_campaign_id: 17,
    amount: 2000,
    external_note: "Thank you for the talk",
  },
  body: createBody,
  answer: z.array(commissionAnswer.schema),
  refusals: ["not_found", "invalid", "already_registered", "refused", "rule_broken", "worthless"],
  handle: create,
};

export const updateCommissionOperation: V2Operation = changes(commissionAnswer, {
  id: "updateCommission",
  summary: "Change the notes on a commission",
  description: "Changes the notes on a commission. What you leave out stays.",
  example: { internal_note: "Checked by phone" },
  body: updateBody,
  refusals: ["not_found", "invalid", "refused"],
  run: (tx, { account, context }, given) => annotateCommission(tx, context, account.id, given),
});

/** `unit` applies only to `custom`: a commission of a sale has the unit of its reward. */
async function create({ event, account, context }: V2Request) {
  const input = await readJson(event);
  const { commission_type: type } = shapeInput(createBody.pick({ commission_type: true }), input);
  return type === "sale"
    ? createOfSale(context, account, shapeInput(saleBody, input))
    : createCustom(context, account, shapeInput(customBody, input));
}

/**
 * Records a sale that the client's systems did not report. Without an `event_id` it gets a new one, so that it can be
 * refunded.
 */
function createOfSale(context: Context, account: Account, body: z.output<typeof saleBody>) {
  const noCustomer = { uid: null, email: null, tid: null, ref_token: null, promoCode: null };
  const sale = {
    customer: { ...noCustomer, lead_id: body.referral_id },
    event_id: body.event_id ?? `manual-${context.chance.uuid()}`,
    amount: body.sale_amount,
    currency: body.currency ?? null,
    quantity: body.quantity ?? 1,
    plan_id: body.plan_id ?? null,
    billing_period: body.billing_period ?? null,
    mrr: null,
    subscription_id: null,
    created_at: body.event_date ?? null,
    skip_email_notification: !(body.notify_promoter ?? false),
    instalments: null,
    notes: { ...notesOf(body), ...createdBy(context) },
  };
  return context.store.transact(async (tx) => {
    const { commissions } = unlessWaiting(await recordSale(tx, context, account, sale));
    return commissionAnswer.showAll(tx.view, commissions);
  });
}

function createCustom(context: Context, account: Account, body: z.output<typeof customBody>) {
  const custom = {
    earner: { promoter_campaign_id: body.promoter_campaign_id },
    given: {
      unit: body.unit,
      amount: body.amount,
      status: "approved" as const,
      event_id: body.event_id ?? null,
      billing_period: body.billing_period ?? null,
      ...(!(body.notify_promoter ?? false) && { is_silent: true as const }),
      ...notesOf(body),
    },
    created_at: body.event_date ?? null,
  };
  return context.store.transact(async (tx) => [
    await commissionAnswer.show(tx.view, await createCommission(tx, context, account.id, custom)),
  ]);
}

function notesOf(body: z.output<typeof commonBody>): CommissionNotes {
  return { internal_note: body.internal_note ?? null, external_note: body.external_note ?? null };
}

/** Changes one commission of a batch. */
type Work = (tx: Transaction, context: Context, accountId: number, id: number) => Promise<unknown>;

/** The batches under `/api/v2/company/commissions`, by the last part of their path. */
export const COMMISSION_BATCHES: Record<string, V2Operation> = {
  approve: commissionBatch("approve", {
    id: "approveCommissions",
    summary: "Approve commissions",
    description: "Approves commissions, so that the next payout pays them. Paid ones stay as they are.",
    work: setStatus("approved"),
  }),
  deny: commissionBatch("deny", {
    id: "denyCommissions",
    summary: "Deny commissions",
    description: "Denies commissions, so that they are not paid. Paid ones stay as they are.",
    work: setStatus("denied"),
  }),
  mark_fulfilled: commissionBatch("mark_fulfilled", {
    id: "markCommissionsFulfilled",
    summary: "Mark credits and other units as given to the promoters",
    description: "Records that promoters got rewards other than money: credits, points, months, discounts.",
    work: (tx, context, accountId, id) => setFulfilment(tx, context, accountId, { id, isFulfilled: true }),
  }),
  mark_unfulfilled: commissionBatch("mark_unfulfilled", {
    id: "markCommissionsUnfulfilled",
    summary: "Mark credits and other units as not given",
    description: "Records that promoters did not get them after all.",
    work: (tx, context, accountId, id) => setFulfilment(tx, context, accountId, { id, isFulfilled: false }),
  }),
};

export const destroyCommissionsOperation = commissionBatch("destroy", {
  id: "destroyCommissions",
  summary: "Delete commissions",
  description: "Deletes commissions, with those that take them back. Paid ones stay as they are.",
  work: destroyCommission,
});

function setStatus(status: CommissionStatus): Work {
  return (tx, context, accountId, id) =>
    changeCommissionStatus(tx, context, accountId, { selector: { id, event_id: null }, status });
}

function commissionBatch(name: string, { work, ...texts }: Introduced & { work: Work }): V2Operation {
  return batchOperation(texts, ({ account, context }, given) => {
    // Lists are newest first. A commission that takes another one back is usually newer, so it goes after that one.
    const ids = given.toSorted((a, b) => a - b);
    const label = `commission/${name}`;
    const one = (id: number) => context.store.transact((tx) => work(tx, context, account.id, id));
    return runBatch(context, account.id, { label, ids, work: one });
  });
}
