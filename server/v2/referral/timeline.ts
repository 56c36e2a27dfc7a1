import { z } from "zod";
import { loadLead } from "../../domain/people/lead/search.ts";
import { loadTimeline, type TimelineEntry } from "../../domain/reports/timeline.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { shapeInput } from "../../input/shape.ts";
import { embeddedPromoter, embeddedPromoterJson } from "../embedded-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { findParams, pathId, readSelector } from "./referrals.ts";
import { field } from "../../http/fields.ts";

const KINDS = ["click", "signup", "sale", "refund", "commission", "payout", "cancellation"] as const;

const optionalText = z.string().nullable();

const entryAnswer = z
  .object({
    kind: field(z.enum(KINDS), "What happened."),
    at: field(
      z.iso.datetime().nullable(),
      "When it happened, or null for a click whose visitor has expired.",
    ),
    id: field(z.int().nullable(), "Id of the sale, the refund, the commission or the payout.", 12),
    event_id: field(optionalText, "Your own id of the sale or the refund.", "inv_1001"),
    amount: field(z.int().nullable(), "The amount: cents for `cash`, whole units otherwise.", 10000),
    unit: field(optionalText, "Unit of the amount.", "cash"),
    original_amount: field(z.int().nullable(), "The amount in the sale's own currency.", 10000),
    original_currency: field(optionalText, "The sale's own currency, or null if it is the account's.", null),
    refundable_amount: field(
      z.int().nullable(),
      "What is left of a sale after its refunds, in its own currency.",
      7500,
    ),
    status: field(optionalText, "Status of the commission or the payout.", "approved"),
    plan_id: field(optionalText, "The sold price or plan, by your own id.", "pro-monthly"),
    quantity: field(z.int().nullable(), "How many pieces were sold.", 1),
    mrr: field(
      z.int().nullable(),
      "The sale's monthly recurring revenue, in cents of your account's currency.",
      2900,
    ),
    referral_reward: field(optionalText, "Name of the reward that the lead got with the sale.", "10% off"),
    tier: field(
      z.int().nullable(),
      "Whose commission it is: 1 for the promoter, 2 for their parent, and so on.",
      1,
    ),
    reward: field(optionalText, "Name of the reward that gave the commission.", "20% of each sale"),
    promoter: field(embeddedPromoter.nullable(), "Who gets the commission."),
    due_date: field(z.iso.date().nullable(), "The day by which the payout must be paid."),
    source: field(optionalText, "The site with the link that was clicked.", "blog.example.net"),
    page: field(optionalText, "The page that the link led to.", "https://www.example.com/pricing"),
    landing_url: field(
      optionalText,
      "The whole address of that page.",
      "https://www.example.com/pricing?via=jane",
    ),
    referrer: field(optionalText, "The page with the link.", "https://blog.example.net/review"),
    sub_id: field(optionalText, "The promoter's own mark of the link.", "newsletter"),
    is_ad_traffic: field(z.boolean().nullable(), "Whether the click came from a paid ad."),
  })
  .meta({ id: "TimelineEntry" });

export const referralTimelineOperation: V2Operation = {
  id: "getReferralTimeline",
  summary: "Show what happened to a referral",
  description:
    "Lists what happened to a lead, oldest first: the click, the sign-up, sales, refunds, commissions and payouts. Of sales, refunds and commissions, only the latest 200 each are listed.",
  pathId,
  params: findParams,
  answer: z.array(entryAnswer),
  refusals: ["not_found", "invalid"],
  handle: show,
};

async function show({ event, account, context: { store } }: V2Request) {
  const { find_by: by } = shapeInput(findParams, readQuery(event));
  const selector = await readSelector(event, by, { store, account_id: account.id });
  const lead = await loadLead(store, account.id, selector);
  return (await loadTimeline(store, lead)).map(entryJson);
}

type EntryJson = z.output<typeof entryAnswer>;

function entryJson(entry: TimelineEntry): EntryJson {
  return { ...NOTHING, kind: entry.kind, at: entry.at, ...detailsOf(entry) };
}

const NOTHING: Omit<EntryJson, "kind" | "at"> = {
  id: null,
  event_id: null,
  amount: null,
  unit: null,
  original_amount: null,
  original_currency: null,
  refundable_amount: null,
  status: null,
  plan_id: null,
  quantity: null,
  mrr: null,
  referral_reward: null,
  tier: null,
  reward: null,
  promoter: null,
  due_date: null,
  source: null,
  page: null,
  landing_url: null,
  referrer: null,
  sub_id: null,
  is_ad_traffic: null,
};

function detailsOf(entry: TimelineEntry): Partial<EntryJson> {
  switch (entry.kind) {
    case "click":
      return visitJson(entry.visit);
    case "sale":
      return saleJson(entry);
    case "refund":
      return eventJson(entry.refund);
    case "commission":
      return commissionJson(entry);
    case "payout":
      return payoutJson(entry.payout);
    default:
      return {};
  }
}

function visitJson({ source, page, visitor }: Extract<TimelineEntry, { kind: "click" }>["visit"]) {
  return {
    source,
    page,
    landing_url: visitor?.url ?? null,
    referrer: visitor?.referrer ?? null,
    sub_id: visitor?.sub_id ?? null,
    is_ad_traffic: visitor?.is_ad_traffic ?? null,
  };
}

function saleJson({ sale, referralReward }: Extract<TimelineEntry, { kind: "sale" }>) {
  return {
    ...eventJson(sale),
    refundable_amount: sale.original_amount - sale.refunded_original_amount,
    plan_id: sale.plan_id,
    quantity: sale.quantity,
    mrr: sale.mrr_cents,
    referral_reward: referralReward?.name ?? null,
  };
}

/** Amounts of sales and refunds are cash, and positive. */
function eventJson({
  id,
  event_id,
  amount_cents,
  original_amount,
  original_currency,
}: Record<"id" | "amount_cents" | "original_amount", number> & {
  event_id: string;
  original_currency: string | null;
}) {
  return {
    id,
    event_id,
    amount: amount_cents,
    unit: "cash",
    original_amount,
    original_currency,
  };
}

function commissionJson({ commission, promoter }: Extract<TimelineEntry, { kind: "commission" }>) {
  const { id, event_id, amount, unit, status, tier, reward_name } = commission;
  return {
    id,
    event_id,
    amount,
    unit,
    status,
    tier,
    reward: reward_name,
    promoter: promoter && embeddedPromoterJson(promoter),
  };
}

function payoutJson({
  id,
  total_incl_tax,
  unit,
  status,
  due_date,
}: Extract<TimelineEntry, { kind: "payout" }>["payout"]) {
  return { id, amount: total_incl_tax, unit, status, due_date };
}
