import { z } from "zod";
import { loadCampaign } from "../../domain/campaign/campaign.ts";
import { UNITS } from "../../domain/money/money.ts";
import { CARRY_REASONS, countOfRun, findRuns } from "../../domain/payout-run/run.ts";
import { previewRun, type PreviewedPayout } from "../../domain/payout-run/generate.ts";
import { loadPromoter } from "../../domain/promoter/promoter.ts";
import { unlessGone } from "../../domain/show.ts";
import { setPageHeaders } from "../../http/pages.ts";
import type { Store } from "../../storage/store.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";

const instant = z.iso.datetime();

const runAnswer = z
  .object({
    id: z.int(),
    group_ref: z.string(),
    period_start: instant,
    period_end: instant,
    started_at: instant,
    finished_at: instant.nullable(),
    payouts_count: z.int(),
  })
  .meta({ id: "PayoutRun" });

/** `GET /api/v2/company/payout_runs` @see docs/spec/v2.md "Payout runs" */
export const listPayoutRunsOperation: V2Operation = {
  summary: "List payout runs, newest first",
  params: pageParams,
  answer: z.array(runAnswer),
  isPaged: true,
  handle: list,
};

const previewedAnswer = z
  .object({
    id: z.string(),
    promoter: embeddedPromoter,
    campaign: embeddedCampaign,
    unit: z.enum(UNITS),
    amount: z.int(),
    commissions_count: z.int(),
    not_paid_because: z.string().nullable(),
  })
  .meta({ id: "PreviewedPayout" });

/** `GET /api/v2/company/payout_runs/preview` @see docs/spec/v2.md "Payout runs" */
export const previewPayoutRunOperation: V2Operation = {
  summary: "Show what the next payout run would pay if its period ended now",
  params: pageParams,
  answer: z.object({
    data: z.array(previewedAnswer),
    meta: z.object({ group_ref: z.string(), period_start: instant, period_end: instant }),
  }),
  isPaged: true,
  handle: preview,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { page, window } = readListing(request, pageParams);
  const { records, total } = await findRuns(context.store, account.id, window);
  setPageHeaders(request, page, total);
  return Promise.all(
    records.map(async (run) => ({
      id: run.id,
      group_ref: run.groupRef,
      period_start: run.periodStart,
      period_end: run.periodEnd,
      started_at: run.startedAt,
      finished_at: run.finishedAt,
      payouts_count: await countOfRun(context.store, run),
    })),
  );
}

async function preview(request: V2Request) {
  const { account, context } = request;
  const { page, window } = readListing(request, pageParams);
  const { period, payouts, total } = await previewRun(context, account, window);
  setPageHeaders(request, page, total);
  const shown = payouts.map((each) => unlessGone(previewedJson(context.store, account.id, each)));
  return {
    data: (await Promise.all(shown)).filter((each) => each !== null),
    meta: { group_ref: period.key, period_start: period.start, period_end: period.end },
  };
}

async function previewedJson(
  store: Store,
  accountId: number,
  { promoterId, campaignId, unit, amount, commissionsCount, carryReason }: PreviewedPayout,
): Promise<z.output<typeof previewedAnswer>> {
  return {
    id: `${promoterId}-${campaignId}-${unit}`,
    promoter: embeddedPromoterJson(await loadPromoter(store, accountId, promoterId)),
    campaign: embeddedCampaignJson(await loadCampaign(store, accountId, campaignId)),
    unit,
    amount,
    commissions_count: commissionsCount,
    not_paid_because: carryReason && CARRY_REASONS[carryReason],
  };
}
