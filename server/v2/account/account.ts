import { z } from "zod";
import { isMailSender, updateAccount, type AccountChanges } from "../../domain/account/settings.ts";
import { commissionBase, PAYOUT_CYCLES, trackerNames, type Account } from "../../domain/account/account.ts";
import { timeZoneOf } from "../../domain/account/time-zone.ts";
import { WHOLE } from "../../domain/money/money.ts";
import { readJson } from "../../http/parameters/json.ts";
import { flag, oneOf, tenThousandths, text, wholeAmount, wholeNumber, word } from "../../input/fields.ts";
import { shapeChanges } from "../../input/shape.ts";
import type { V2Operation } from "../operation.ts";
import { recordError } from "../record-error.ts";
import { parseUrl } from "../../url.ts";

const cents = wholeAmount.refine((value) => value >= 0, "must not be negative");
const timeZone = word(100).refine(isTimeZone, "is not a time zone, such as Europe/Berlin");

const MAX_ORIGINS = 20;
/** Written as browsers write origins. Anything else could change the policy that names it. */
const origin = word(200)
  .transform((value) => parseUrl(value)?.origin ?? value)
  .refine((value) => /^https?:\/\/[\w.-]+(:\d+)?$/.test(value), "is not the address of a site");

const trackerBody = z
  .object({
    global: text,
    data_global: text.nullable(),
    cookie: text,
    script: text.nullable(),
    reads_fragment: flag,
  })
  .partial();

const baseBody = z
  .object({
    less_tax: flag,
    less_shipping: flag,
    fee_percentage: tenThousandths
      .refine((value) => value < WHOLE, "must be from 0 to less than 100")
      .meta({ documentedAs: { type: "number", minimum: 0, exclusiveMaximum: 100 } }),
  })
  .partial();

const updateBody = z
  .object({
    name: word(200),
    currency: word(3),
    time_zone: timeZone,
    honours_privacy_control: flag,
    requires_second_factor: flag,
    mail_sender: word(300).refine(isMailSender, "is not an e-mail address").nullable(),
    max_auto_approve: cents.nullable(),
    commission_base: baseBody,
    payout_cycle: oneOf(PAYOUT_CYCLES),
    net_payout_days: wholeNumber(0, 365),
    min_payment: cents,
    min_paying_customers: cents,
    requires_payout_method: flag,
    requires_invoice_details: flag,
    portal_origins: z
      .array(origin, "is invalid")
      .max(MAX_ORIGINS, `is too long (maximum is ${MAX_ORIGINS} entries)`),
    tracker: trackerBody,
  })
  .partial();

const accountAnswer = z
  .object({
    id: z.string(),
    name: z.string(),
    default_campaign_id: z.int(),
    currency: z.string(),
    time_zone: z.string(),
    honours_privacy_control: z.boolean(),
    requires_second_factor: z.boolean(),
    mail_sender: z.string().nullable(),
    max_auto_approve: z.int().nullable(),
    commission_base: z.object({
      less_tax: z.boolean(),
      less_shipping: z.boolean(),
      fee_percentage: z.number(),
    }),
    payout_cycle: z.enum(PAYOUT_CYCLES),
    net_payout_days: z.int(),
    min_payment: z.int(),
    min_paying_customers: z.int(),
    requires_payout_method: z.boolean(),
    requires_invoice_details: z.boolean(),
    portal_origins: z.array(z.string()),
    tracker: z.object({
      global: z.string(),
      data_global: z.string().nullable(),
      cookie: z.string(),
      script: z.string().nullable(),
      reads_fragment: z.boolean(),
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Account" });

/** `GET /api/v2/company/account` */
export const showAccountOperation: V2Operation = {
  summary: "Show the account's settings",
  answer: accountAnswer,
  handle: ({ account }) => Promise.resolve(accountJson(account)),
};

/** `PUT` and `PATCH /api/v2/company/account` */
export const updateAccountOperation: V2Operation = {
  summary: "Change the account's settings",
  body: updateBody,
  answer: accountAnswer,
  refusals: ["invalid", "taken", "refused"],
  shape: recordError({ "data-global": "data_global" }),
  handle: async ({ event, account, context }) => {
    const body = shapeChanges(updateBody, await readJson(event));
    return accountJson(await updateAccount(context, account.id, changesOf(body)));
  },
};

function changesOf(body: z.output<typeof updateBody>): AccountChanges {
  const { tracker, commission_base: base } = body;
  return {
    name: body.name,
    currency: body.currency,
    timeZone: body.time_zone,
    honoursPrivacyControl: body.honours_privacy_control,
    requiresSecondFactor: body.requires_second_factor,
    mailSender: body.mail_sender,
    maxAutoApproveCents: body.max_auto_approve,
    portalOrigins: body.portal_origins,
    payout: {
      payoutCycle: body.payout_cycle,
      netPayoutDays: body.net_payout_days,
      minPaymentCents: body.min_payment,
      minPayingCustomers: body.min_paying_customers,
      requiresPayoutMethod: body.requires_payout_method,
      requiresInvoiceDetails: body.requires_invoice_details,
    },
    base: base && {
      isLessTax: base.less_tax,
      isLessShipping: base.less_shipping,
      feeTenThousandths: base.fee_percentage,
    },
    tracker: tracker && {
      global: tracker.global,
      dataGlobal: tracker.data_global,
      cookie: tracker.cookie,
      script: tracker.script,
      readsFragment: tracker.reads_fragment,
    },
  };
}

function accountJson(account: Account): z.output<typeof accountAnswer> {
  const { global, dataGlobal, cookie, script, readsFragment } = trackerNames(account);
  const { isLessTax, isLessShipping, feeTenThousandths } = commissionBase(account);
  return {
    id: account.publicId,
    name: account.name,
    default_campaign_id: account.defaultCampaignId,
    currency: account.currency,
    time_zone: timeZoneOf(account),
    honours_privacy_control: account.honoursPrivacyControl,
    requires_second_factor: account.requiresSecondFactor ?? false,
    mail_sender: account.mailSender,
    max_auto_approve: account.maxAutoApproveCents,
    commission_base: {
      less_tax: isLessTax,
      less_shipping: isLessShipping,
      fee_percentage: feeTenThousandths / 10_000,
    },
    payout_cycle: account.payoutCycle,
    net_payout_days: account.netPayoutDays,
    min_payment: account.minPaymentCents,
    min_paying_customers: account.minPayingCustomers,
    requires_payout_method: account.requiresPayoutMethod,
    requires_invoice_details: account.requiresInvoiceDetails,
    portal_origins: account.portalOrigins ?? [],
    tracker: { global, data_global: dataGlobal, cookie, script, reads_fragment: readsFragment },
    created_at: account.createdAt,
  };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false; // an unknown name is a fault of the field
  }
}
