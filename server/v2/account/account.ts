import { z } from "zod";
import { isMailSender, updateAccount, type AccountChanges } from "../../domain/program/account/settings.ts";
import {
  accounts,
  commissionBase,
  PAYOUT_CYCLES,
  SIGNUP_SOURCES,
  signupSource,
  trackerNames,
  type Account,
} from "../../domain/program/account/account.ts";
import { timeZoneOf } from "../../domain/program/account/time-zone.ts";
import { hasMoney } from "../../domain/ledger/use.ts";
import { hasDays } from "../../domain/people/daily.ts";
import { WHOLE } from "../../domain/money.ts";
import { readJson } from "../../http/parameters/json.ts";
import { flag, oneOf, tenThousandths, text, wholeAmount, wholeNumber, word } from "../../input/fields.ts";
import { shapeChanges } from "../../input/shape.ts";
import { recordError, type V2Operation } from "../operation.ts";
import { LANGUAGES } from "../../languages/languages.ts";
import { parseUrl } from "../../url.ts";
import { createdAt, field } from "../../http/fields.ts";
import { shown } from "../../resource/answer.ts";

const cents = wholeAmount.refine((value) => value >= 0, "must not be negative");
const timeZone = field(
  word(100).refine(isTimeZone, "is not a time zone, such as Europe/Berlin"),
  "IANA name of the time zone of payout periods, holds and due dates. The dashboard shows days in it.",
  "Europe/Berlin",
);

const MAX_ORIGINS = 20;
/** An origin as browsers write it. Other text could inject directives into the `Content-Security-Policy` header. */
const origin = word(200)
  .transform((value) => parseUrl(value)?.origin ?? value)
  .refine((value) => /^https?:\/\/[\w.-]+(:\d+)?$/.test(value), "is not the address of a site");

const trackerBody = field(
  z
    .object({
      global: field(text, "The global function.", "svc"),
      data_global: field(
        text.nullable(),
        "A second global with the visitor id as `data.tid`, or null for none.",
        "FPROM",
      ),
      cookie: field(text, "The prefix of the cookies' names.", "_svc"),
      script: field(
        text.nullable(),
        "A second file name for the script, or null if `svc.js` is the only one.",
        "fpr.js",
      ),
      reads_fragment: field(
        flag,
        "Whether ref ids are also read from fragments, as in `#/pricing?via=jane`.",
      ),
    })
    .partial(),
  "The names by which pages use the browser script.",
);

const baseBody = field(
  z
    .object({
      less_tax: field(flag, "Whether tax is left out."),
      less_shipping: field(flag, "Whether shipping, without its tax, is left out."),
      fee_percentage: field(
        tenThousandths
          .refine((value) => value < WHOLE, "must be from 0 to less than 100")
          .meta({ documentedAs: { type: "number", minimum: 0, exclusiveMaximum: 100 } }),
        "A percentage of the rest that is left out for fees.",
        2.9,
      ),
    })
    .partial(),
  "What is left out of the amounts of sales that Stripe and Paddle report. It applies to later payments.",
);

