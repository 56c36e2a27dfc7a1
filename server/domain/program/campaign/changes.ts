import { Failure } from "../../../failure.ts";
import type { Transaction } from "../../../storage/store.ts";
import { accounts, changeAccount } from "../account/account.ts";
import { SYSTEM, type Context } from "../../context.ts";
import { updateWantedEvents } from "../../events/webhook/webhook.ts";
import { checkRewardEntries } from "../reward/reward.ts";
import {
  campaigns,
  emailsOf,
  loadCampaign,
  newCampaign,
  type Campaign,
  type CampaignLink,
  type CampaignSignup,
  type NewCampaign,
} from "./campaign.ts";

/** Changes to a campaign. Undefined fields stay unchanged. */
export interface CampaignChanges {
  name?: string | undefined;
  color?: string | undefined;
  landing_url?: string | undefined;
  /** The parameter name in links from now on. */
  refParam?: string | undefined;
  /** All names of that parameter, instead of `refParam`. */
  ref_params?: string[] | undefined;
  visitor_cookie_days?: number | undefined;
  auto_approve_promoters?: boolean | undefined;
  auto_approve_commissions?: boolean | undefined;
  commission_hold_days?: number | undefined;
  attribution?: Campaign["attribution"] | undefined;
  allowed_origins?: string[] | undefined;
  track_ad_traffic?: Campaign["track_ad_traffic"] | undefined;
  is_private?: boolean | undefined;
  promoters_may_add_leads?: boolean | undefined;
  promoters_may_make_promo_codes?: boolean | undefined;
  /** Links that are not listed stay. */
  links?: LinkChange[] | undefined;
  upgrade?: Campaign["upgrade"] | undefined;
  rewards_for_promoters?: Campaign["rewards_for_promoters"] | undefined;
  rewards_for_referrals?: Campaign["rewards_for_referrals"] | undefined;
  emails?: Campaign["emails"] | undefined;
  /** Replaces the settings of the sign-up page. */
  signup?: Campaign["signup"] | undefined;
  /** True makes it the account's default campaign. */
  is_default?: boolean | undefined;
}

/** A change to one of a campaign's links. Without an id it makes a new link. */
interface LinkChange {
  id: number | null;
  /** Undefined: unchanged. */
  name: string | undefined;
  url: string | undefined;
  isRemoved: boolean;
}

/**
 * Makes a campaign with links and rewards.
 *
 * @throws Failure `not_found` for an unknown link, reward or upgrade, `rule_broken`
 */
export async function createFullCampaign(
  tx: Transaction,
  context: Context,
  accountId: number,
  input: CampaignChanges & Pick<NewCampaign, "name" | "landing_url">,
): Promise<Campaign> {
  const { name, landing_url } = input;
  const id = await tx.nextId("campaign");
  const blank = newCampaign(context.now, { account_id: accountId, id, name, landing_url });
  return putChanged(tx, context, { before: blank, changes: input });
}

/**
 * Changes a campaign.
 *
 * @throws Failure `not_found` for the campaign, a link, a reward or an upgrade; `rule_broken`
 */
export async function updateCampaign(
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, changes }: { id: number; changes: CampaignChanges },
): Promise<Campaign> {
  return putChanged(tx, context, { before: await loadCampaign(tx, accountId, id), changes });
}

/** The campaign to delete. */
interface CampaignRemoval {
  id: number;
  /** Refuses a campaign that records belong to. It is locked, so that none are added meanwhile. */
  refuseUsed: (tx: Transaction, campaign: Campaign) => Promise<void>;
}

/**
 * Deletes an empty campaign.
 *
 * @throws Failure `not_found`, `in_use` while records belong to it or it is the default campaign
 * @see docs/spec/v2.md "Deletions"
 */
export async function deleteCampaign(
  tx: Transaction,
  accountId: number,
  { id, refuseUsed }: CampaignRemoval,
): Promise<Campaign> {
  const campaign = await loadCampaign(tx, accountId, id);
  const account = await tx.get(accounts, SYSTEM, accountId);
  if (account?.default_campaign_id === id) {
    throw new Failure("in_use", "The default campaign can't be deleted");
  }
  await tx.lock(campaigns, accountId, id);
  await refuseUsed(tx, campaign);
  await tx.remove(campaigns, accountId, id);
  if (campaign.emails.length > 0) await updateWantedEvents(tx, accountId, emailsOf);
  return campaign;
}

async function putChanged(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  { before, changes }: { before: Campaign; changes: CampaignChanges },
): Promise<Campaign> {
  const after = campaignAfter(before, changes);
  after.links = await linksAfter(tx, before.links, changes.links);
  if (changes.signup) after.signup = signupAfter(before, changes.signup, now);
  // An unchanged upgrade is not checked again, because clients send back what they read.
  if (after.upgrade?.campaign_id !== before.upgrade?.campaign_id) await checkUpgrade(tx, after);
  const { account_id, id } = after;
  await checkRewardEntries(tx, account_id, { scope: "promoters", entries: after.rewards_for_promoters });
  await checkRewardEntries(tx, account_id, { scope: "referrals", entries: after.rewards_for_referrals });
  await tx.put(campaigns, after);
  if (changes.emails !== undefined) await updateWantedEvents(tx, account_id, emailsOf);
  if (changes.is_default) await changeAccount(tx, account_id, { default_campaign_id: id });
  return after;
}

