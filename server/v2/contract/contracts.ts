import { z } from "zod";
import {
  contracts,
  createContract,
  deleteContract,
  IS_IN_USE,
  loadContract,
  updateContract,
} from "../../domain/people/contract/contract.ts";
import {
  DOCUMENT_SORTS,
  DOCUMENT_STATUSES,
  findDocuments,
} from "../../domain/people/contract/document-list.ts";
import { safeContent } from "../../domain/people/contract/content.ts";
import { loadDocument } from "../../domain/people/contract/document.ts";
import { field } from "../../http/fields.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { readJson } from "../../http/parameters/json.ts";
import { direction, flag, id, oneOf, splitList, text, webAddress, word } from "../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import { recordError, type V2Operation, type V2Row } from "../operation.ts";
import { listed } from "../../resource/list.ts";
import { does, lists, reads } from "../../resource/operations.ts";
import { pageParams, readListing, sortsOf, readPathId } from "../../resource/listing.ts";
import {
  CONTENT_TYPES,
  contentAnswer,
  contentJson,
  contractAnswer,
  documentAnswer,
  documentJson,
} from "./contract-json.ts";

const NAME_LENGTH = 255;
const CONTENT_LENGTH = 100_000;
/** Room for a text of that length in any script. */
const MAX_BYTES = 512 * 1024;

const {
  schema,
  schema: { shape: shown },
  show,
} = contractAnswer;
const content = z
  .string("is invalid")
  .max(CONTENT_LENGTH, `is too long (maximum is ${CONTENT_LENGTH} characters)`);
const campaignIds = z.preprocess(
  (value) => splitList(value ?? []),
  z.array(id, "is invalid").transform((given) => [...new Set(given)]),
);
const label = word(1_000).min(1, "can't be blank");

const createBody = z.object({
  name: field(word(NAME_LENGTH).min(1, "can't be blank"), shown.name),
  checkbox_label: field(label, shown.checkbox_label),
  content_hosted: field(flag, shown.content_hosted),
  content: field(content.optional(), shown.content),
  external_link: field(webAddress.optional(), shown.external_link),
  campaign_ids: field(campaignIds.optional(), shown.campaign_ids),
  default: field(flag.optional(), shown.default),
});
const updateBody = z
  .object({
    name: field(word(NAME_LENGTH).min(1, "can't be blank"), shown.name),
    checkbox_label: field(label, shown.checkbox_label),
    content_hosted: field(flag, shown.content_hosted),
    content: field(content.nullable(), shown.content),
    external_link: field(webAddress.nullable(), shown.external_link),
    campaign_ids: field(campaignIds, shown.campaign_ids),
    default: field(flag, shown.default),
    ask_again: field(
      flag,
      "Whether promoters who have signed an earlier version are asked to sign the new one. Their earlier signatures are kept. It has no effect without another text, link or label. An extension of Tidemark.",
      true,
    ),
  })
  .partial();

const shape = recordError();

const listContractsOperation: V2Operation = lists(contractAnswer, {
  id: "listContracts",
  summary: "List contracts, oldest first",
  description: "Lists the contracts that promoters sign, each with its current text.",
  list: listed(contracts, { only: IS_IN_USE })(),
  refusals: [],
});

const createContractOperation: V2Operation = {
  id: "createContract",
  summary: "Make a contract",
  description:
    "Makes a contract. Its promoters find it in the portal, and newcomers sign it when they join. The text is kept here (`content`, as text or HTML, from which all that runs or loads is removed), or elsewhere (`external_link`).",
  example: {
    name: "Partner agreement",
    checkbox_label: "I agree to the partner agreement",
    content_hosted: true,
    content: "<p>Between {{company_name}} and {{promoter_name}} …</p>",
    campaign_ids: [1],
  },
  body: createBody,
  answer: schema,
  refusals: ["invalid", "too_large", "refused"],
  shape,
  async handle({ event, account, context }) {
    const body = shapeInput(createBody, await readJson(event, MAX_BYTES));
    const input = {
      name: body.name,
      checkbox_label: body.checkbox_label,
      is_hosted: body.content_hosted,
      content: (await safe(body.content)) ?? null,
      external_link: body.external_link ?? null,
      campaign_ids: body.campaign_ids ?? [],
      is_default: body.default ?? false,
    };
    return context.store.transact(async (tx) =>
      show(tx.view, await createContract(tx, context, account.id, input)),
    );
  },
};

const getContractOperation: V2Operation = reads(contractAnswer, {
  id: "getContract",
  summary: "Get a contract",
  description: "Finds one contract, with its current text.",
  load: loadContract,
});

