import type { Fields } from "./entry.ts";

const DAY = "2026-03-01";
const SPLITS = [{ promoter_campaign_id: 32, promoter_id: 18, percentage: 25 }];
const SPLIT_INPUT = [{ promoter_campaign_id: 32, percentage: 25 }];

/** Fields of leads that have another meaning elsewhere. V2 calls leads referrals. */
const OWN: Fields = {
  "filters.plan_id": ["The plan of the latest sale, by your own id; several are possible.", ["pro-monthly"]],
  email: ["The lead's e-mail address.", "sam@example.net"],
  split_details: [
    "The parts of the lead's commissions that go to others. null: the promoter gets all.",
    SPLITS,
  ],
  custom_status: ["Always null: there are no statuses of your own.", null],
};

/** Fields of the entries of a time line. Those that an entry does not have are null. */
const TIMELINE: Fields = {
  "TimelineEntry.kind": "What happened.",
  "TimelineEntry.at": "When it happened. null: a click whose visitor has expired.",
  "TimelineEntry.id": ["Id of the sale, the refund, the commission or the payout.", 12],
  "TimelineEntry.event_id": ["Your own id of the sale or the refund.", "inv_1001"],
  "TimelineEntry.amount": ["The amount: cents for `cash`, whole units otherwise.", 10_000],
  "TimelineEntry.unit": ["Unit of the amount.", "cash"],
  "TimelineEntry.original_amount": ["The amount in the sale's own currency.", 10_000],
  "TimelineEntry.original_currency": ["The sale's own currency. null: the account's currency.", null],
  "TimelineEntry.status": ["Status of the commission or the payout.", "approved"],
  "TimelineEntry.plan_id": ["The sold price or plan, by your own id.", "pro-monthly"],
  "TimelineEntry.quantity": ["How many pieces were sold.", 1],
  "TimelineEntry.mrr": ["The sale's monthly recurring revenue, in cents of your account's currency.", 2900],
  "TimelineEntry.referral_reward": ["Name of the reward that the lead got with the sale.", "10% off"],
  "TimelineEntry.tier": ["Whose commission it is. 1: the promoter, 2: their parent, and so on.", 1],
  "TimelineEntry.reward": ["Name of the reward that gave the commission.", "20% of each sale"],
  "TimelineEntry.promoter": "Who gets the commission.",
  "TimelineEntry.due_date": "The day by which the payout must be paid.",
  "TimelineEntry.source": ["The site with the link that was clicked.", "blog.example.net"],
  "TimelineEntry.page": ["The page that the link led to.", "https://www.example.com/pricing"],
  "TimelineEntry.landing_url": [
    "The whole address of that page.",
    "https://www.example.com/pricing?via=jane",
  ],
  "TimelineEntry.referrer": ["The page with the link.", "https://blog.example.net/review"],
  "TimelineEntry.sub_id": ["The promoter's own mark of the link.", "newsletter"],
  "TimelineEntry.is_ad_traffic": "Whether the click came from a paid ad.",
};

/** Fields of leads in V2. */
export const REFERRAL_FIELDS: Fields = {
  "filters.type": "`lead`: not a customer yet. `customer`: has bought something.",
  "listReferrals.q": ["Text to search for in e-mail addresses, uids, names and websites.", "sam@example.net"],
  "listReferrals.state":
    "Only leads in this state. `not_denied`: all except denied ones. No lead is `moved`: the lead itself moves.",
  "listReferrals.promoter_id": ["Id of the promoter.", 17],
  "filters.entry_source": "Only leads that came in one of these ways.",
  "filters.fraud_check": "Only leads with one of these suspicions.",
  "listReferrals.customer_since": "When the lead became a customer.",
  "listReferrals.created_at": "When the lead was recorded.",
  "listReferrals.cancelled_at": "When the lead cancelled.",
  "customer_since.from": ["From this day or moment on.", DAY],
  "customer_since.to": ["Until this moment, or the end of this day.", DAY],
  "created_at.from": ["From this day or moment on.", DAY],
  "created_at.to": ["Until this moment, or the end of this day.", DAY],
  "cancelled_at.from": ["From this day or moment on.", DAY],
  "cancelled_at.to": ["Until this moment, or the end of this day.", DAY],
  "getReferral.id": ["The lead's id, or the attribute that `find_by` names.", "17"],
  "updateReferral.id": ["The lead's id, or the attribute that `find_by` names.", "17"],
  "patchReferral.id": ["The lead's id, or the attribute that `find_by` names.", "17"],
  "getReferralTimeline.id": ["The lead's id, or the attribute that `find_by` names.", "17"],
  "importReferralEvents.id": ["The lead's id, or the attribute that `find_by` names.", "17"],
  move_associated_commissions:
    "Whether their unpaid commissions move too. Paid ones never move. Default: `false`.",
  "split_details.percentage": ["The part of each commission, in percent.", 25],
  "MoveReferralsToPromoterBody.promoter_campaign_id": [
    "Id of the promoter campaign that gets the leads.",
    31,
  ],
  "UpdateReferralBody.promoter_campaign_id": ["Id of the promoter campaign that gets the lead.", 31],
  "PatchReferralBody.promoter_campaign_id": ["Id of the promoter campaign that gets the lead.", 31],
  "UpdateReferralBody.split_details": ["The parts that go to others. Empty: none.", SPLIT_INPUT],
  "PatchReferralBody.split_details": ["The parts that go to others. Empty: none.", SPLIT_INPUT],
  "CreateReferralBody.split_details": ["The parts of commissions that go to others.", SPLIT_INPUT],
  "listReferrals.sorting.created_at": "In the order in which they came, or the reverse of it.",
  ...TIMELINE,
  ...of("Referral"),
  ...of("ReferralEventData"),
};

function of(name: string): Fields {
  return Object.fromEntries(Object.entries(OWN).map(([field, entry]) => [`${name}.${field}`, entry]));
}
