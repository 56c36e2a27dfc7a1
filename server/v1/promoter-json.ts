import { z } from "zod";
import { readTotalsAndBalances, type Balance } from "../domain/ledger/commission/balance.ts";
import { listCodesInUse } from "../domain/people/promo-code/promo-code.ts";
import {
  promoterCampaigns,
  type Belonging,
  type PromoterCampaign,
} from "../domain/people/promoter-campaign/promoter-campaign.ts";
import { readPromoterCampaigns } from "../domain/people/promoter-campaign/search.ts";
import { promoters, type Promoter, type PromoterProfile } from "../domain/people/promoter/promoter.ts";
import { rewards } from "../domain/program/reward/reward.ts";
import { Failure } from "../failure.ts";
import { createdAt, field, recordId } from "../http/fields.ts";
import { custId, customFields } from "../input/fields.ts";
import { shown } from "../resource/answer.ts";
import { belongingTo, findMany } from "../storage/query.ts";
import type { View } from "../storage/store.ts";
import { promotionAnswer, readPromotions } from "./promotion-json.ts";

const balanceAnswer = z
  .object({
    cash: field(z.int(), "Money, in cents.", 2000),
    credits: field(z.int(), "Credits.", 0),
    points: field(z.int(), "Points.", 0),
    free_months: field(z.int(), "Free months.", 0),
    discount_mon: field(z.int(), "Discount as an amount.", 0),
    discount_per: field(z.int(), "Discount in percent.", 0),
  })
  .meta({ id: "V1Balance" });

/** What V1 shows a promoter with. */
interface PromoterParts {
  /** The default promoter campaign. */
  promoterCampaign: PromoterCampaign;
  /** The parent's default ref id, or null without a parent. */
  parentRefToken: string | null;
  balance: Balance;
}

const belongings = belongingTo(promoters, {
  promoterCampaign: [promoterCampaigns, "default_promoter_campaign_id"],
  parent: [promoters, "parent_promoter_id"],
});

/**
 * Reads what V1 shows promoters with, all at once. Null: the promoter was deleted. A balance that is known saves queries. A
 * parent that is being deleted counts as none.
 */
async function promoterParts(
  view: View,
  records: Promoter[],
  balance?: Balance,
): Promise<(PromoterParts | null)[]> {
  const accountId = records[0]?.account_id ?? 0;
  const owned = await belongings(view, records);
  const parentIds = owned.flatMap(({ parent }) => parent?.default_promoter_campaign_id ?? []);
  const [parentCampaigns, known] = await Promise.all([
    findMany(view, promoterCampaigns, accountId, parentIds),
    balance ? null : readTotalsAndBalances(view, accountId, idsOf(records)),
  ]);
  return owned.map(({ promoterCampaign, parent }, at) => {
    const parentCampaign = parent && parentCampaigns.get(parent.default_promoter_campaign_id);
    return (
      promoterCampaign && {
        promoterCampaign,
        parentRefToken: parentCampaign?.ref_token ?? null,
        balance: balance ?? known!(records[at]!.id).balance,
      }
    );
  });
}

const STATUS = {
  accepted: "approved",
  pending: "pending",
  rejected: "denied",
  blocked: "denied",
  inactive: "approved",
} as const;

/** A promoter within other records. @see docs/spec/v1.md "Promoter", last paragraph */
export const promoterSubsetAnswer = shown(promoters, promoterParts)("V1PromoterSummary", {
  id: recordId,
  status: [
    field(
      z.enum(["approved", "pending", "denied", "active"]),
      "Whether the promoter is approved. Sign-up tracking says `active` for `approved`.",
    ),
    (_, { promoterCampaign }) => STATUS[promoterCampaign.state],
  ],
  cust_id: custId,
  email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
  created_at: createdAt,
  // Only the answer that creates the promoter shows it.
  temp_password: [
    field(
      z.string().nullable(),
      "First password of the promoter's dashboard. It is shown only when the promoter is created, and null afterwards.",
      "s3cret-start",
    ),
    () => null,
  ],
  default_promotion_id: [
    field(z.int(), "Id of the promoter's first promotion.", 31),
    ({ default_promoter_campaign_id }) => default_promoter_campaign_id,
  ],
  pref: [
    field(
      z.string().nullable(),
      "Default referral id of the parent promoter, or null if there is none.",
      "alex",
    ),
    (_, { parentRefToken }) => parentRefToken,
  ],
  default_ref_id: [
    field(z.string(), "The promoter's referral id in their first campaign.", "jane"),
    (_, { promoterCampaign }) => promoterCampaign.ref_token,
  ],
  note: field(
    z.string().nullable(),
    "A note of yours about the promoter. Promoters never see it.",
    "Met at the fair",
  ),
  w8_form_url: [
    field(z.string().nullable(), "Their tax form W-8, or null if it was not uploaded.", null),
    () => null,
  ],
  w9_form_url: [
    field(z.string().nullable(), "Their tax form W-9, or null if it was not uploaded.", null),
    () => null,
  ],
  parent_promoter_id: [
    field(z.string().nullable(), "Id of the promoter who recruited this one, as a text.", "12"),
    (promoter) => promoter.parent_promoter_id?.toString() ?? null,
  ],
  earnings_balance: [
    field(balanceAnswer, "What the promoter has earned so far."),
    (_, { balance }) => balanceJson(balance, "earnings"),
  ],
  current_balance: [
    field(balanceAnswer, "What the promoter has earned and has not been paid yet."),
    (_, { balance }) => balanceJson(balance, "current"),
  ],
  paid_balance: [
    field(balanceAnswer, "What the promoter has been paid so far."),
    (_, { balance }) => balanceJson(balance, "paid"),
  ],
  auth_token: field(
    z.string(),
    "Signs the promoter in to the portal: `/portal?auth_token=…`. Keep it secret.",
    "q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga",
  ),
});