const updateContractOperation: V2Operation = {
  id: "updateContract",
  summary: "Update a contract",
  description:
    "Changes a contract. What you leave out stays. Another text, link or label makes a new version; promoters who have signed keep the version that they signed, unless `ask_again` is true.",
  example: { default: true },
  body: updateBody,
  answer: schema,
  refusals: ["not_found", "invalid", "too_large"],
  shape,
  async handle({ event, account, context }) {
    const wanted = readPathId(event);
    const body = shapeChanges(updateBody, await readJson(event, MAX_BYTES));
    const changes = {
      name: body.name,
      checkbox_label: body.checkbox_label,
      is_hosted: body.content_hosted,
      content: await safe(body.content),
      external_link: body.external_link,
      campaign_ids: body.campaign_ids,
      is_default: body.default,
    };
    const given = { id: wanted, changes, asksAgain: body.ask_again ?? false };
    return context.store.transact(async (tx) =>
      show(tx.view, await updateContract(tx, context, account.id, given)),
    );
  },
};

const deleteContractOperation: V2Operation = does(contractAnswer, {
  id: "deleteContract",
  summary: "Delete a contract",
  description: "Deletes a contract. No one can sign it any more. Signed documents stay.",
  run: (tx, { account, context }, id) => deleteContract(tx, context, account.id, id),
});

const filters = z
  .object(
    {
      status: field(oneOf(DOCUMENT_STATUSES), "Only documents in this state."),
      promoter_id: field(id, "Only documents of this promoter.", 17),
      contract_id: field(id, "Only documents of this contract.", 2),
    },
    "is invalid",
  )
  .partial();
const sorting = z
  .object(
    {
      created_at: field(direction, "By the time since when they are to be signed."),
      signed_at: field(direction, "By the time of the signature. Those that are not signed come last."),
    },
    "is invalid",
  )
  .partial();
const listParams = pageParams.extend({
  q: field(text.optional(), "Part of the promoter's name or e-mail address.", "jane"),
  filters: field(filters.optional(), "Only records that match."),
  sorting: field(sorting.optional(), "The order, by default the newest first."),
});

const SORTS = Object.fromEntries(DOCUMENT_SORTS.map((name) => [name, name])) as Record<
  string,
  (typeof DOCUMENT_SORTS)[number]
>;

const listDocumentsOperation: V2Operation = {
  id: "listContractDocuments",
  summary: "List who has signed, and who is to",
  description: "Lists the documents of all promoters, signed or not.",
  params: listParams,
  answer: z.array(documentAnswer),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { account, context } = request;
    const { params, query, page, window } = readListing(request, listParams);
    const { status, promoter_id, contract_id } = params.filters ?? {};
    const [sort = { by: "created_at" as const, isDescending: true }] = sortsOf(
      params.sorting ?? {},
      query,
      SORTS,
    );
    const filter = { text: params.q, status, promoter_id, contract_id };
    const found = await findDocuments(context.store, account.id, { filter, sort, ...window });
    setPageHeaders(request, page, found.total);
    return found.records.map(documentJson);
  },
};

const contentParams = z.object({
  content_type: field(
    oneOf(CONTENT_TYPES),
    "`html`, or `pdf`: a file in base64, with the signature.",
    "html",
  ),
});

const showDocumentOperation: V2Operation = {
  id: "getContractDocument",
  summary: "Show a document's text",
  description: "Shows what a promoter has signed, or is to sign, with the names in it.",
  params: contentParams,
  answer: contentAnswer,
  refusals: ["not_found", "invalid", "refused"],
  async handle(request) {
    const { account, context, event } = request;
    const { params } = readListing(request, contentParams);
    const parts = await loadDocument(context.store, account.id, readPathId(event));
    return contentJson(parts, { company_name: account.name, type: params.content_type });
  },
};

/** The paths are below `/api/v2/company`. */
export const CONTRACT_OPERATIONS: V2Row[] = [
  ["GET", "/contract_documents", listDocumentsOperation],
  ["GET", "/contract_documents/:id", showDocumentOperation],
  ["GET", "/contracts", listContractsOperation],
  ["POST", "/contracts", createContractOperation],
  ["GET", "/contracts/:id", getContractOperation],
  ["PUT", "/contracts/:id", updateContractOperation],
  ["PATCH", "/contracts/:id", updateContractOperation],
  ["DELETE", "/contracts/:id", deleteContractOperation],
];

/** Texts are cleaned before the transaction, because long ones take a while. */
async function safe<T extends null | undefined>(text: string | T): Promise<string | T> {
  return typeof text === "string" ? safeContent(text) : text;
}
