import type { Transaction } from "../../storage/store.ts";
import { AUTH_TOKEN_LENGTH } from "../people/promoter/creation.ts";
import {
  payoutMethods,
  type PayoutMethod,
  type PayoutMethodName,
} from "../ledger/payout-method/payout-method.ts";
import { newProfile, promoters, type Promoter } from "../people/promoter/promoter.ts";
import {
  newPromoterCampaign,
  promoterCampaigns,
  refTokens,
  type PromoterCampaign,
  type PromoterCampaignState,
} from "../people/promoter-campaign/promoter-campaign.ts";
import { acceptanceOf, answersOf } from "./program.ts";
import { asciiName, chunks, nextIds, putAll, rollPerson, type Person, type SeedPlan } from "./plan.ts";
import { DAY_MS } from "../span.ts";

/** The first promoters joined before the first lead came. */
const OLDEST_DAYS = 410;
/** How long a promoter may wait for a review. */
const REVIEW_DAYS = 21;

/** The states of promoters who no longer bring leads, or never did. */
const REFUSED: PromoterCampaignState[] = ["rejected", "inactive", "blocked"];

/** A promoter with their promoter campaign and payout method. */
export interface SeedPromoter {
  promoter: Promoter;
  promoterCampaign: PromoterCampaign;
  /** Null if the promoter has set none. */
  payoutMethod: PayoutMethod | null;
}

/** Makes promoters, in the order in which they joined. */
export async function seedPromoters(plan: SeedPlan, count: number): Promise<SeedPromoter[]> {
  const { store } = plan.context;
  const seeded: SeedPromoter[] = [];
  for (const size of chunks(count)) {
    const ids = await nextIds(store, "promoter", size);
    const promoterCampaignIds = await nextIds(store, "promoter-campaign", size);
    const payoutMethodIds = await nextIds(store, "payout-method", size);
    for (const [at, id] of ids.entries()) {
      const number = seeded.length;
      seeded.push(
        newSeedPromoter(plan, {
          id,
          promoter_campaign_id: promoterCampaignIds[at]!,
          payout_method_id: payoutMethodIds[at]!,
          number,
          share: number / count,
          // Every fifth promoter was recruited by one who joined a little earlier.
          parent: number % 5 === 4 ? seeded[number - 4]! : null,
        }),
      );
    }
    await putAll(store, seeded.slice(-size), putPromoter);
  }
  return seeded;
}

async function putPromoter(
  tx: Transaction,
  { promoter, promoterCampaign, payoutMethod }: SeedPromoter,
): Promise<void> {
  const { account_id, id: promoterCampaignId, ref_token: token } = promoterCampaign;
  await tx.put(promoters, promoter);
  await tx.put(promoterCampaigns, promoterCampaign);
  await tx.put(refTokens, { account_id, token, promoter_campaign_id: promoterCampaignId });
  if (payoutMethod !== null) await tx.put(payoutMethods, payoutMethod);
}

/** The ids of a new promoter, and how many joined before them: the number, and its share of the total. */
interface PromoterPlace {
  id: number;
  promoter_campaign_id: number;
  payout_method_id: number;
  parent: SeedPromoter | null;
  number: number;
  share: number;
}

/**
 * Makes a believable promoter. Those with a greater share joined later, with more of them in later months.
 */
function newSeedPromoter(plan: SeedPlan, place: PromoterPlace): SeedPromoter {
  const { account, context, dice } = plan;
  const { id, promoter_campaign_id, payout_method_id } = place;
  const person = rollPerson(dice);
  const daysAgo = OLDEST_DAYS * (1 - place.share) ** 1.5;
  const createdAt = new Date(context.now.getTime() - daysAgo * DAY_MS).toISOString();
  const email = `${person.handle}.${id}@example.com`;
  const promoter = newPromoter(plan, person, { ...place, email, created_at: createdAt });
  const promoterCampaign = newPromoterCampaign({
    account_id: account.id,
    id: promoter_campaign_id,
    campaign_id: campaignOf(plan, place),
    promoter_id: id,
    state: stateOf(plan, place.number, daysAgo),
    ref_token: `${asciiName(person.first_name)}${id}`,
    created_at: createdAt,
  });
  return {
    promoter: { ...promoter, custom_fields: answersOf(plan, promoterCampaign) },
    promoterCampaign: { ...promoterCampaign, ...acceptanceOf(plan, promoterCampaign) },
    payoutMethod: dice.percent(80)
      ? {
          ...newPayoutMethod(plan, { ...person, ...place, email }),
          id: payout_method_id,
          promoter_id: id,
          created_at: createdAt,
        }
      : null,
  };
}

