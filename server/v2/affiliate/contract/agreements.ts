import { z } from "zod";
import { acceptAgreements, listAgreements } from "../../../domain/people/portal/agreements.ts";
import { promoters } from "../../../domain/people/promoter/promoter.ts";
import { signupTexts } from "../../../domain/program/campaign/campaign.ts";
import { field } from "../../../http/fields.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { id, listOf, text } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { currentContractJson, joinContract } from "../../contract/join-contracts.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../../embedded-json.ts";
import type { View } from "../../../storage/store.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

const version = field(
  z.string(),
  "Which terms they are: since when they are in force.",
  "2026-03-01T09:30:00.000Z",
);

const agreementsAnswer = z
  .object({
    may_wait: field(
      z.boolean(),
      "Whether the portal can be used before. Only newcomers who have neither used it nor earned anything accept first.",
    ),
    terms: field(
      z.array(
        z
          .object({
            campaign: field(embeddedCampaign, "The campaign."),
            version,
            text: field(z.string(), "The campaign's terms.", "Do not bid on our name in ads."),
          })
          .meta({ id: "DueTerms" }),
      ),
      "The terms of the promoter's campaigns that they have not accepted, or that have changed since.",
    ),
    contracts: field(joinContract, "The contracts that the promoter has not signed."),
  })
  .meta({ id: "PortalAgreements" });

const acceptBody = z
  .object({
    accepted_terms: field(
      z.array(
        z.object(
          {
            campaign_id: field(id, "Id of the campaign.", 1),
            version: field(text, version),
          },
          "is invalid",
        ),
        "is invalid",
      ),
      "The terms that the promoter has read and accepts. All that wait are required.",
    ),
    signed_contract_version_ids: field(
      listOf(id),
      "The versions of the contracts that the promoter signs. All that wait are required.",
      [4],
    ),
  })
  .partial();

export const listAgreementsOperation: AffiliateOperation = {
  id: "listPortalAgreements",
  summary: "List the terms and contracts that wait for the promoter",
  description:
    "Lists what promoters accept when they apply, for those who were invited or added, and whatever has changed since. An extension of Tidemark.",
  answer: agreementsAnswer,
  handle: (request) => agreementsJson(request.context.store, request),
};

export const acceptAgreementsOperation: AffiliateOperation = {
  id: "acceptPortalAgreements",
  summary: "Accept the terms and sign the contracts that wait for the promoter",
  description:
    "Accepts all of them, or none. Version and time are kept, of contracts also the network address. What has changed since it was read is not accepted. An extension of Tidemark.",
  example: {
    accepted_terms: [{ campaign_id: 1, version: "2026-03-01T09:30:00.000Z" }],
    signed_contract_version_ids: [4],
  },
  body: acceptBody,
  answer: agreementsAnswer,
  refusals: ["invalid"],
  async handle(request) {
    const { event, context, promoter, address } = request;
    const given = shapeInput(acceptBody, await readJson(event));
    const terms = (given.accepted_terms ?? []).map((each) => ({
      campaign_id: each.campaign_id,
      version: each.version,
    }));
    const contractVersionIds = given.signed_contract_version_ids ?? [];
    return context.store.transact(async (tx) => {
      await acceptAgreements(tx, context, promoter, { terms, contractVersionIds, address });
      const after = await tx.get(promoters, promoter.account_id, promoter.id);
      return agreementsJson(tx.view, { ...request, promoter: after ?? promoter });
    });
  },
};

async function agreementsJson(
  view: View,
  { account, promoter, language }: AffiliateRequest,
): Promise<z.output<typeof agreementsAnswer>> {
  const { terms, documents, mayWait } = await listAgreements(view, promoter);
  return {
    may_wait: mayWait,
    terms: terms.map(({ campaign, version: current }) => ({
      campaign: embeddedCampaignJson(campaign),
      version: current,
      text: signupTexts(campaign, language).terms ?? "",
    })),
    contracts: documents.map((each) => currentContractJson(each, { account, promoter })),
  };
}
