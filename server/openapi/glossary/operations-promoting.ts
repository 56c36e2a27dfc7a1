import type { Operations } from "./entry.ts";

/** Operations on what promoters share and add: links, leads and promo codes. They are below `/api/v2/affiliate`. */
export const PROMOTING_OPERATIONS: Operations = {
  "GET /referral_links": [
    "listOwnReferralLinks",
    "Lists the usual link, those to the campaign's further pages, and those that the promoter made.",
  ],
  "POST /referral_links": [
    "createReferralLink",
    "Makes a link to another page of the campaign's site, or one that names a channel.",
    { promoter_campaign_id: 31, name: "Newsletter", sub_id: "newsletter" },
  ],
  "GET /referral_links/:id": ["getReferralLink", "Shows a link that the promoter made."],
  "PUT /referral_links/:id": [
    "updateReferralLink",
    "Changes a link that the promoter made. What you leave out stays.",
    { name: "Newsletter in March" },
  ],
  "DELETE /referral_links/:id": [
    "deleteReferralLink",
    "Takes a link that the promoter made off the list. Its address goes on working.",
  ],
  "GET /referrals": ["listOwnReferrals", "Lists the promoter's leads, newest first. Addresses are masked."],
  "POST /referrals": [
    "addOwnReferral",
    "Adds a lead by hand, if the campaign lets promoters do that. It waits for the company's approval as `pending`. The answer is the same whether or not the company knows the person.",
    {
      promoter_campaign_id: 31,
      email: "sam@example.net",
      first_name: "Sam",
      comment: "Met at the fair in March.",
    },
  ],
  "GET /referrals/export": [
    "exportOwnReferrals",
    "Downloads the newest 10,000 leads as CSV. Addresses are masked.",
  ],
  "GET /referrals/:id": ["getOwnReferral", "Shows one of the promoter's leads. The address is masked."],
  "PUT /referrals/:id": [
    "updateOwnReferral",
    "Changes what the promoter says about a lead that waits for approval. The address stays. What you leave out stays.",
    { comment: "Met at the fair in March." },
  ],
  "DELETE /referrals/:id": [
    "deleteOwnReferral",
    "Takes back a lead that the promoter added and that waits for approval.",
  ],
  "GET /promo_codes": [
    "listOwnPromoCodes",
    "Lists the codes that the promoter's audience can type at the checkout.",
  ],
  "POST /promo_codes": [
    "createOwnPromoCode",
    "Makes a promo code, if the campaign lets promoters do that. It gives one of the campaign's rewards for customers.",
    { promoter_campaign_id: 31, code: "JANE10" },
  ],
  "PUT /promo_codes/:id": [
    "updateOwnPromoCode",
    "Changes a promo code that the promoter made. What you leave out stays.",
    { code: "JANE15" },
  ],
  "DELETE /promo_codes/:id": [
    "archiveOwnPromoCode",
    "Archives a promo code that the promoter made. Codes of the company stay.",
  ],
};
