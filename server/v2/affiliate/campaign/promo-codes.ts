import { z } from "zod";
import { promoCodes } from "../../../domain/promo-code/promo-code.ts";
import { listPromoterCampaigns } from "../../../domain/promoter-campaign/of-promoter.ts";
import { rewards } from "../../../domain/reward/reward.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { pageParams, readListing } from "../../page-params.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

/** No promoter campaign has more codes in use. */
const MOST_CODES = 1_000;

const answer = z
  .object({
    id: z.int(),
    code: z.string(),
    description: z.string().nullable(),
    reward: z.object({ name: z.string() }).nullable(),
    promoter_campaign_id: z.int(),
  })
  .meta({ id: "PortalPromoCode" });

/** `GET /api/v2/affiliate/promo_codes`. Choice: the company makes codes, because each costs it money. */
export const listOwnPromoCodesOperation: AffiliateOperation = {
  summary: "List the promoter's promo codes in use",
  params: pageParams,
  answer: z.array(answer),
  isPaged: true,
  handle: list,
};

async function list(request: AffiliateRequest) {
  const { promoter, context } = request;
  const { store } = context;
  const { accountId, id } = promoter;
  const { page, window } = readListing(request, pageParams);
  const codes = [];
  for (const joined of await listPromoterCampaigns(store, accountId, id)) {
    const page = { limit: MOST_CODES };
    codes.push(...(await store.page(promoCodes, "inUse", accountId, [joined.id], page)));
  }
  setPageHeaders(request, page, codes.length);
  const shown: z.output<typeof answer>[] = [];
  for (const code of codes.slice(window.offset, window.offset + window.limit)) {
    const reward = await store.get(rewards, accountId, code.rewardId);
    shown.push({
      id: code.id,
      code: code.code,
      description: code.description,
      reward: reward && { name: reward.name },
      promoter_campaign_id: code.promoterCampaignId,
    });
  }
  return shown;
}
