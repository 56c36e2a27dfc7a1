import type { Operations } from "./entry.ts";

/** Operations of V1. */
export const V1_OPERATIONS: Operations = {
  "POST /api/v1/promoters/create": [
    "v1CreatePromoter",
    "Adds a promoter to a campaign: the default one, unless `campaign_id` names another. Only `email` is required; a referral id is made from the name when you give none.",
    { email: "jane@example.com", first_name: "Jane", last_name: "Doe", cust_id: "user-4711", ref_id: "jane" },
  ],
  "POST /api/v1/track/signup": [
    "v1TrackSignup",
    "Records that somebody signed up, as a lead of the promoter who sent them. Give `email` or `uid`, and `tid` (from the cookie `_svc_tid`) or `ref_id`. Call it from your server when the account is created.",
    { email: "sam@example.net", uid: "cus_99", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  ],
  "POST /api/v1/track/subscriber": [
    "v1TrackSubscriber",
    "Records that somebody subscribed to news, as a lead of the promoter who sent them. A sign-up may follow. Give `email` or `uid`, and `tid` or `ref_id`.",
    { email: "sam@example.net", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  ],
  "POST /api/v1/leads/create": [
    "v1CreateLead",
    "Adds a lead to a promoter. Give `email` or `uid`, and `promotion_id` or `ref_id`.",
    { email: "sam@example.net", ref_id: "jane" },
  ],
  "GET /api/v1/promoters/list": [
    "v1ListPromoters",
    "Lists your promoters, oldest first. With `campaign_id`, only those who are accepted in that campaign.",
  ],
  "GET /api/v1/promoters/show": [
    "v1ShowPromoter",
    "Finds one promoter by id, `cust_id`, `auth_token`, e-mail, referral id or promo code. Give one of them.",
  ],
  "POST /api/v1/promoters/show": [
    "v1ShowPromoterByPost",
    "The same as `GET`, for clients that send a form.",
    { cust_id: "user-4711" },
  ],
  "PUT /api/v1/promoters/update": [
    "v1UpdatePromoter",
    "Changes a promoter. Name the promoter by one of `id`, `cust_id`, `auth_token`, `promoter_email` or `ref_id`, and give what changes. What you leave out stays.",
    { cust_id: "user-4711", new_ref_id: "jane-doe", website: "https://blog.example.com" },
  ],
  "POST /api/v1/promoters/update": [
    "v1UpdatePromoterByPost",
    "The same as `PUT`, for clients that can't send it.",
    { cust_id: "user-4711", website: "https://blog.example.com" },
  ],
  "DELETE /api/v1/promoters/delete": [
    "v1DeletePromoter",
    "Removes a promoter who has earned nothing. Promoters with commissions or payouts can't be deleted; archive them.",
  ],
  "PUT /api/v1/promoters/refresh_token": [
    "v1RefreshPromoterToken",
    "Gives a promoter a new `auth_token`. The old one no longer logs in.",
    { cust_id: "user-4711" },
  ],
  "POST /api/v1/promoters/refresh_token": [
    "v1RefreshPromoterTokenByPost",
    "The same as `PUT`, for clients that can't send it.",
    { cust_id: "user-4711" },
  ],
  "POST /api/v1/promoters/move_to_campaign": [
    "v1MovePromoterToCampaign",
    "Moves a promoter from one campaign to another. Leads and commissions stay where they are.",
    { cust_id: "user-4711", destination_campaign_id: 2 },
  ],
  "POST /api/v1/promoters/add_to_campaign": [
    "v1AddPromoterToCampaign",
    "Adds a promoter to one more campaign.",
    { cust_id: "user-4711", campaign_id: 2 },
  ],
  "GET /api/v1/leads/list": [
    "v1ListLeads",
    "Lists leads, oldest first: all, or those of a promoter or campaign.",
  ],
  "GET /api/v1/leads/show": ["v1ShowLead", "Finds one lead by id, `uid` or e-mail. Give one of them."],
  "POST /api/v1/leads/show": [
    "v1ShowLeadByPost",
    "The same as `GET`, for clients that send a form.",
    { uid: "cus_99" },
  ],
  "PUT /api/v1/leads/update": [
    "v1UpdateLead",
    "Changes a lead, or moves it to another promoter (`new_ref_id`). Name the lead by `id`, `uid` or `email`.",
    { uid: "cus_99", state: "active", plan_name: "pro" },
  ],
  "POST /api/v1/leads/update": [
    "v1UpdateLeadByPost",
    "The same as `PUT`, for clients that can't send it.",
    { uid: "cus_99", state: "cancelled" },
  ],
  "DELETE /api/v1/leads/delete": [
    "v1DeleteLead",
    "Removes a lead. Name it by `id`, `uid` or `email`. Its sales and commissions stay, and can be refunded by the sale's `event_id`.",
  ],
  "GET /api/v1/rewards/list": [
    "v1ListRewards",
    "Lists commissions, oldest first. V1 calls a commission a reward: what a promoter earned by one sale.",
  ],
  "POST /api/v1/rewards/create": [
    "v1CreateReward",
    "Gives a promoter a reward by hand: the promoter of the lead that `lead_id`, `uid` or `email` names, or the one whom `promotion_id` or `ref_id` names. A negative amount of `cash` corrects an earlier one.",
    { ref_id: "jane", reward_type: "cash", amount: 2000 },
  ],
  "PUT /api/v1/rewards/update": [
    "v1UpdateReward",
    "Sets the status of a reward, or of all rewards of one event. A reward that was paid stays as it is.",
    { event_id: "order-1001", status: "denied" },
  ],
  "POST /api/v1/rewards/update": [
    "v1UpdateRewardByPost",
    "The same as `PUT`, for clients that can't send it.",
    { id: 17, status: "approved" },
  ],
  "GET /api/v1/payouts/list": [
    "v1ListPayouts",
    "Lists payouts, oldest first. A payout is what a promoter is paid for one campaign and period.",
  ],
  "POST /api/v1/payouts/create": [
    "v1CreatePayout",
    "Makes a payout of all money that a promoter has earned in a campaign and that no payout contains yet. Name the promoter by `promoter_email` or `promoter_id`.",
    { promoter_email: "jane@example.com", status: "completed" },
  ],
  "PUT /api/v1/payouts/update": [
    "v1UpdatePayout",
    "Changes the status of a payout, for example to `completed` when you have paid it.",
    { id: 88, status: "completed" },
  ],
  "POST /api/v1/payouts/update": [
    "v1UpdatePayoutByPost",
    "The same as `PUT`, for clients that can't send it.",
    { id: 88, status: "completed" },
  ],
  "GET /api/v1/reports/overview": [
    "v1ReportOverview",
    "Reports visitors, leads, customers and money of the whole account by day, month or year.",
  ],
  "GET /api/v1/reports/campaigns": ["v1ReportCampaigns", "Reports the same figures for each campaign."],
  "GET /api/v1/reports/promoters": [
    "v1ReportPromoters",
    "Reports the same figures for each promoter. Those with the highest `top_50` come first.",
  ],
};

/** The operations that browsers and operators call. */
export const OTHER_OPERATIONS: Operations = {
  "POST /t/click": [
    "trackClick",
    "Records that a visitor came through a referral link. The script on your pages calls it. For bots, and for links that belong to nobody, `tid` and `ref_id` are null.",
    { cid: "acme", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7", ref_id: "jane" },
  ],
  "POST /t/signup": [
    "trackVisitorSignup",
    "Records a sign-up from your page. The script calls it. The answer is the same whether the person was known or not.",
    { cid: "acme", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7", email: "sam@example.net" },
  ],
  "POST /t/withdraw": [
    "withdrawVisitor",
    "Forgets a visitor who has withdrawn consent. The script calls it if an answer that names the visitor comes after that. Clicks and leads stay counted.",
    { cid: "acme", tid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" },
  ],
  "GET /t/details": [
    "getVisitorDetails",
    "Shows who sent the visitor, so that the page can greet them or show the promoter's code.",
  ],
  "POST /t/details": ["postVisitorDetails", "The same as `GET`, as the script calls it."],
  "GET /healthz": ["getHealth", "Shows that the process is alive. It does not ask the store."],
  "GET /readyz": ["getReadiness", "Shows whether the store answers. 503 while it does not."],
};
