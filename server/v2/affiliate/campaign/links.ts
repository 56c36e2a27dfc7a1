import { z } from "zod";
import { listPromoterCampaigns } from "../../../domain/people/promoter-campaign/search.ts";
import { withCampaign } from "../../../domain/people/promoter-campaign/promoter-campaign.ts";
import {
  createOwnLink,
  listReferralLinks,
  loadOwnLink,
  removeOwnLink,
  updateOwnLink,
} from "../../../domain/people/referral-link.ts";
import type { Promoter } from "../../../domain/people/promoter/promoter.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, webAddress, word, subId } from "../../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../../input/shape.ts";
import { pageParams, readListing, readPathId } from "../../../resource/listing.ts";
import { referralLinkAnswer, referralLinkJson } from "../../promoter-campaign/promoter-campaigns.ts";
import type { View } from "../../../storage/store.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { field, recordId } from "../../../http/fields.ts";

const answer = referralLinkAnswer
  .extend({
    id: recordId,
    name: field(z.string(), "Name of the link.", "Newsletter"),
    url: field(z.string(), "An absolute web address.", "https://www.example.com/?via=jane"),
    source: field(
      z.enum(["campaign", "promoter"]),
      "Whether the company or the promoter made the link. Promoters can change their own.",
    ),
    sub_id: subId,
    promoter_campaign_id: field(z.int(), "Id of the promoter campaign.", 31),
  })
  .meta({ id: "PortalLinkToShare" });

const NAME_LENGTH = 100;
const SUB_ID_LENGTH = 100;
const channel = word(SUB_ID_LENGTH).regex(/^[\w.~-]+$/, "may have letters, digits, and . _ ~ - only");

const listParams = z.object({
  promoter_campaign_id: field(id.optional(), "Id of the promoter campaign.", 31),
  ...pageParams.shape,
});
const createBody = z.object({
  promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
  name: field(word(NAME_LENGTH), "What the promoter calls the link.", "Newsletter"),
  url: field(
    webAddress.optional(),
    "The page that it leads to. Default: the usual one.",
    "https://www.example.com/pricing",
  ),
  sub_id: field(
    channel.optional(),
    "Name of a channel. Clicks and leads from the link carry it.",
    "newsletter",
  ),
});
const updateBody = z
  .object({
    name: field(word(NAME_LENGTH), createBody.shape.name),
    url: field(
      webAddress.nullable(),
      "The page that it leads to, or null for the usual one.",
      "https://www.example.com/pricing",
    ),
    sub_id: field(channel.nullable(), createBody.shape.sub_id),
  })
  .partial();

export const listOwnLinksOperation: AffiliateOperation = {
  id: "listOwnReferralLinks",
  summary: "List the links that the promoter can share",
  description:
    "Lists the usual link, those to the campaign's further pages, and those that the promoter made.",
  params: listParams,
  answer: z.array(answer),
  isPaged: true,
  async handle(request) {
    const { params, page, window } = readListing(request, listParams);
    const { context, promoter } = request;
    const links = await readLinks(context.store, promoter, params.promoter_campaign_id);
    setPageHeaders(request, page, links.length);
    return links.slice(window.offset, window.offset + window.limit);
  },
};

export const createOwnLinkOperation: AffiliateOperation = {
  id: "createReferralLink",
  summary: "Make a link to another page, or for a channel",
  description: "Makes a link to another page of the campaign's site, or one that names a channel.",
  example: { promoter_campaign_id: 31, name: "Newsletter", sub_id: "newsletter" },
  body: createBody,
  answer,
  status: 201,
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, promoter, context }) {
    const body = shapeInput(createBody, await readJson(event));
    const wanted = {
      account_id: promoter.account_id,
      promoter_id: promoter.id,
      promoter_campaign_id: body.promoter_campaign_id,
      name: body.name,
      url: body.url ?? null,
      sub_id: body.sub_id ?? null,
    };
    return context.store.transact(async (tx) =>
      shownLink(tx.view, promoter, await createOwnLink(tx, context, wanted)),
    );
  },
};

export const showOwnLinkOperation: AffiliateOperation = {
  id: "getReferralLink",
  summary: "Show a link that the promoter made",
  description: "Shows a link that the promoter made.",
  answer,
  refusals: ["not_found"],
  async handle(request) {
    const { context, promoter } = request;
    return shownLink(context.store, promoter, await loadOwnLink(context.store, wantedLink(request)));
  },
};

export const updateOwnLinkOperation: AffiliateOperation = {
  id: "updateReferralLink",
  summary: "Change a link",
  description: "Changes a link that the promoter made. What you leave out stays.",
  example: { name: "Newsletter in March" },
  body: updateBody,
  answer,
  refusals: ["not_found", "invalid"],
  async handle(request) {
    const { event, context, promoter } = request;
    const changes = shapeChanges(updateBody, await readJson(event));
    return context.store.transact(async (tx) =>
      shownLink(tx.view, promoter, await updateOwnLink(tx, wantedLink(request), changes)),
    );
  },
};

export const removeOwnLinkOperation: AffiliateOperation = {
  id: "deleteReferralLink",
  summary: "Remove a link from the list",
  description: "Removes a link that the promoter made from the list. Its address keeps working.",
  answer: z.null(),
  status: 204,
  refusals: ["not_found"],
  async handle(request) {
    await request.context.store.transact((tx) => removeOwnLink(tx, wantedLink(request)));
    return null;
  },
};

function wantedLink({ event, promoter }: AffiliateRequest) {
  return { account_id: promoter.account_id, promoter_id: promoter.id, id: readPathId(event) };
}

async function readLinks(
  view: View,
  promoter: Promoter,
  promoterCampaignId: number | undefined,
): Promise<z.output<typeof answer>[]> {
  const joined = await listPromoterCampaigns(view, promoter.account_id, promoter.id);
  const found: z.output<typeof answer>[] = [];
  for (const each of joined) {
    if (promoterCampaignId !== undefined && each.id !== promoterCampaignId) continue;
    const { promoterCampaign, campaign } = await withCampaign(view, each);
    const links = await listReferralLinks(view, promoterCampaign, campaign);
    const shown = links.map((link) => ({
      ...referralLinkJson(link, campaign),
      promoter_campaign_id: promoterCampaign.id,
    }));
    found.push(...shown);
  }
  return found;
}

async function shownLink(
  view: View,
  promoter: Promoter,
  link: { id: number; promoter_campaign_id: number },
): Promise<z.output<typeof answer> | undefined> {
  const links = await readLinks(view, promoter, link.promoter_campaign_id);
  return links.find(({ id, source, is_default }) => id === link.id && source === "promoter" && !is_default);
}