const socialAccount = z
  .object({
    url: field(z.string().nullable(), "An absolute web address.", "https://www.example.com/?via=jane"),
  })
  .meta({ id: "V1SocialAccount" });

/** @see docs/spec/v1.md "Profile" */
export const profileAnswer = z
  .object({
    first_name: field(z.string().nullable(), "First name.", "Jane"),
    last_name: field(z.string().nullable(), "Last name.", "Doe"),
    website: field(z.string().nullable(), "Address of their web site.", "https://blog.example.com"),
    company_name: field(z.string().nullable(), "Name of the company.", "Acme"),
    phone_number: field(z.string().nullable(), "Phone number.", "+1 555 0100"),
    address: field(z.string().nullable(), "Postal address.", "1 Main Street, Springfield"),
    vat_id: field(z.string().nullable(), "VAT id of their company.", "DE123456789"),
    country: field(z.string().nullable(), "Two-letter code of their country.", "US"),
    wallet_email: field(
      z.string().nullable(),
      "E-mail address of the wallet that they are paid to.",
      "jane@wallet.example",
    ),
    avatar_url: field(
      z.string().nullable(),
      "Address of their picture.",
      "https://blog.example.com/jane.png",
    ),
    description: field(z.string().nullable(), "A longer description.", "Ten percent off in spring"),
    social_accounts: field(
      z.object({
        twitter: field(socialAccount, "Their page on Twitter."),
        youtube: field(socialAccount, "Their channel on YouTube."),
        facebook: field(socialAccount, "Their page on Facebook."),
        linkedin: field(socialAccount, "Their page on LinkedIn."),
        instagram: field(socialAccount, "Their page on Instagram."),
      }),
      "Their pages on social networks.",
    ),
  })
  .meta({ id: "V1Profile" });

/** @see docs/spec/v1.md "Promoter" */
export const promoterAnswer = promoterSubsetAnswer.schema
  .extend({
    profile: field(profileAnswer, "The promoter's own details."),
    promotions: field(z.array(promotionAnswer.schema), "The campaigns that the promoter is in."),
    custom_fields: field(z.record(z.string(), z.unknown()).nullable(), customFields),
    promo_codes: field(
      z.array(
        z.object({
          id: recordId,
          code: field(z.string(), "The code that customers type at the checkout.", "JANE10"),
          reward: field(
            z.object({ id: recordId, name: field(z.string(), "Name of the reward.", "20% of each sale") }),
            "The reward.",
          ),
        }),
      ),
      "The promoter's promo codes.",
    ),
  })
  .meta({ id: "V1Promoter" });

/**
 * The promoter within a tracking answer, where `approved` is called `active`. A balance that is known saves queries.
 *
 * @throws Failure `not_found` if they were deleted
 */
export async function showTrackedPromoter(
  view: View,
  promoter: Promoter,
  balance?: Balance,
): Promise<z.output<typeof promoterSubsetAnswer.schema>> {
  const [parts] = await promoterParts(view, [promoter], balance);
  if (!parts) throw new Failure("not_found", "Promotion not found.");
  const subset = promoterSubsetAnswer.json(promoter, parts);
  return { ...subset, status: subset.status === "approved" ? "active" : subset.status };
}

