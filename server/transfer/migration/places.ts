import { NO_ORIGIN } from "../../domain/people/origin.ts";
import { campaigns } from "../../domain/program/campaign/campaign.ts";
import { isErased } from "../../domain/people/erased.ts";
import { findSourceId, pictureOf, sourceIds } from "../../domain/program/migration/source-id.ts";
import { findCodeInUse, promoCodes, type PromoCode } from "../../domain/people/promo-code/promo-code.ts";
import {
  newPromoterCampaign,
  promoterCampaigns,
  deriveRefToken,
  isFormerToken,
  isFreeRefToken,
  refTokens,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { archivedStates } from "../../domain/people/promoter/changes.ts";
import { promoters, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { isOwnPage, ownLinks } from "../../domain/people/referral-link.ts";
import { addPastClicks, NO_DAY } from "../../domain/people/visitor/visitor.ts";
import type { Transaction } from "../../storage/store.ts";
import { addRewards, campaignOf, codeRewardOf } from "./campaigns.ts";
import { keep, ownId, type Result, type Step } from "./keep.ts";
import type { SourceCode, SourcePromoterCampaign } from "./model.ts";
import { clicksOf } from "./plan.ts";

/** Imports a promoter campaign, which usually was made with its promoter. */
export async function importPlace(step: Step, said: SourcePromoterCampaign): Promise<Result> {
  const { tx, context, account } = step;
  const remarks: string[] = [];
  const result = await keep<PromoterCampaign>(step, {
    kind: "promoter_campaign",
    id: said.id,
    said: saidOf(said),
    table: promoterCampaigns,
    picture: pictureOfPlace,
    async add() {
      const promoterId = await ownId(step, "promoter", said.promoter_id);
      const promoter = promoterId && (await tx.get(promoters, account.id, promoterId));
      if (!promoter || isErased(promoter))
        return `the promoter ${said.promoter_id} was not imported, so not ${said.id}`;
      const campaignId = await campaignOf(step, said.campaign_id);
      const known = await tx.find(promoterCampaigns, "promoter_in_campaign", account.id, [
        promoter.id,
        campaignId,
      ]);
      if (known !== null)
        return { record: await withTokens(step, known, { said, remarks }), is_found_here: true };
      const id = await context.store.nextId("promoter-campaign");
      remarks.push(...(await addPlace(step, { promoter, id, campaign_id: campaignId, said })));
      return { record: (await tx.get(promoterCampaigns, account.id, id))! };
    },
    async change(before) {
      const promoter = await tx.get(promoters, account.id, before.promoter_id);
      if (promoter === null || isErased(promoter)) return "the promoter was erased here";
      const wanted = said.links.map(({ token }) => token.trim().toLowerCase());
      const added = wanted.filter((token) => isFormerToken(token) && !tokensOf(before).includes(token));
      const state = promoter.archived_at === null ? said.state : before.state;
      return {
        ...before,
        state,
        ...(said.ownRewards && { rewards_for_promoters: await addRewards(step, said.ownRewards) }),
        ...(added.length > 0 && { more_ref_tokens: [...tokensOf(before).slice(1), ...added] }),
      };
    },
    async write(before, after) {
      const { more_ref_tokens: _wanted, ...changed } = {
        ...before,
        state: after.state,
        rewards_for_promoters: after.rewards_for_promoters,
      };
      const known = before.more_ref_tokens;
      const record = { ...changed, ...(known && { more_ref_tokens: known }) };
      await tx.put(promoterCampaigns, record);
      return withTokens(step, record, { said, remarks });
    },
  });
  const counted = result.outcome === "left_out" ? "known" : await countClicks(step, said);
  const texts = [result.remark, ...remarks].filter((each) => each !== undefined);
  return {
    outcome: result.outcome === "known" ? counted : result.outcome,
    ...(texts.length > 0 && { remark: texts.join("; ") }),
  };
}

/**
 * Writes a new promoter campaign with its ref tokens, and stores the source's id with it, so that its own record is
 * recognised later.
 *
 * @param said null if the source names no campaign
 * @returns remarks
 */
export async function addPlace(
  step: Step,
  given: { promoter: Promoter; id: number; campaign_id: number; said: SourcePromoterCampaign | null },
): Promise<string[]> {
  const { tx, account, program } = step;
  const { promoter, id, campaign_id, said } = given;
  const remarks: string[] = [];
  const state = said?.state ?? "pending";
  if (promoter.archived_at !== null)
    await tx.put(archivedStates, { account_id: account.id, promoter_campaign_id: id, state });
  const blank = newPromoterCampaign({
    account_id: account.id,
    id,
    campaign_id,
    promoter_id: promoter.id,
    state: promoter.archived_at === null ? state : "blocked",
    ref_token: "",
    created_at: said?.created_at ?? promoter.created_at,
    ...(said?.ownRewards && { rewards_for_promoters: await addRewards(step, said.ownRewards) }),
  });
  const made = await withTokens(step, blank, { said, remarks, promoter });
  if (said === null) return remarks;
  await tx.put(sourceIds, {
    account_id: account.id,
    program,
    kind: "promoter_campaign",
    source_id: said.id,
    record_id: id,
    source_digest: pictureOf(saidOf(said)),
    own_digest: pictureOf(pictureOfPlace(made)),
  });
  return remarks;
}

/**
 * The promoter campaign of a promoter's record. If the promoter earned in a campaign that they have left, they are added to
 * it as `inactive`: it gets no new leads, but keeps earning from existing ones.
 *
 * @returns null if the promoter was not imported
 */
export async function placeOf(
  step: Step,
  { promoter_id, campaign_id }: { promoter_id: string; campaign_id: string | null },
): Promise<PromoterCampaign | null> {
  const { tx, context, account } = step;
  const ownPromoterId = await ownId(step, "promoter", promoter_id);
  const promoter = ownPromoterId && (await tx.get(promoters, account.id, ownPromoterId));
  if (!promoter) return null;
  const usual = await tx.get(promoterCampaigns, account.id, promoter.default_promoter_campaign_id);
  const ownCampaignId = await ownId(step, "campaign", campaign_id);
  if (ownCampaignId === null || usual?.campaign_id === ownCampaignId) return usual;
  const known = await tx.find(promoterCampaigns, "promoter_in_campaign", account.id, [
    promoter.id,
    ownCampaignId,
  ]);
  if (known !== null) return known;
  const blank = newPromoterCampaign({
    account_id: account.id,
    id: await context.store.nextId("promoter-campaign"),
    campaign_id: ownCampaignId,
    promoter_id: promoter.id,
    state: usual?.state === "blocked" || isErased(promoter) ? "blocked" : "inactive",
    ref_token: "",
    created_at: promoter.created_at,
  });
  return withTokens(step, blank, { said: null, remarks: [], promoter });
}

/** Imports a promo code. Codes and ref tokens have separate namespaces, so a code may equal another promoter's token. */
export function importCode(step: Step, said: SourceCode): Promise<Result> {
  const { tx, context, account } = step;
  return keep<PromoCode>(step, {
    kind: "code",
    id: said.id,
    said,
    table: promoCodes,
    picture: ({ code, ext_id, archived_at, promoter_campaign_id }) => [
      code,
      ext_id,
      archived_at !== null,
      promoter_campaign_id,
    ],
    async add() {
      const owner = await placeOf(step, said);
      const promoter = owner && (await tx.get(promoters, account.id, owner.promoter_id));
      if (owner === null || !promoter || isErased(promoter))
        return `code ${said.code}: its promoter ${said.promoter_id} was not imported`;
      const holder = said.archived_at === null ? await findCodeInUse(tx, account.id, said.code) : null;
      if (holder !== null && holder.promoter_campaign_id === owner.id)
        return { record: holder, is_found_here: true };
      if (holder !== null) return `code ${said.code} is in use here for another promoter`;
      const record: PromoCode = {
        account_id: account.id,
        id: await context.store.nextId("promo-code"),
        code: said.code,
        reward_id: await codeRewardOf(step, owner.campaign_id),
        promoter_campaign_id: owner.id,
        ext_id: said.ext_id,
        description: null,
        metadata: null,
        details: null,
        created_at: context.now.toISOString(),
        archived_at: said.archived_at,
      };
      await tx.insert(promoCodes, record);
      return { record };
    },
    async change(before) {
      const owner = await placeOf(step, said);
      const holder = said.archived_at === null ? await findCodeInUse(tx, account.id, said.code) : null;
      if (owner === null) return "its promoter was not imported";
      if (holder !== null && holder.id !== before.id) return "the code is in use here for another promoter";
      const archivedAt = said.archived_at === null ? null : (before.archived_at ?? said.archived_at);
      return {
        ...before,
        code: said.code,
        ext_id: said.ext_id,
        promoter_campaign_id: owner.id,
        archived_at: archivedAt,
      };
    },
  });
}

/** Without clicks, because they grow with every run. */
function saidOf({ links, state, campaign_id, ownRewards }: SourcePromoterCampaign): unknown {
  return [state, campaign_id, links.map(({ id, token, url }) => [id, token, url]), ownRewards ?? null];
}

function pictureOfPlace(place: PromoterCampaign): unknown {
  return [place.state, tokensOf(place), place.rewards_for_promoters];
}

function tokensOf({ ref_token, more_ref_tokens = [] }: PromoterCampaign): string[] {
  return [ref_token, ...more_ref_tokens];
}

/** Writes a promoter campaign with its free tokens. A new one without any gets a generated token. */
async function withTokens(
  { tx, context, account }: Step,
  before: PromoterCampaign,
  given: { said: SourcePromoterCampaign | null; remarks: string[]; promoter?: Promoter },
): Promise<PromoterCampaign> {
  const tokens = before.ref_token === "" ? [] : tokensOf(before);
  const { id: promoterCampaignId, promoter_id } = before;
  for (const link of given.said?.links ?? []) {
    const token = link.token.trim().toLowerCase();
    if (tokens.includes(token)) continue;
    if (!isFormerToken(token) || !(await isFreeRefToken(tx, account.id, token))) {
      given.remarks.push(
        `the link ${JSON.stringify(link.token)} can't be imported: its name belongs to another promoter`,
      );
      continue;
    }
    await tx.put(refTokens, { account_id: account.id, token, promoter_campaign_id: promoterCampaignId });
    if (tokens.push(token) === 1) continue;
    const id = await context.store.nextId("own-link");
    const own = {
      account_id: account.id,
      id,
      promoter_campaign_id: promoterCampaignId,
      promoter_id,
      ref_token: token,
    };
    const url = await pageOf(tx, before, link.target ?? link.url);
    await tx.put(ownLinks, { ...own, name: token, url, sub_id: null, created_at: before.created_at });
  }
  if (tokens.length === 0 && given.promoter !== undefined) {
    const { email, profile } = given.promoter;
    const name = { account_id: account.id, first_name: profile.first_name, email };
    const token = await deriveRefToken(tx, context.chance, name);
    await tx.put(refTokens, { account_id: account.id, token, promoter_campaign_id: promoterCampaignId });
    tokens.push(token);
  }
  const [refToken = before.ref_token, ...more] = tokens;
  const after = { ...before, ref_token: refToken, ...(more.length > 0 && { more_ref_tokens: more }) };
  await tx.put(promoterCampaigns, after);
  return after;
}

/** A page of the campaign's own site, or null for other sites, such as the former program's, which will be shut down. */
async function pageOf(tx: Transaction, place: PromoterCampaign, url: string | null): Promise<string | null> {
  const campaign = url === null ? null : await tx.get(campaigns, place.account_id, place.campaign_id);
  return campaign !== null && url !== null && isOwnPage(campaign, url) ? url : null;
}

/**
 * Counts a total of clicks without a day, because there are no visits. `added` means that its promoter made it, and now its
 * own record is imported.
 */
async function countClicks(
  { tx, account, program, plan }: Step,
  said: SourcePromoterCampaign,
): Promise<"added" | "changed" | "known"> {
  const known = await findSourceId(tx, account.id, {
    program,
    kind: "promoter_campaign",
    source_id: said.id,
  });
  const place = known && (await tx.get(promoterCampaigns, account.id, known.record_id));
  if (!known || !place) return "known";
  const isFirst = plan.firstPlaces.get(said.promoter_id)?.id === said.id;
  const loose = isFirst ? Math.max(0, plan.looseClicks.get(said.promoter_id) ?? 0) : 0;
  const clicks = clicksOf(said) + loose;
  if (clicks === known.clicks) return "known";
  const added = clicks - (known.clicks ?? 0);
  const { account_id, id: promoterCampaignId, promoter_id, campaign_id } = place;
  const owner = { account_id, promoter_campaign_id: promoterCampaignId, promoter_id, campaign_id };
  if (added !== 0) await addPastClicks(tx, { ...owner, ...NO_ORIGIN, day: NO_DAY, count: added });
  await tx.put(sourceIds, { ...known, clicks });
  return known.clicks === undefined ? "added" : "changed";
}
