import { z } from "zod";
import { noteVisit } from "../../../domain/people/portal/visit.ts";
import { field } from "../../../http/fields.ts";
import type { AffiliateOperation } from "../operation.ts";

/** `POST /api/v2/affiliate/visits` */
export const noteVisitOperation: AffiliateOperation = {
  id: "notePortalVisit",
  summary: "Show what is new since the promoter's last visit",
  description:
    "Notes that the promoter looks at the portal, and shows what was added since the visit before. Calls within four hours belong to one visit. An extension of Tidemark.",
  answer: z
    .object({
      since: field(
        z.iso.datetime().nullable(),
        "When the visit before began, or null if this is the first one.",
        "2026-03-01T09:30:00.000Z",
      ),
      clicks_count: field(z.int(), "Clicks since then.", 34),
      referrals_count: field(z.int(), "Leads since then.", 4),
      commissions_count: field(z.int(), "Commissions since then.", 2),
      earnings_amount: field(z.int(), "What was earned since then, in cents.", 5000),
      paid_amount: field(z.int(), "What was paid since then, in cents.", 0),
    })
    .meta({ id: "PortalVisit" }),
  async handle({ context, promoter }) {
    const news = await noteVisit(context, promoter);
    return {
      since: news?.since ?? null,
      clicks_count: news?.added.clicks ?? 0,
      referrals_count: news?.added.referrals ?? 0,
      commissions_count: news?.added.commissions ?? 0,
      earnings_amount: news?.added.earningsCents ?? 0,
      paid_amount: news?.added.paidCents ?? 0,
    };
  },
};
