import { z } from "zod";
import type { Balance } from "../../domain/commission/balance.ts";
import type { Commission } from "../../domain/commission/record.ts";
import type { Lead } from "../../domain/lead/record.ts";
import type { Promoter } from "../../domain/promoter/record.ts";
import { missingRate } from "../../domain/money/rate.ts";
import type { ShownWaiting } from "../../domain/sale/waiting.ts";
import { accepted } from "../../http/answer.ts";
import { waitingForAnswer, waitingForJson } from "../../http/event-statuses.ts";
import type { View } from "../../storage/store.ts";
import { leadAnswer, leadJson } from "../lead/lead-json.ts";
import { promoterSubsetAnswer, trackedPromoterJson } from "../promoter/promoter-json.ts";
import { readPromoterParts } from "../promoter/promoter-parts.ts";
import { rewardSummaryAnswer, rewardSummaryJson } from "../reward/reward-json.ts";
import { field, recordId } from "../../http/fields.ts";

/** The answer of a tracked event of this type. @see docs/spec/v1.md "Sales, refunds and cancellations" */
export function eventAnswer<T extends string>(type: T) {
  return z.object({
    id: recordId,
    type: field(z.literal(type), "What kind of event was recorded."),
    amount_cents: field(
      z.int().nullable(),
      "What was sold, in cents of your account's currency. Negative: a refund. null: nothing.",
      10000,
    ),
    reward: field(
      rewardSummaryAnswer.nullable(),
      "What the promoter earned. Negative: it was taken back. null: nothing.",
    ),
    lead: field(leadAnswer, "The lead. null: it was deleted, or the commission belongs to no lead."),
    promoter: field(promoterSubsetAnswer, "The promoter. null: they were deleted."),
  });
}

/** The answer to an event of this type that waits for an exchange rate. */
export function waitingAnswer<T extends string>(type: T) {
  return z.object({
    id: recordId,
    type: field(z.literal(type), "What kind of event was recorded."),
    amount_cents: field(z.null(), "Always null: it is not converted yet.", null),
    reward: field(z.null(), "Always null: nothing is earned yet.", null),
    lead: field(leadAnswer, "The lead. null: it was deleted, or the commission belongs to no lead."),
    promoter: field(promoterSubsetAnswer, "The promoter. null: they were deleted."),
    waiting_for: field(waitingForAnswer, "The exchange rate that is missing."),
  });
}

/** Shows an event that waits, with status 202. */
export async function showWaiting<T extends string>(
  view: View,
  type: T,
  { waiting, lead, promoter }: ShownWaiting,
) {
  return accepted({
    id: waiting.id,
    type,
    amount_cents: null,
    reward: null,
    lead: leadJson(lead),
    promoter: trackedPromoterJson(await readPromoterParts(view, promoter)),
    waiting_for: waitingForJson(waiting.rate, missingRate(waiting.rate)),
  });
}

/** An event with the records that it shows. */
export interface EventParts<T> {
  id: number;
  type: T;
  amountCents: number | null;
  lead: Lead;
  promoter: Promoter;
  /** Absent: as it is in the store. */
  balance?: Balance;
  commissions: Commission[];
}

/** Shows an event. Choice: of several commissions it shows the promoter's own, in cash if there is one. */
export async function showEvent<T extends string>(view: View, event: EventParts<T>) {
  const { id, type, amountCents, lead, promoter, balance, commissions } = event;
  const own = commissions.filter(({ promoterId }) => promoterId === promoter.id);
  const shown = own.find(({ unit }) => unit === "cash") ?? own[0] ?? null;
  return {
    id,
    type,
    amount_cents: amountCents,
    reward: shown && rewardSummaryJson(shown, lead),
    lead: leadJson(lead),
    promoter: trackedPromoterJson(await readPromoterParts(view, promoter, balance)),
  };
}