const updateBody = z
  .object({
    name: field(word(200), "The company's name, which e-mails show.", "Acme"),
    currency: field(word(3), "ISO 4217 code of amounts. It can change only before there are any.", "EUR"),
    time_zone: timeZone,
    honours_privacy_control: field(
      flag,
      "Whether visitors whose browser sends Global Privacy Control are not tracked.",
    ),
    signup_source: field(
      oneOf(SIGNUP_SOURCES),
      "Where sign-ups come from. `both`: what your server says outranks what a page says. `server`: pages record only visits. `browser`: what a page says is final.",
    ),
    counts_social_clicks_as_ads: field(
      flag,
      "Whether visits with `fbclid` (Facebook, Instagram) or `epik` (Pinterest) count as visits from paid ads. These networks add them to links in ordinary posts, too.",
    ),
    requires_second_factor: field(
      flag,
      "Whether users can do nothing before they have set up a second factor.",
    ),
    mail_sender: field(
      word(300).refine(isMailSender, "is not an e-mail address").nullable(),
      "The sender of e-mails, or null for the server's usual one. If the operator does not allow its domain, it gets the replies, and the address stays the server's.",
      "Acme <partners@acme.example>",
    ),
    promoter_language: field(
      oneOf(LANGUAGES),
      "The language of invoices, and of e-mails to promoters who have not chosen one.",
      "de",
    ),
    max_auto_approve: field(
      cents.nullable(),
      "Cash commissions above this amount wait for approval. Null for no limit.",
      50000,
    ),
    commission_base: baseBody,
    payout_cycle: field(oneOf(PAYOUT_CYCLES), "The period of a payout."),
    net_payout_days: field(
      wholeNumber(0, 365),
      "Days from the end of a payout's period to its due date.",
      30,
    ),
    min_payment: field(cents, "Cash payouts of a promoter below this amount wait for the next period.", 5000),
    min_paying_customers: field(cents, "Promoters with fewer active customers are not paid yet.", 1),
    requires_payout_method: field(
      flag,
      "Whether promoters are paid only after they have chosen a payout method.",
    ),
    requires_invoice_details: field(flag, "Whether promoters are paid only with approved invoice details."),
    portal_origins: field(
      z.array(origin, "is invalid").max(MAX_ORIGINS, `is too long (maximum is ${MAX_ORIGINS} entries)`),
      "Your sites that may show the portal in a frame.",
      ["https://app.example.com"],
    ),
    tracker: trackerBody,
  })
  .partial();

const accountAnswer = shown(accounts)("Account", {
  id: [
    field(
      z.string(),
      "The public id of the account: the `Account-ID` of keys, and the script's `cid`.",
      "acme",
    ),
    ({ public_id }) => public_id,
  ],
  name: field(z.string(), updateBody.shape.name),
  default_campaign_id: field(z.int(), "The campaign that promoters join unless another one is named.", 1),
  currency: field(z.string(), "ISO 4217 code of amounts.", "USD"),
  time_zone: [
    field(
      z.string(),
      "IANA name of the time zone of payout periods, holds and due dates. The dashboard shows days in it.",
      "Europe/Berlin",
    ),
    timeZoneOf,
  ],
  honours_privacy_control: field(z.boolean(), updateBody.shape.honours_privacy_control),
  signup_source: [field(z.enum(SIGNUP_SOURCES), updateBody.shape.signup_source), signupSource],
  counts_social_clicks_as_ads: [
    field(z.boolean(), updateBody.shape.counts_social_clicks_as_ads),
    ({ counts_social_clicks_as_ads: counts }) => counts ?? false,
  ],
  requires_second_factor: [
    field(z.boolean(), updateBody.shape.requires_second_factor),
    ({ requires_second_factor: requires }) => requires ?? false,
  ],
  mail_sender: field(z.string().nullable(), updateBody.shape.mail_sender),
  promoter_language: [
    field(z.enum(LANGUAGES), updateBody.shape.promoter_language),
    ({ promoter_language: language }) => language ?? "en",
  ],
  max_auto_approve: [
    field(z.int().nullable(), updateBody.shape.max_auto_approve),
    ({ max_auto_approve_cents }) => max_auto_approve_cents,
  ],
  commission_base: [
    field(
      z.object({
        less_tax: field(z.boolean(), "Whether tax is left out."),
        less_shipping: field(z.boolean(), "Whether shipping, without its tax, is left out."),
        fee_percentage: field(z.number(), "A percentage of the rest that is left out for fees.", 2.9),
      }),
      "What is left out of the amounts of sales that Stripe and Paddle report. It applies to later payments.",
    ),
    baseJson,
  ],
  payout_cycle: field(z.enum(PAYOUT_CYCLES), "The period of a payout."),
  net_payout_days: field(z.int(), updateBody.shape.net_payout_days),
  min_payment: [field(z.int(), updateBody.shape.min_payment), ({ min_payment_cents }) => min_payment_cents],
  min_paying_customers: field(z.int(), updateBody.shape.min_paying_customers),
  requires_payout_method: field(z.boolean(), updateBody.shape.requires_payout_method),
  requires_invoice_details: field(z.boolean(), updateBody.shape.requires_invoice_details),
  portal_origins: [
    field(z.array(z.string()), updateBody.shape.portal_origins),
    ({ portal_origins: origins }) => origins ?? [],
  ],
  tracker: [
    field(
      z.object({
        global: field(z.string(), "The global function.", "svc"),
        data_global: field(
          z.string().nullable(),
          "A second global with the visitor id as `data.tid`, or null for none.",
          "FPROM",
        ),
        cookie: field(z.string(), "The prefix of the cookies' names.", "_svc"),
        script: field(
          z.string().nullable(),
          "A second file name for the script, or null if `svc.js` is the only one.",
          "fpr.js",
        ),
        reads_fragment: field(
          z.boolean(),
          "Whether ref ids are also read from fragments, as in `#/pricing?via=jane`.",
        ),
      }),
      "The names by which pages use the browser script.",
    ),
    trackerNames,
  ],
  created_at: createdAt,
});