function campaignAfter(before: Campaign, changes: CampaignChanges): Campaign {
  return {
    ...before,
    name: changes.name ?? before.name,
    color: changes.color ?? before.color,
    landing_url: changes.landing_url ?? before.landing_url,
    ref_params: changes.ref_params ?? refParamsAfter(before, changes.refParam),
    visitor_cookie_days: changes.visitor_cookie_days ?? before.visitor_cookie_days,
    auto_approve_promoters: changes.auto_approve_promoters ?? before.auto_approve_promoters,
    auto_approve_commissions: changes.auto_approve_commissions ?? before.auto_approve_commissions,
    commission_hold_days: changes.commission_hold_days ?? before.commission_hold_days,
    attribution: changes.attribution ?? before.attribution,
    allowed_origins: changes.allowed_origins ?? before.allowed_origins,
    track_ad_traffic: changes.track_ad_traffic ?? before.track_ad_traffic,
    is_private: changes.is_private ?? before.is_private,
    promoters_may_add_leads: changes.promoters_may_add_leads ?? before.promoters_may_add_leads,
    promoters_may_make_promo_codes:
      changes.promoters_may_make_promo_codes ?? before.promoters_may_make_promo_codes,
    upgrade: changes.upgrade === undefined ? before.upgrade : changes.upgrade,
    rewards_for_promoters: changes.rewards_for_promoters ?? before.rewards_for_promoters,
    rewards_for_referrals: changes.rewards_for_referrals ?? before.rewards_for_referrals,
    emails: changes.emails ?? before.emails,
  };
}

/**
 * Other terms are another version, which promoters are asked to accept. Further languages of the same terms are not, nor is
 * the same text with the line ends of another system.
 */
function signupAfter(before: Campaign, signup: CampaignSignup, now: Date): CampaignSignup {
  const { terms_since: _former, ...after } = signup;
  if (!after.terms) return after;
  const isSame = wordsOf(after.terms) === wordsOf(before.signup?.terms ?? "");
  const version = isSame ? before.signup?.terms_since : now.toISOString();
  return version === undefined || version === before.created_at ? after : { ...after, terms_since: version };
}

function wordsOf(terms: string): string {
  return terms.replaceAll(/\r\n?/g, "\n").trim();
}

/**
 * The parameter names that clients may choose. The browser script reads all of them except `svc`, which the
 * script tag must name.
 */
const KNOWN_REF_PARAMS = new Set([
  "svc",
  "svc_ref",
  "fp_ref",
  "fpr",
  "via",
  "ref",
  "a",
  "_from",
  "_by",
  "deal",
  "_go",
  "_get",
]);

/**
 * The new name comes first. Earlier names stay behind it, because links with them are already in use. An
 * unknown name is refused unless the campaign already has it, because clients send back what they read.
 */
function refParamsAfter({ ref_params }: Campaign, name: string | undefined): string[] {
  if (name === undefined) return ref_params;
  if (!KNOWN_REF_PARAMS.has(name) && !ref_params.includes(name)) {
    throw new Failure("invalid", "The record breaks a rule", { refParam: ["is invalid"] });
  }
  return [name, ...ref_params.filter((former) => former !== name)];
}

async function linksAfter(
  tx: Transaction,
  before: CampaignLink[],
  changes: LinkChange[] = [],
): Promise<CampaignLink[]> {
  const links = new Map(before.map((link) => [link.id, link]));
  for (const change of changes) {
    const known = change.id === null ? undefined : links.get(change.id);
    if (change.id !== null && known === undefined) throw new Failure("not_found", "Link not found.");
    const id = change.id ?? (await tx.nextId("campaign-link"));
    if (change.isRemoved) links.delete(id);
    else links.set(id, linkAfter({ id, name: "", url: "", ...known }, change));
  }
  return [...links.values()];
}

function linkAfter(link: CampaignLink, { name = link.name, url = link.url }: LinkChange): CampaignLink {
  if (name !== "" && url !== "") return { id: link.id, name, url };
  const fields = { links: ["must have a name and a url"] };
  throw new Failure("rule_broken", "The record breaks a rule", fields);
}

/** Promoters who have reached the goals of a circle would move for ever. */
async function checkUpgrade(tx: Transaction, { account_id, id, upgrade }: Campaign): Promise<void> {
  if (upgrade === null) return;
  if (upgrade.campaign_id === id) refuseUpgrade("must lead to another campaign");
  let next: Campaign | null = await loadCampaign(tx, account_id, upgrade.campaign_id);
  for (const seen = new Set([id]); next !== null && next.upgrade !== null;) {
    seen.add(next.id);
    if (seen.has(next.upgrade.campaign_id)) refuseUpgrade("must not lead back to this campaign");
    next = await tx.get(campaigns, account_id, next.upgrade.campaign_id);
  }
}

function refuseUpgrade(reason: string): never {
  throw new Failure("rule_broken", "The record breaks a rule", { upgrade: [reason] });
}
