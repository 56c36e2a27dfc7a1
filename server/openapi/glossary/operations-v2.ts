import type { Operations } from "./entry.ts";
import { BATCH, MONEY_OPERATIONS } from "./operations-money.ts";

/** Operations of V2, below `/api/v2/company`. */
const COMPANY_OPERATIONS: Operations = {
  "GET /promoters/:id": [
    "getPromoter",
    "Finds one promoter: by id, or by the attribute that `find_by` names.",
  ],
  "PUT /promoters/:id": [
    "updatePromoter",
    "Changes a promoter. What you leave out stays.",
    { cust_id: "user-4712" },
  ],
  "PATCH /promoters/:id": ["patchPromoter", "The same as `PUT`.", { profile: { first_name: "Jane" } }],
  "GET /promoters": [
    "listPromoters",
    "Lists promoters, with filters and sorting. Archived ones are left out unless you ask for them.",
  ],
  "POST /promoters": [
    "createPromoter",
    "Adds a promoter to a campaign: the default one, unless `initial_campaign_id` names another.",
    { email: "jane@example.com", cust_id: "user-4711", profile: { first_name: "Jane", last_name: "Doe" } },
  ],
  "POST /promoters/accept": [
    "acceptPromoters",
    `Accepts promoters in a campaign, so that they can refer. ${BATCH}`,
  ],
  "POST /promoters/reject": ["rejectPromoters", `Rejects promoters in a campaign. ${BATCH}`],
  "POST /promoters/block": [
    "blockPromoters",
    `Blocks promoters in a campaign: clicks, leads and commissions stop. ${BATCH}`,
  ],
  "POST /promoters/archive": [
    "archivePromoters",
    `Archives promoters: they keep their history but refer no more. ${BATCH}`,
  ],
  "POST /promoters/restore": ["restorePromoters", `Restores archived promoters. ${BATCH}`],
  "POST /promoters/move_to_campaign": [
    "movePromotersToCampaign",
    `Moves promoters from one campaign to another. ${BATCH}`,
  ],
  "POST /promoters/add_to_campaign": [
    "addPromotersToCampaign",
    `Adds promoters to one more campaign. ${BATCH}`,
  ],
  "POST /promoters/assign_parent": [
    "assignParentPromoter",
    `Sets the promoter who recruited the others: their parent, who may earn a share of their sales. ${BATCH}`,
  ],
  "GET /promoter_campaigns": [
    "listPromoterCampaigns",
    "Lists promoter campaigns with their referral links, coupons and figures.",
  ],
  "GET /promoter_campaigns/search": [
    "searchPromoterCampaigns",
    "Finds up to five by a promoter's name or e-mail, a referral id or a coupon.",
  ],
  "PUT /promoter_campaigns/:id": [
    "updatePromoterCampaign",
    "Changes a promoter's part in a campaign: state, referral id, coupon, rewards of their own. The id is that of the promoter campaign, not of the promoter.",
    { state: "accepted", coupon: "JANE10" },
  ],
  "PATCH /promoter_campaigns/:id": ["patchPromoterCampaign", "The same as `PUT`.", { state: "accepted" }],
  "GET /referrals": ["listReferrals", "Lists leads, with filters. V2 calls them referrals."],
  "POST /referrals": [
    "createReferral",
    "Adds a lead to a promoter by hand. Give `email` or `uid`.",
    { email: "sam@example.net", promoter_campaign_id: 31 },
  ],
  "GET /referrals/:id": ["getReferral", "Finds one lead: by id, or by the attribute that `find_by` names."],
  "PUT /referrals/:id": [
    "updateReferral",
    "Changes a lead, or moves it to another promoter. What you leave out stays. Commissions stay with the promoter who earned them.",
    { uid: "cus_99", split_details: [{ promoter_campaign_id: 32, percentage: 25 }] },
  ],
  "PATCH /referrals/:id": ["patchReferral", "The same as `PUT`.", { uid: "cus_99" }],
  "DELETE /referrals": [
    "deleteReferrals",
    `Deletes leads. Their sales and commissions stay, and can be refunded by the sale's event id. ${BATCH}`,
  ],
  "POST /referrals/approve": ["approveReferrals", `Accepts leads that promoters added by hand. ${BATCH}`],
  "POST /referrals/disable": ["disableReferrals", `Denies leads: their later sales earn nothing. ${BATCH}`],
  "POST /referrals/enable": ["enableReferrals", `Takes the denial of leads back. ${BATCH}`],
  "POST /referrals/move_to_promoter": [
    "moveReferralsToPromoter",
    `Moves leads to another promoter. ${BATCH}`,
  ],
  "POST /referrals/:id/import_events": [
    "importReferralEvents",
    "Fetches a customer's earlier sales from your billing provider.",
  ],
  "GET /referrals/:id/timeline": [
    "getReferralTimeline",
    "Tells what happened to a lead, oldest first: the click, the sign-up, sales, refunds, commissions and payouts. Of sales, refunds and commissions it names the latest 200 each.",
  ],
  "GET /promo_codes": ["listPromoCodes", "Lists promo codes: all, or those of one promoter campaign."],
  "POST /promo_codes": [
    "createPromoCode",
    "Gives a promoter a code that customers type at the checkout, and the reward that it stands for.",
  ],
  "GET /promo_codes/:id": ["getPromoCode", "Finds one promo code."],
  "PUT /promo_codes/:id": [
    "updatePromoCode",
    "Changes a promo code. An archived one that is linked to the payment processor can't be changed.",
    { code: "JANE20", description: "Twenty percent off" },
  ],
  "PATCH /promo_codes/:id": ["patchPromoCode", "The same as `PUT`.", { code: "JANE20" }],
  "DELETE /promo_codes/:id": ["archivePromoCode", "Archives a promo code. Its code can be given to another."],
  "GET /batch_processes": ["listBatchProcesses", "Lists batches of changes, newest first."],
  "GET /batch_processes/progress": [
    "getBatchProgress",
    "Shows the progress of the latest batches in percent, by their ids.",
  ],
  "GET /batch_processes/:id": ["getBatchProcess", "Finds one batch."],
  "GET /campaigns": ["listCampaigns", "Lists campaigns with their settings and figures."],
  "POST /campaigns": [
    "createCampaign",
    "Adds a campaign. A campaign says where referral links lead, how long a visitor counts as referred, and what promoters earn.",
  ],
  "GET /campaigns/:id": ["getCampaign", "Finds one campaign."],
  "PUT /campaigns/:id": [
    "updateCampaign",
    "Changes a campaign. What you leave out stays.",
    { visitor_cookie_life: 90, auto_approve_promoters: true },
  ],
  "PATCH /campaigns/:id": ["patchCampaign", "The same as `PUT`.", { visitor_cookie_life: 90 }],
  "GET /campaigns/:id/email_preview": [
    "previewEmail",
    "Shows how an e-mail to the campaign's promoters reads, with Jane Doe as the promoter.",
  ],
  "DELETE /campaigns/:id": [
    "deleteCampaign",
    "Removes a campaign that nothing belongs to. The default campaign stays.",
  ],
  "GET /webhooks": ["listWebhooks", "Lists webhooks, newest first."],
  "POST /webhooks": [
    "createWebhook",
    "Adds an address that events are posted to. Only this answer contains the key that signs them.",
  ],
  "GET /webhooks/event_types": [
    "listEventTypes",
    "Lists the types of events that a webhook can subscribe to.",
  ],
  "POST /webhooks/test": [
    "testWebhook",
    "Posts a test event to an address and shows what the address answered. The status is 200 even if it refused.",
  ],
  "GET /webhooks/:id": ["getWebhook", "Finds one webhook."],
  "PUT /webhooks/:id": ["updateWebhook", "Changes a webhook. What you leave out stays.", { active: false }],
  "PATCH /webhooks/:id": ["patchWebhook", "The same as `PUT`.", { active: false }],
  "DELETE /webhooks/:id": ["deleteWebhook", "Removes a webhook. Events that wait for it are not sent."],
  "POST /webhooks/:id/test": [
    "sendTestEvent",
    "Sends a test event to a webhook: signed, delivered and retried like any other, with `data: {test: true}`. Its type is the first that the webhook wants, unless you name another.",
    { event_type: "referral.created" },
  ],
  "POST /webhooks/:id/rotate_secret": [
    "rotateWebhookSecret",
    "Gives a webhook a new key. For 24 hours events are signed with the old one as well.",
  ],
  "GET /webhooks/:webhook_id/webhook_deliveries": [
    "listWebhookDeliveries",
    "Lists the deliveries to a webhook, newest first, with your server's answers.",
  ],
  "GET /webhooks/:webhook_id/webhook_deliveries/:id": ["getWebhookDelivery", "Finds one delivery."],
  "POST /webhooks/:webhook_id/webhook_deliveries/:id/retry_delivery": [
    "retryWebhookDelivery",
    "Sends a delivery again now.",
  ],
  ...MONEY_OPERATIONS,
};

/** Operations of V2. */
export const V2_OPERATIONS: Operations = {
  ...Object.fromEntries(
    Object.entries(COMPANY_OPERATIONS).map(([route, words]) => [
      route.replace(" ", " /api/v2/company"),
      words,
    ]),
  ),
  "POST /api/v2/track/signup": [
    "trackSignup",
    "Records that somebody signed up, as a lead of the promoter who sent them. Give `email` or `uid`, and `tid` (from the cookie `_svc_tid`) or `ref_id`.",
    { email: "sam@example.net", uid: "cus_99", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  ],
};