function baseJson(account: Account) {
  const { is_less_tax, is_less_shipping, fee_ten_thousandths } = commissionBase(account);
  return {
    less_tax: is_less_tax,
    less_shipping: is_less_shipping,
    fee_percentage: fee_ten_thousandths / 10_000,
  };
}

export const showAccountOperation: V2Operation = {
  id: "getAccount",
  summary: "Show the account's settings",
  description: "Shows the account's settings.",
  answer: accountAnswer.schema,
  handle: ({ account }) => Promise.resolve(accountAnswer.json(account)),
};

export const updateAccountOperation: V2Operation = {
  id: "updateAccount",
  summary: "Change the account's settings",
  description: "Changes the account's settings, all or none. What you leave out stays.",
  example: { name: "Acme", time_zone: "Europe/Berlin" },
  body: updateBody,
  answer: accountAnswer.schema,
  refusals: ["invalid", "taken", "refused"],
  shape: recordError({ "data-global": "data_global" }),
  handle: async ({ event, account, context }) => {
    const body = shapeChanges(updateBody, await readJson(event));
    const changes = changesOf(body);
    return accountAnswer.json(
      await context.store.transact((tx) => updateAccount(tx, context, account.id, changes)),
    );
  },
};

function changesOf(body: z.output<typeof updateBody>): AccountChanges {
  const { tracker, commission_base: base } = body;
  return {
    name: body.name,
    currency: body.currency === undefined ? undefined : { code: body.currency, hasMoney },
    time_zone: body.time_zone === undefined ? undefined : { name: body.time_zone, hasDays },
    honours_privacy_control: body.honours_privacy_control,
    signup_source: body.signup_source,
    counts_social_clicks_as_ads: body.counts_social_clicks_as_ads,
    requires_second_factor: body.requires_second_factor,
    mail_sender: body.mail_sender,
    promoter_language: body.promoter_language,
    max_auto_approve_cents: body.max_auto_approve,
    portal_origins: body.portal_origins,
    payout: {
      payout_cycle: body.payout_cycle,
      net_payout_days: body.net_payout_days,
      min_payment_cents: body.min_payment,
      min_paying_customers: body.min_paying_customers,
      requires_payout_method: body.requires_payout_method,
      requires_invoice_details: body.requires_invoice_details,
    },
    base: base && {
      is_less_tax: base.less_tax,
      is_less_shipping: base.less_shipping,
      fee_ten_thousandths: base.fee_percentage,
    },
    tracker,
  };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false; // an unknown name is a validation error
  }
}
