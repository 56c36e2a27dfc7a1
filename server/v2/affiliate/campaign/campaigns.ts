import { z } from "zod";
import type { Account } from "../../../domain/program/account/account.ts";
import {
  checkSignup,
  isInvited,
  listCampaigns,
  loadCampaign,
  signupTexts,
  type Campaign,
} from "../../../domain/program/campaign/campaign.ts";
import {
  isStillSigned,
  listOwnDocuments,
  requireSignatures,
  signContracts,
} from "../../../domain/people/contract/document.ts";
import { addToCampaign } from "../../../domain/people/promoter-campaign/changes.ts";
import { listPromoterCampaigns } from "../../../domain/people/promoter-campaign/search.ts";
import {
  PROMOTER_CAMPAIGN_STATES,
  type PromoterCampaign,
} from "../../../domain/people/promoter-campaign/promoter-campaign.ts";
import { contractsFor, listCurrentContracts } from "../../../domain/people/contract/contract.ts";
import { readRewards } from "../../../domain/program/reward/reward.ts";
import { acceptTerms } from "../../../domain/people/portal/agreements.ts";
import type { Promoter } from "../../../domain/people/promoter/promoter.ts";
import { byId } from "../../../domain/people/promoter/search.ts";
import { termsOf } from "../../../domain/ledger/terms.ts";
import { Failure } from "../../../failure.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { flag, text } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { offer, questionAnswer, questionsJson } from "../../campaign/signup-page-json.ts";
import { joinContract, joinContractsJson, signedVersions } from "../../contract/join-contracts.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../../embedded-json.ts";
import { pageParams, readListing, readPathId } from "../../../resource/listing.ts";
import type { Language } from "../../../languages/languages.ts";
import type { View } from "../../../storage/store.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { field } from "../../../http/fields.ts";

const answer = embeddedCampaign
  .extend({
    description: field(
      z.string().nullable(),
      "What the campaign says about itself.",
      "Earn 20% of each sale.",
    ),
    terms: field(
      z.string().nullable(),
      "The terms that people accept when they join, or null if there are none.",
      "Do not bid on our name in ads.",
    ),
    contracts: joinContract,
    questions: field(z.array(questionAnswer), "The questions that people answer when they join."),
    offer,
    needs_approval: field(z.boolean(), "Whether the company reviews each newcomer first."),
    state: field(
      z.enum(PROMOTER_CAMPAIGN_STATES).nullable(),
      "The promoter's state in it, or null if they have not joined.",
    ),
  })
  .meta({ id: "PortalCampaign" });

const joinBody = z
  .object({
    answers: field(z.record(z.string(), z.string()), "Answers by the text of the question.", {
      "Where do you publish?": "Blog",
    }),
    terms_accepted: field(flag, "Whether the terms are accepted."),
    signed_contract_version_ids: signedVersions,
    invitation: field(
      text,
      "The invitation of a private campaign, from its sign-up link.",
      "q3kPz0Yc8Vw1Rb6Xn5Tj2M",
    ),
  })
  .partial();

export const listOpenCampaignsOperation: AffiliateOperation = {
  id: "listPortalCampaigns",
  summary: "List the promoter's campaigns, and those that they can join",
  description: "Lists all campaigns that the promoter is in, and those that are open to everybody.",
  params: pageParams,
  answer: z.array(answer),
  isPaged: true,
  handle: list,
};

export const joinCampaignOperation: AffiliateOperation = {
  id: "joinPortalCampaign",
  summary: "Join a campaign, or ask to",
  description: "Joins a campaign. It waits for the company's approval if the campaign says so.",
  example: { terms_accepted: true },
  body: joinBody,
  answer,
  status: 201,
  refusals: ["not_found", "invalid", "refused"],
  handle: join,
};

/** A private campaign is shown only to promoters who are in it. */
async function list(request: AffiliateRequest) {
  const { account, promoter, context, language } = request;
  const { page, window } = readListing(request, pageParams);
  const states = await statesOf(context.store, promoter);
  const all = await listCampaigns(context.store, account.id);
  const shown = all.filter(({ id, is_private }) => !is_private || states.has(id));
  setPageHeaders(request, page, shown.length);
  const rows = shown.slice(window.offset, window.offset + window.limit);
  return showAll(context.store, rows, { account, promoter, states, language });
}

/** @see docs/spec/v2.md "Joining" */
async function join(request: AffiliateRequest) {
  const { event, account, promoter, context, address, language } = request;
  const body = shapeInput(joinBody, await readJson(event));
  const campaign = await loadCampaign(context.store, account.id, readPathId(event));
  if (!isInvited(account, campaign, body.invitation ?? null)) {
    throw new Failure("not_found", "Campaign not found.");
  }
  checkSignup(campaign, { answers: body.answers ?? {}, acceptsTerms: body.terms_accepted ?? false });
  const known = await listOwnDocuments(context.store, promoter);
  const wanted = await requireSignatures(context.store, campaign, [
    ...(body.signed_contract_version_ids ?? []),
    ...known.flatMap(({ document, contract }) =>
      isStillSigned(contract, document) ? [contract.version_id] : [],
    ),
  ]);
  return context.store.transact(async (tx) => {
    const selection = byId(promoter.id);
    const added = await addToCampaign(tx, context, account.id, { selection, campaign_id: campaign.id });
    await signContracts(tx, context, { promoter, wanted, address });
    await acceptTerms(tx, context, { promoterCampaign: added.promoterCampaign, campaign });
    const states = await statesOf(tx.view, promoter);
    return (await showAll(tx.view, [campaign], { account, promoter, states, language }))[0];
  });
}

type States = Map<number, PromoterCampaign>;

interface Viewer {
  account: Account;
  promoter: Promoter;
  states: States;
  language: Language | null;
}

async function statesOf(view: View, { account_id, id }: Promoter): Promise<States> {
  const joined = await listPromoterCampaigns(view, account_id, id);
  return new Map(joined.map((each) => [each.campaign_id, each]));
}

async function showAll(
  view: View,
  campaigns: Campaign[],
  { account, promoter, states, language }: Viewer,
): Promise<z.output<typeof answer>[]> {
  const offers = campaigns.map((campaign) => {
    const joined = states.get(campaign.id);
    const entries = joined?.rewards_for_promoters ?? campaign.rewards_for_promoters;
    return { campaign, joined, entries };
  });
  const [completed, contracts, own] = await Promise.all([
    readRewards(
      view,
      account.id,
      offers.flatMap(({ entries }) => entries),
    ),
    listCurrentContracts(view, account.id),
    listOwnDocuments(view, promoter),
  ]);
  return offers.map(({ campaign, joined, entries }) => ({
    ...embeddedCampaignJson(campaign),
    ...signupTexts(campaign, language),
    contracts: joinContractsJson(account, contractsFor(contracts, campaign.id), { promoter, own }),
    questions: questionsJson(campaign),
    offer: termsOf({ account, campaign, promoter, language }, completed(entries)),
    needs_approval: !campaign.auto_approve_promoters,
    state: joined?.state ?? null,
  }));
}