function newPromoter(
  { account, context, dice }: SeedPlan,
  { first_name, last_name, country, handle }: Person,
  {
    id,
    parent,
    promoter_campaign_id,
    email,
    created_at,
  }: PromoterPlace & { email: string; created_at: string },
): Promoter {
  const isCompany = dice.percent(20);
  const hasSite = isCompany || dice.percent(40);
  return {
    account_id: account.id,
    id,
    email,
    cust_id: dice.percent(50) ? `user_${id}` : null,
    note: dice.percent(10) ? "Met at the spring meet-up. Answers quickly." : null,
    temp_password_hash: null,
    auth_token: context.chance.token(AUTH_TOKEN_LENGTH),
    parent_promoter_id: parent?.promoter.id ?? null,
    default_promoter_campaign_id: promoter_campaign_id,
    profile: newProfile({
      first_name,
      last_name,
      country,
      company_name: isCompany ? `${last_name} Media` : null,
      website: hasSite ? `https://${handle.replace(".", "-")}.example/` : null,
    }),
    custom_fields: null,
    fraud_suspicions: dice.percent(4) ? ["same_ip_suspicion"] : [],
    track_ad_traffic: null,
    skip_email_notification: true,
    invoice_details_status: dice.pick(["pending", "approved", "approved", "denied"]),
    net_payout_days: null,
    tax_rate_hundredths: dice.pick([0, 0, 1_900, 2_000]),
    created_at,
    last_login_at: null,
    archived_at: null,
  };
}

/** Most promoters are in the first campaign. Recruited ones join the campaign of their parent. */
function campaignOf({ campaigns, dice }: SeedPlan, { number, parent }: PromoterPlace): number {
  if (parent !== null) return parent.promoterCampaign.campaign_id;
  const at = number === 0 ? 0 : Math.min(dice.number(campaigns.length), dice.number(campaigns.length));
  return campaigns[at]!.id;
}

/**
 * Most are accepted, the first one in any case, so that there is a promoter for leads. The latest wait for a
 * review.
 */
function stateOf({ dice }: SeedPlan, number: number, daysAgo: number): PromoterCampaignState {
  if (daysAgo < REVIEW_DAYS && dice.percent(60)) return "pending";
  if (number % 8 !== 7) return "accepted";
  return REFUSED[Math.floor(number / 8) % REFUSED.length]!;
}

/** The methods that promoters choose, frequent ones repeated. */
const METHODS: PayoutMethodName[] = ["paypal", "bank", "wise", "bank", "paypal", "wise", "crypto", "custom"];

/** The example IBAN of the standard's documentation, which no bank uses. */
const IBAN = "DE89370400440532013000";

function newPayoutMethod(
  { account, dice }: SeedPlan,
  { first_name, last_name, id, number, email }: Person & PromoterPlace & { email: string },
) {
  const method = METHODS[number % METHODS.length]!;
  const details: Record<PayoutMethodName, Record<string, string>> = {
    bank: { bank_country: "DE", account_holder_name: `${first_name} ${last_name}`, iban: IBAN },
    crypto: { wallet_address: `0x${String(id).padStart(40, "0")}`, crypto_currency: "USDC" },
    custom: {},
    paypal: { wallet_email: email },
    wise: { wise_email: email },
    dots: {},
  };
  return {
    account_id: account.id,
    method,
    details: details[method],
    meta: {},
    is_selected: true,
    is_disabled: dice.percent(5),
    is_managed: false,
  };
}
