import type { Fields } from "./entry.ts";

const DAY = "2026-03-01";
const SPLITS = [{ promoter_campaign_id: 32, promoter_id: 18, percentage: 25 }];
const SPLIT_INPUT = [{ promoter_campaign_id: 32, percentage: 25 }];

/** Fields of leads that have another meaning elsewhere. V2 calls leads referrals. */
const OWN: Fields = {
  email: ["The lead's e-mail address.", "sam@example.net"],
  split_details: [
    "The parts of the lead's commissions that go to others. null: the promoter gets all.",
    SPLITS,
  ],
};

/** Fields of leads in V2. */
export const REFERRAL_FIELDS: Fields = {
  "filters.type": "`lead`: not a customer yet. `customer`: has bought something.",
  "listReferrals.q": ["Text to search for in e-mail addresses, uids, names and websites.", "sam@example.net"],
  "listReferrals.state": "Only leads in this state. No lead is `moved`: the lead itself moves.",
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
  ...of("Referral"),
  ...of("ReferralEventData"),
};

function of(name: string): Fields {
  return Object.fromEntries(Object.entries(OWN).map(([field, entry]) => [`${name}.${field}`, entry]));
}
