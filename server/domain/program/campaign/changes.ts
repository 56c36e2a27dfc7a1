import { Failure } from "../../../failure.ts";
import type { Transaction } from "../../../storage/store.ts";
import { accounts, changeAccount } from "../account/account.ts";
import { SYSTEM, type Context } from "../../context.ts";
import { updateWantedEvents } from "../../events/webhook/webhook.ts";
import { checkRewardEntries } from "../reward/reward.ts";
import type { Show } from "../../show.ts";
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
  landingUrl?: string | undefined;
  /** The parameter name in links from now on. */
  refParam?: string | undefined;
  /** All names of that parameter, instead of `refParam`. */
  refParams?: string[] | undefined;
  visitorCookieDays?: number | undefined;
  autoApprovePromoters?: boolean | undefined;
  autoApproveCommissions?: boolean | undefined;
  commissionHoldDays?: number | undefined;
  attribution?: Campaign["attribution"] | undefined;
  allowedOrigins?: string[] | undefined;
  trackAdTraffic?: Campaign["trackAdTraffic"] | undefined;
  isPrivate?: boolean | undefined;
  promotersMayAddLeads?: boolean | undefined;
  promotersMayMakePromoCodes?: boolean | undefined;
  /** Links that are not listed stay. */
  links?: LinkChange[] | undefined;
  upgrade?: Campaign["upgrade"] | undefined;
  rewardsForPromoters?: Campaign["rewardsForPromoters"] | undefined;
  rewardsForReferrals?: Campaign["rewardsForReferrals"] | undefined;
  emails?: Campaign["emails"] | undefined;
  /** Replaces the settings of the sign-up page. */
  signup?: Campaign["signup"] | undefined;
  /** True makes it the account's default campaign. */
  isDefault?: boolean | undefined;
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
export async function createFullCampaign<T>(
  context: Context,
  accountId: number,
  {
    show,
    ...input
  }: CampaignChanges & Pick<NewCampaign, "name" | "landingUrl"> & { show: Show<Campaign, T> },
): Promise<T> {
  const id = await context.store.nextId("campaign");
  const linkIds = await newLinkIds(context, input.links);
  const { name, landingUrl } = input;
  const blank = newCampaign(context.now, { accountId, id, name, landingUrl });
  return context.store.transact(async (tx) =>
    show(tx.view, await putChanged(tx, context, { before: blank, changes: input, linkIds })),
  );
}

/**
 * Changes a campaign.
 *
 * @throws Failure `not_found` for the campaign, a link, a reward or an upgrade; `rule_broken`
 */
export async function updateCampaign<T>(
  context: Context,
  accountId: number,
  { id, changes, show }: { id: number; changes: CampaignChanges; show: Show<Campaign, T> },
): Promise<T> {
  const linkIds = await newLinkIds(context, changes.links);
  return context.store.transact(async (tx) => {
    const before = await loadCampaign(tx, accountId, id);
    return show(tx.view, await putChanged(tx, context, { before, changes, linkIds }));
  });
}

/** The campaign to delete. */
interface CampaignRemoval<T> {
  id: number;
  /** Refuses a campaign that records belong to. It is locked, so that none are added meanwhile. */
  refuseUsed: (tx: Transaction, campaign: Campaign) => Promise<void>;
  show: Show<Campaign, T>;
}

/**
 * Deletes an empty campaign.
 *
 * @throws Failure `not_found`, `in_use` while records belong to it or it is the default campaign
 * @see docs/spec/v2.md "Deletions"
 */
export function deleteCampaign<T>(
  { store }: Context,
  accountId: number,
  { id, refuseUsed, show }: CampaignRemoval<T>,
): Promise<T> {
  return store.transact(async (tx) => {
    const campaign = await loadCampaign(tx, accountId, id);
    const account = await tx.get(accounts, SYSTEM, accountId);
    if (account?.defaultCampaignId === id) {
      throw new Failure("in_use", "The default campaign can't be deleted");
    }
    await tx.lock(campaigns, accountId, id);
    await refuseUsed(tx, campaign);
    await tx.remove(campaigns, accountId, id);
    if (campaign.emails.length > 0) await updateWantedEvents(tx, accountId, emailsOf);
    return show(tx.view, campaign);
  });
}

/** Ids are reserved before the transaction, because the transaction may run more than once. */
async function newLinkIds({ store }: Context, changes: LinkChange[] = []): Promise<number[]> {
  const ids: number[] = [];
  for (const { id } of changes) if (id === null) ids.push(await store.nextId("campaign-link"));
  return ids;
}

