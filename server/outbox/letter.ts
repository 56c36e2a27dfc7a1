import { accounts } from "../domain/account.ts";
import { campaigns } from "../domain/campaign.ts";
import type { RecordChange } from "../domain/event-type.ts";
import { promoterName, promoters } from "../domain/promoter.ts";
import { promoterCampaigns, refLink } from "../domain/promoter-campaign.ts";
import { unsubscribeToken } from "../domain/unsubscription.ts";
import {
  SYSTEM,
  type Account,
  type Campaign,
  type Delivery,
  type Lead,
  type Email,
  type EmailKind,
  type Payout,
  type Promoter,
  type PromoterCampaign,
} from "../records.ts";
import type { OutboxParts } from "./parts.ts";

/** What a happening would say to whom. */
interface Occasion {
  kind: EmailKind;
  promoterCampaignId: number;
  /** Whether the request that caused it asked for silence. */
  isSilenced: (promoter: Promoter) => boolean;
  values: Record<string, string>;
}

/** What the log says of a letter: neither whom it is to, nor what it says. */
export function emailInLog({ ownerId, id, letter, responseCode }: Delivery): Record<string, unknown> {
  const { kind, promoterId } = letter ?? {};
  return { account: ownerId, delivery: id, letter: kind, promoter: promoterId, status: responseCode };
}

/** The letter that a happening is an occasion for, where its campaign sends such letters; else null. */
export async function emailFor(
  { store, publicUrl }: OutboxParts,
  change: RecordChange,
): Promise<Email | null> {
  const occasion = occasionOf(change);
  const accountId = (change.after ?? change.before)?.accountId;
  if (occasion === null || accountId === undefined) return null;
  const promoterCampaign = await store.get(promoterCampaigns, accountId, occasion.promoterCampaignId);
  if (promoterCampaign === null) return null;
  const campaign = await store.get(campaigns, accountId, promoterCampaign.campaignId);
  const promoter = await store.get(promoters, accountId, promoterCampaign.promoterId);
  const account = await store.get(accounts, SYSTEM, accountId);
  if (campaign === null || promoter === null || account === null) return null;
  const kind = kindFor(occasion.kind, promoter, promoterCampaign);
  if (!campaign.letters.includes(kind) || occasion.isSilenced(promoter)) return null;
  const { values } = occasion;
  return newEmail(kind, { account, campaign, promoter, promoterCampaign, publicUrl, values });
}

/** What a letter to a promoter is made of. */
export interface EmailParts {
  account: Account;
  campaign: Campaign;
  promoter: Promoter;
  promoterCampaign: PromoterCampaign;
  publicUrl: string;
  /** What letters of this kind say besides. */
  values?: Record<string, string>;
}

/** A letter to a promoter about their participation in a campaign. */
export function newEmail(kind: EmailKind, parts: EmailParts): Email {
  const { account, campaign, promoter, promoterCampaign, publicUrl, values } = parts;
  return {
    kind,
    promoterId: promoter.id,
    to: promoter.email,
    values: {
      first_name: promoter.profile.firstName ?? promoterName(promoter),
      email: promoter.email,
      company_name: account.name,
      campaign_name: campaign.name,
      ref_token: promoterCampaign.refToken,
      ref_link: refLink(promoterCampaign, campaign),
      unsubscribe_url: unsubscribeUrl(publicUrl, account, promoter),
      ...values,
    },
  };
}

function occasionOf(change: RecordChange): Occasion | null {
  const { entity, before, after } = change;
  if (entity === "promoter_campaign") return after && decision(before, after);
  if (entity === "referral") return before === null && after !== null ? newReferral(after) : null;
  if (entity !== "payout" || after?.status !== "completed" || before?.status === "completed") return null;
  return payoutSent(after);
}

/**
 * Choice: what was asked at a promoter's making holds for the letters about their making, by whomever
 * it is decided; who comes back from being blocked or inactive was reviewed before.
 */
function decision(before: PromoterCampaign | null, after: PromoterCampaign): Occasion | null {
  const isUndecided = before === null || before.state === "pending" || before.state === "rejected";
  const isNew = before?.state !== after.state;
  const kind = before === null ? "signup_accepted" : "accepted";
  const common = {
    promoterCampaignId: after.id,
    isSilenced: ({ skipEmailNotification }: Promoter) => skipEmailNotification,
    values: {},
  };
  if (after.state === "accepted" && isUndecided && isNew) return { ...common, kind };
  return after.state === "rejected" && isNew ? { ...common, kind: "rejected" } : null;
}

function newReferral({ promoterCampaignId, skipEmailNotification }: Lead): Occasion {
  return { kind: "new_referral", promoterCampaignId, isSilenced: () => skipEmailNotification, values: {} };
}

function payoutSent({ promoterCampaignId, unit, totalInclTax }: Payout): Occasion {
  const amount = unit === "cash" ? (totalInclTax / 100).toFixed(2) : String(totalInclTax);
  return { kind: "payout_sent", promoterCampaignId, isSilenced: () => false, values: { amount, unit } };
}

/** Only a promoter's first participation is their sign-up; a further one is one more acceptance. */
function kindFor(kind: EmailKind, promoter: Promoter, { id }: PromoterCampaign): EmailKind {
  return kind === "signup_accepted" && promoter.defaultPromoterCampaignId !== id ? "accepted" : kind;
}

function unsubscribeUrl(publicUrl: string, account: Account, { id }: Promoter): string {
  const url = new URL(`${publicUrl}/unsubscribe`);
  url.searchParams.set("cid", account.publicId);
  url.searchParams.set("promoter", String(id));
  url.searchParams.set("token", unsubscribeToken(account, id));
  return url.href;
}
