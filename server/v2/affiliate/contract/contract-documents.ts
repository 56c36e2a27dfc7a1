import { isIP } from "node:net";
import { z } from "zod";
import { listCurrentContracts } from "../../../domain/people/contract/contract.ts";
import { filledContent } from "../../../domain/people/contract/content.ts";
import { listOwnDocuments, loadOwnDocument, signDocument } from "../../../domain/people/contract/document.ts";
import { promoterName } from "../../../domain/people/promoter/promoter.ts";
import { Failure } from "../../../failure.ts";
import { readBearer } from "../../../http/credentials.ts";
import { field } from "../../../http/fields.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { id, oneOf, word } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import {
  CONTENT_TYPES,
  contentAnswer,
  contentJson,
  documentAnswer,
  documentJson,
} from "../../contract/contract-json.ts";
import { pageParams, readListing, readPathId } from "../../../resource/listing.ts";
import { mailAddress } from "../own-fields.ts";
import type { AffiliateOperation } from "../operation.ts";

export const listOwnDocumentsOperation: AffiliateOperation = {
  id: "listPortalContractDocuments",
  summary: "List the promoter's contracts",
  description: "Lists the contracts that the promoter is to sign, then those that they have signed.",
  params: pageParams,
  answer: z.array(documentAnswer),
  isPaged: true,
  async handle(request) {
    const { page, window } = readListing(request, pageParams);
    const all = await listOwnDocuments(request.context.store, request.promoter);
    setPageHeaders(request, page, all.length);
    return all.slice(window.offset, window.offset + window.limit).map(documentJson);
  },
};

const contentParams = z.object({
  content_type: field(
    oneOf(CONTENT_TYPES),
    "`html`, or `pdf`: a file in base64, with the signature.",
    "html",
  ),
});

export const showOwnDocumentOperation: AffiliateOperation = {
  id: "getPortalContractDocument",
  summary: "Show a contract's text",
  description: "Shows what the promoter has signed, or is to sign, with the names in it.",
  params: contentParams,
  answer: contentAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle(request) {
    const { account, promoter, context, event } = request;
    const { params } = readListing(request, contentParams);
    const parts = await loadOwnDocument(context.store, promoter, readPathId(event));
    return contentJson(parts, { company_name: account.name, type: params.content_type });
  },
};

const signBody = z.object({
  ip: field(
    word(45)
      .refine((value) => isIP(value) !== 0, "is invalid")
      .optional(),
    "The signer's network address, from a product of the company that signs with the token of `iframe_login`. The portal's own pages can't set it.",
    "203.0.113.7",
  ),
  contract_version_id: field(
    id.optional(),
    "The version that the promoter has read. If the contract has changed since, it is not signed.",
    4,
  ),
});

export const signOwnDocumentOperation: AffiliateOperation = {
  id: "signPortalContractDocument",
  summary: "Sign a contract",
  description:
    "Signs a contract for the promoter. Time, network address and version are kept. Signing again changes nothing.",
  example: {},
  body: signBody,
  answer: documentAnswer,
  refusals: ["not_found", "invalid"],
  async handle({ event, promoter, session, context, address }) {
    const body = shapeInput(signBody, await readJson(event));
    // The token of a browser's cookie, sent as a bearer token, is not the company's word.
    const given = session.is_of_product && readBearer(event) !== null ? body.ip : undefined;
    const signing = {
      id: readPathId(event),
      address: given ?? address,
      version_id: body.contract_version_id ?? null,
    };
    return documentJson(await context.store.transact((tx) => signDocument(tx, context, promoter, signing)));
  },
};

const draftBody = z.object({
  contract_id: field(id, "Id of the contract.", 2),
  details: field(
    z
      .object(
        {
          email: field(mailAddress.optional(), "The e-mail address to show.", "jane@example.com"),
          profile: field(
            z
              .object(
                { first_name: field(word(100).optional(), "The first name to show.", "Jane") },
                "is invalid",
              )
              .optional(),
            "The name to show.",
          ),
        },
        "is invalid",
      )
      .optional(),
    "Names to show instead of the promoter's own.",
  ),
});

/** It changes nothing. */
export const draftDocumentOperation: AffiliateOperation = {
  id: "draftPortalContractDocument",
  summary: "Show how a contract would read",
  description:
    "Shows the current text of one of the promoter's contracts with the given names in it. Nothing is kept.",
  body: draftBody,
  answer: z.object({
    content: field(z.string(), "The text as safe HTML.", "<p>Between Acme and Jane …</p>"),
  }),
  refusals: ["not_found", "invalid", "refused"],
  isForReaders: true,
  async handle({ event, account, promoter, context }) {
    const { contract_id, details } = shapeInput(draftBody, await readJson(event));
    const own = await listOwnDocuments(context.store, promoter);
    const all = await listCurrentContracts(context.store, account.id);
    const found = all.find(({ contract }) => contract.id === contract_id);
    if (found === undefined || !own.some(({ contract }) => contract.id === contract_id))
      throw new Failure("not_found", "Contract not found.");
    const { is_hosted, content, external_link } = found.version;
    if (!is_hosted || content === null)
      throw new Failure("refused", `The text is not kept here, but at ${external_link}`);
    const parties = {
      company_name: account.name,
      promoterName: details?.profile?.first_name ?? promoterName(promoter),
      promoterEmail: details?.email ?? promoter.email,
    };
    return { content: filledContent(content, parties) };
  },
};
