import { z } from "zod";
import {
  findPromoterByEmail,
  newProfile,
  type PromoterProfile,
} from "../../domain/people/promoter/promoter.ts";
import { PROMOTER_CAMPAIGN_STATES } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { createPromoter } from "../../domain/people/promoter/creation.ts";
import { email, id, instant, longText, oneOf, text, webAddress } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { Columns } from "./columns.ts";
import { CREATED_AT, EMAIL, NAME, namesOf, REF_ID, refId, type Kind } from "./import.ts";
import { PROMOTER_WORDS } from "./words.ts";

const columns: Columns[] = [
  [...EMAIL, "promoter_email", "affiliate_email", "partner_email"],
  ["first_name", "firstname"],
  ["last_name", "lastname", "surname"],
  [...NAME, "promoter_name", "affiliate_name", "partner_name"],
  REF_ID,
  ["cust_id", "customer_id", "user_id"],
  ["promo_code", "coupon", "coupon_code"],
  ["campaign_id"],
  ["state", "status", "promoter_status", "affiliate_status", "partner_status", "approval_status"],
  ["parent_email", "parent_promoter_email"],
  ["website", "url"],
  ["company_name", "company"],
  ["country"],
  ["wallet_email", "paypal_email", "payout_email"],
  ["landing_url"],
  ["note", "notes"],
  CREATED_AT,
];

const promoterRow = z.object({
  email,
  first_name: text.optional(),
  last_name: text.optional(),
  name: text.optional(),
  ref_id: refId.optional(),
  cust_id: text.optional(),
  promo_code: text.optional(),
  campaign_id: id.optional(),
  state: text.toLowerCase().pipe(oneOf(PROMOTER_CAMPAIGN_STATES)).optional(),
  parent_email: email.optional(),
  website: text.optional(),
  company_name: text.optional(),
  country: text.optional(),
  wallet_email: email.optional(),
  landing_url: webAddress.optional(),
  note: longText.optional(),
  created_at: instant.optional(),
});
/** A promoter whose e-mail address is known stays unchanged. */
const importRow: Kind["importRow"] = async (context, account, { values }) => {
  const row = shapeInput(promoterRow, values);
  if (await findPromoterByEmail(context.store, account.id, row.email)) return "known";
  const promoter = {
    email: row.email,
    cust_id: row.cust_id ?? null,
    ref_token: row.ref_id ?? null,
    coupon: row.promo_code ?? null,
    display_coupon: null,
    campaign_id: row.campaign_id ?? null,
    temp_password_hash: null,
    landing_url: row.landing_url ?? null,
    uses_url_tracking: false,
    parent_promoter_id: null,
    parentPromoterEmail: row.parent_email ?? null,
    note: row.note ?? null,
    profile: profileOf(row),
    created_at: row.created_at ?? null,
    skip_email_notification: true,
    alwaysApprove: true,
    address: null,
    isHistory: true,
    ...(row.state !== undefined && { state: row.state }),
  };
  await context.store.transact((tx) => createPromoter(tx, context, account, promoter));
  return "added";
};

/** Promoters. A parent must come before the promoters that they recruited. */
export const PROMOTERS: Kind = {
  columns,
  required: [["email"]],
  words: { state: PROMOTER_WORDS },
  needsStates: true,
  read: (_, values) => shapeInput(promoterRow, values),
  importRow,
  concurrency: 1,
  keys: ["email"],
  claims: ["ref_id", "promo_code", "cust_id"],
};

function profileOf(row: z.output<typeof promoterRow>): PromoterProfile {
  return newProfile({
    ...namesOf(row),
    website: row.website,
    company_name: row.company_name,
    country: row.country,
    wallet_email: row.wallet_email,
  });
}