async function putChanged(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  { before, changes, linkIds }: { before: Campaign; changes: CampaignChanges; linkIds: number[] },
): Promise<Campaign> {
  const after = campaignAfter(before, changes, linkIds);
  if (changes.signup) after.signup = signupAfter(before, changes.signup, now);
  // An unchanged upgrade is not checked again, because clients send back what they read.
  if (after.upgrade?.campaignId !== before.upgrade?.campaignId) await checkUpgrade(tx, after);
  const { accountId, id } = after;
  await checkRewardEntries(tx, accountId, { scope: "promoters", entries: after.rewardsForPromoters });
  await checkRewardEntries(tx, accountId, { scope: "referrals", entries: after.rewardsForReferrals });
  await tx.put(campaigns, after);
  if (changes.emails !== undefined) await updateWantedEvents(tx, accountId, emailsOf);
  if (changes.isDefault) await changeAccount(tx, accountId, { defaultCampaignId: id });
  return after;
}

function campaignAfter(before: Campaign, changes: CampaignChanges, linkIds: number[]): Campaign {
  return {
    ...before,
    name: changes.name ?? before.name,
    color: changes.color ?? before.color,
    landingUrl: changes.landingUrl ?? before.landingUrl,
    refParams: changes.refParams ?? refParamsAfter(before, changes.refParam),
    visitorCookieDays: changes.visitorCookieDays ?? before.visitorCookieDays,
    autoApprovePromoters: changes.autoApprovePromoters ?? before.autoApprovePromoters,
    autoApproveCommissions: changes.autoApproveCommissions ?? before.autoApproveCommissions,
    commissionHoldDays: changes.commissionHoldDays ?? before.commissionHoldDays,
    attribution: changes.attribution ?? before.attribution,
    allowedOrigins: changes.allowedOrigins ?? before.allowedOrigins,
    trackAdTraffic: changes.trackAdTraffic ?? before.trackAdTraffic,
    isPrivate: changes.isPrivate ?? before.isPrivate,
    promotersMayAddLeads: changes.promotersMayAddLeads ?? before.promotersMayAddLeads,
    promotersMayMakePromoCodes: changes.promotersMayMakePromoCodes ?? before.promotersMayMakePromoCodes,
    links: linksAfter(before.links, changes.links ?? [], linkIds),
    upgrade: changes.upgrade === undefined ? before.upgrade : changes.upgrade,
    rewardsForPromoters: changes.rewardsForPromoters ?? before.rewardsForPromoters,
    rewardsForReferrals: changes.rewardsForReferrals ?? before.rewardsForReferrals,
    emails: changes.emails ?? before.emails,
  };
}

/**
 * Other terms are another version, which promoters are asked to accept. Further languages of the same terms are not, nor is
 * the same text with the line ends of another system.
 */
function signupAfter(before: Campaign, signup: CampaignSignup, now: Date): CampaignSignup {
  const { termsSince: _former, ...after } = signup;
  if (!after.terms) return after;
  const isSame = wordsOf(after.terms) === wordsOf(before.signup?.terms ?? "");
  const version = isSame ? before.signup?.termsSince : now.toISOString();
  return version === undefined || version === before.createdAt ? after : { ...after, termsSince: version };
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
function refParamsAfter({ refParams }: Campaign, name: string | undefined): string[] {
  if (name === undefined) return refParams;
  if (!KNOWN_REF_PARAMS.has(name) && !refParams.includes(name)) {
    throw new Failure("invalid", "The record breaks a rule", { refParam: ["is invalid"] });
  }
  return [name, ...refParams.filter((former) => former !== name)];
}

function linksAfter(before: CampaignLink[], changes: LinkChange[], newIds: number[]): CampaignLink[] {
  const links = new Map(before.map((link) => [link.id, link]));
  const freeIds = [...newIds];
  for (const change of changes) {
    const known = change.id === null ? undefined : links.get(change.id);
    if (change.id !== null && known === undefined) throw new Failure("not_found", "Link not found.");
    const id = change.id ?? freeIds.shift();
    if (id === undefined) continue;
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
async function checkUpgrade(tx: Transaction, { accountId, id, upgrade }: Campaign): Promise<void> {
  if (upgrade === null) return;
  if (upgrade.campaignId === id) refuseUpgrade("must lead to another campaign");
  let next: Campaign | null = await loadCampaign(tx, accountId, upgrade.campaignId);
  for (const seen = new Set([id]); next !== null && next.upgrade !== null;) {
    seen.add(next.id);
    if (seen.has(next.upgrade.campaignId)) refuseUpgrade("must not lead back to this campaign");
    next = await tx.get(campaigns, accountId, next.upgrade.campaignId);
  }
}

function refuseUpgrade(reason: string): never {
  throw new Failure("rule_broken", "The record breaks a rule", { upgrade: [reason] });
}
