import { v1EventRefusals } from "../http/errors.ts";
import type { Method } from "../http/operation.ts";
import { readParams } from "../http/parameters/form.ts";
import { createLead, deleteLead, listLeads, getLead, updateLead } from "./leads.ts";
import type { V1Operation } from "./operation.ts";
import { createPayoutOperation, listPayouts, updatePayoutOperation } from "./payouts.ts";
import {
  addToCampaignOperation,
  deletePromoterOperation,
  moveToCampaignOperation,
  refreshTokenOperation,
  updatePromoterOperation,
} from "./promoter-changes.ts";
import { createPromoterOperation, listPromotersOperation, showPromoterOperation } from "./promoters.ts";
import { campaignsReport, overviewReport, promotersReport } from "./reports.ts";
import { createReward, listRewards, updateReward } from "./rewards.ts";
import {
  trackSignup,
  trackSubscriber,
  cancellationOperation,
  refundOperation,
  saleOperation,
} from "./tracking.ts";

const FORM = { kind: "params", read: readParams, own: v1EventRefusals } as const;

/** Every operation of V1, in the specification's order. */
export const V1_OPERATIONS: [Method, path: string, V1Operation][] = [
  ["POST", "/api/v1/promoters/create", createPromoterOperation],
  ["POST", "/api/v1/track/signup", trackSignup],
  ["POST", "/api/v1/track/sale", saleOperation(FORM)],
  ["POST", "/api/v1/track/refund", refundOperation(FORM)],
  ["POST", "/api/v1/track/cancellation", cancellationOperation(FORM)],
  ["GET", "/api/v1/promoters/list", listPromotersOperation],
  ["GET", "/api/v1/promoters/show", showPromoterOperation],
  ["POST", "/api/v1/promoters/show", showPromoterOperation],
  ["PUT", "/api/v1/promoters/update", updatePromoterOperation],
  ["POST", "/api/v1/promoters/update", updatePromoterOperation],
  ["DELETE", "/api/v1/promoters/delete", deletePromoterOperation],
  ["PUT", "/api/v1/promoters/refresh_token", refreshTokenOperation],
  ["POST", "/api/v1/promoters/refresh_token", refreshTokenOperation],
  ["POST", "/api/v1/promoters/move_to_campaign", moveToCampaignOperation],
  ["POST", "/api/v1/promoters/add_to_campaign", addToCampaignOperation],
  ["POST", "/api/v1/track/subscriber", trackSubscriber],
  ["POST", "/api/v1/leads/create", createLead],
  ["GET", "/api/v1/leads/list", listLeads],
  ["GET", "/api/v1/leads/show", getLead],
  ["POST", "/api/v1/leads/show", getLead],
  ["PUT", "/api/v1/leads/update", updateLead],
  ["POST", "/api/v1/leads/update", updateLead],
  ["DELETE", "/api/v1/leads/delete", deleteLead],
  ["GET", "/api/v1/rewards/list", listRewards],
  ["POST", "/api/v1/rewards/create", createReward],
  ["PUT", "/api/v1/rewards/update", updateReward],
  ["POST", "/api/v1/rewards/update", updateReward],
  ["GET", "/api/v1/payouts/list", listPayouts],
  ["POST", "/api/v1/payouts/create", createPayoutOperation],
  ["PUT", "/api/v1/payouts/update", updatePayoutOperation],
  ["POST", "/api/v1/payouts/update", updatePayoutOperation],
  ["GET", "/api/v1/reports/overview", overviewReport],
  ["GET", "/api/v1/reports/campaigns", campaignsReport],
  ["GET", "/api/v1/reports/promoters", promotersReport],
];
