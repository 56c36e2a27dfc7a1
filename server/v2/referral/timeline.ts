import { z } from "zod";
import { loadLead } from "../../domain/lead/search.ts";
import { loadTimeline, type TimelineEntry } from "../../domain/lead/timeline.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { shapeInput } from "../../input/shape.ts";
import { embeddedPromoter, embeddedPromoterJson } from "../embedded-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { findParams, readSelector } from "./referral-params.ts";

const KINDS = ["click", "signup", "sale", "refund", "commission", "payout", "cancellation"] as const;

const optionalText = z.string().nullable();

const entryAnswer = z
  .object({
    kind: z.enum(KINDS),
    at: z.iso.datetime().nullable(),
    id: z.int().nullable(),
    event_id: optionalText,
    amount: z.int().nullable(),
    unit: optionalText,
    original_amount: z.int().nullable(),
    original_currency: optionalText,
    status: optionalText,
    plan_id: optionalText,
    quantity: z.int().nullable(),
    mrr: z.int().nullable(),
    referral_reward: optionalText,
    tier: z.int().nullable(),
    reward: optionalText,
    promoter: embeddedPromoter.nullable(),
    due_date: z.iso.date().nullable(),
    source: optionalText,
    page: optionalText,
    landing_url: optionalText,
    referrer: optionalText,
    sub_id: optionalText,
    is_ad_traffic: z.boolean().nullable(),
  })
  .meta({ id: "TimelineEntry" });

/** `GET /api/v2/company/referrals/{id}/timeline` */
export const referralTimelineOperation: V2Operation = {
  summary: "Show what happened to a referral",
  params: findParams,
  answer: z.array(entryAnswer),
  refusals: ["not_found", "invalid"],
  handle: show,
};

async function show({ event, account, context: { store } }: V2Request) {
  const { find_by: by } = shapeInput(findParams, readQuery(event));
  const selector = await readSelector(event, by, { store, accountId: account.id });
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
    sub_id: visitor?.subId ?? null,
    is_ad_traffic: visitor?.isAdTraffic ?? null,
  };
}

function saleJson({ sale, referralReward }: Extract<TimelineEntry, { kind: "sale" }>) {
  return {
    ...eventJson(sale),
    plan_id: sale.planId,
    quantity: sale.quantity,
    mrr: sale.mrrCents,
    referral_reward: referralReward?.name ?? null,
  };
}

/** Amounts of sales and refunds are cash, and positive. */
function eventJson({
  id,
  eventId,
  amountCents,
  originalAmount,
  originalCurrency,
}: Record<"id" | "amountCents" | "originalAmount", number> & {
  eventId: string;
  originalCurrency: string | null;
}) {
  return {
    id,
    event_id: eventId,
    amount: amountCents,
    unit: "cash",
    original_amount: originalAmount,
    original_currency: originalCurrency,
  };
}

function commissionJson({ commission, promoter }: Extract<TimelineEntry, { kind: "commission" }>) {
  const { id, eventId, amount, unit, status, tierLevel, rewardName } = commission;
  return {
    id,
    event_id: eventId,
    amount,
    unit,
    status,
    tier: tierLevel,
    reward: rewardName,
    promoter: promoter && embeddedPromoterJson(promoter),
  };
}

function payoutJson({
  id,
  totalInclTax,
  unit,
  status,
  dueDate,
}: Extract<TimelineEntry, { kind: "payout" }>["payout"]) {
  return { id, amount: totalInclTax, unit, status, due_date: dueDate };
}