/** A promoter's profile as V1 shows it. */
export function profileJson(profile: PromoterProfile): z.output<typeof profileAnswer> {
  return {
    first_name: profile.first_name,
    last_name: profile.last_name,
    website: profile.website,
    company_name: profile.company_name,
    phone_number: profile.phone_number,
    address: profile.address,
    vat_id: profile.vat_id,
    country: profile.country,
    wallet_email: profile.wallet_email,
    avatar_url: profile.avatar_url,
    description: profile.description,
    social_accounts: {
      twitter: { url: profile.twitter_url },
      youtube: { url: profile.youtube_url },
      facebook: { url: profile.facebook_url },
      linkedin: { url: profile.linkedin_url },
      instagram: { url: profile.instagram_url },
    },
  };
}

function balanceJson({ units }: Balance, kind: "earnings" | "current" | "paid") {
  return {
    cash: units["cash"]?.[kind] ?? 0,
    credits: units["credits"]?.[kind] ?? 0,
    points: units["points"]?.[kind] ?? 0,
    free_months: units["free_months"]?.[kind] ?? 0,
    discount_mon: units["mon_discount"]?.[kind] ?? 0,
    discount_per: units["discount_per"]?.[kind] ?? 0,
  };
}

/** Shows complete promoters, with every promotion and every promo code in use. Deleted ones are left out. */
export async function showPromoters(
  view: View,
  records: Promoter[],
): Promise<z.output<typeof promoterAnswer>[]> {
  const accountId = records[0]?.account_id ?? 0;
  const [parts, joinedBy] = await Promise.all([
    promoterParts(view, records),
    readPromoterCampaigns(view, accountId, idsOf(records)),
  ]);
  const joined = records.flatMap(({ id }) => joinedBy(id));
  const [promotions, codesOf] = await Promise.all([
    promotionAnswer.showAll(view, joined),
    // Only codes in use, because V1 has no field for archived codes.
    listCodesInUse(view, accountId, idsOf(joined)),
  ]);
  const rewardIds = joined.flatMap(({ id }) => codesOf(id).map(({ reward_id }) => reward_id));
  const rewardsById = await findMany(view, rewards, accountId, rewardIds);
  return records.flatMap((promoter, at): z.output<typeof promoterAnswer>[] => {
    const own = parts[at] ?? null;
    if (own === null) return [];
    return [
      {
        ...promoterSubsetAnswer.json(promoter, own),
        profile: profileJson(promoter.profile),
        promotions: promotions.filter(({ promoter_id }) => promoter_id === promoter.id),
        custom_fields: promoter.custom_fields,
        promo_codes: joinedBy(promoter.id)
          .flatMap(({ id }) => codesOf(id))
          .flatMap(({ id, code, reward_id }) => {
            const reward = rewardsById.get(reward_id);
            return reward === undefined ? [] : [{ id, code, reward: { id: reward.id, name: reward.name } }];
          }),
      },
    ];
  });
}

/** Shows a complete promoter. @throws Failure `not_found` if they were deleted */
export async function showPromoter(view: View, promoter: Promoter): Promise<z.output<typeof promoterAnswer>> {
  const [shown] = await showPromoters(view, [promoter]);
  if (shown === undefined) throw new Failure("not_found", "Promotion not found.");
  return shown;
}

/** The promoters with these ids within other records, all at once. Null: they were deleted. */
export async function readPromoters(
  view: View,
  accountId: number,
  ids: readonly number[],
): Promise<(id: number) => z.output<typeof promoterSubsetAnswer.schema> | null> {
  const found = await findMany(view, promoters, accountId, ids);
  const shown = await promoterSubsetAnswer.showAll(view, [...found.values()]);
  const known = new Map(shown.map((promoter) => [promoter.id, promoter]));
  return (id) => known.get(id) ?? null;
}

/** The promotions and the promoters of leads or commissions, all at once. Null: it was deleted. */
export async function readOwners(view: View, records: Belonging[]) {
  const accountId = records[0]?.account_id ?? 0;
  const [promotionOf, promoterOf] = await Promise.all([
    readPromotions(
      view,
      accountId,
      records.map(({ promoter_campaign_id }) => promoter_campaign_id),
    ),
    readPromoters(
      view,
      accountId,
      records.map(({ promoter_id }) => promoter_id),
    ),
  ]);
  return ({ promoter_campaign_id, promoter_id }: Belonging) => ({
    promotion: promotionOf(promoter_campaign_id),
    promoter: promoterOf(promoter_id),
  });
}

function idsOf(records: readonly { id: number }[]): number[] {
  return records.map(({ id }) => id);
}
