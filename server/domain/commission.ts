import type { Commission } from "../records.ts";
import { collection } from "../storage/collection.ts";

export const commissions = collection<Commission>()({
  name: "commission",
  id: (commission) => [commission.id],
  claims: {},
  indexes: {
    promoterCampaign: ({ promoterCampaignId }) => [promoterCampaignId],
    promoter: ({ promoterId }) => [promoterId],
    campaign: ({ campaignId }) => [campaignId],
    promoterAndCampaign: ({ promoterId, campaignId }) => [promoterId, campaignId],
    lead: ({ leadId }) => (leadId === null ? null : [leadId]),
  },
  tallies: ({ promoterCampaignId, promoterId, campaignId }) => [
    [["all"], 1],
    [["promoterCampaign", promoterCampaignId], 1],
    [["promoter", promoterId], 1],
    [["campaign", campaignId], 1],
    [["promoterAndCampaign", promoterId, campaignId], 1],
  ],
});
