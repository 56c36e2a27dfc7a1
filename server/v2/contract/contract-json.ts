import { z } from "zod";
import { contracts, contractVersions, type Contract } from "../../domain/people/contract/contract.ts";
import { filledContent } from "../../domain/people/contract/content.ts";
import { countDocuments, DOCUMENT_STATUSES } from "../../domain/people/contract/document-list.ts";
import {
  loadDocument,
  type ContractDocument,
  type DocumentParts,
} from "../../domain/people/contract/document.ts";
import { promoterName } from "../../domain/people/promoter/promoter.ts";
import { Failure } from "../../failure.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { shown } from "../../resource/answer.ts";
import { findMany } from "../../storage/query.ts";
import type { Store, View } from "../../storage/store.ts";
import { embeddedPromoter, embeddedPromoterJson } from "../embedded-json.ts";
import { contractPdf } from "./contract-pdf.ts";

const versionShape = {
  added_at: field(z.iso.datetime(), "When the version was made."),
  changes_made: field(
    z.string().nullable(),
    "The fields that differ from the version before, or null if it is the first.",
    "content",
  ),
  external_link: field(
    z.string().nullable(),
    "Where the text is, if it is not hosted here.",
    "https://www.example.com/agreement.pdf",
  ),
  content_hosted: field(z.boolean(), "Whether the text is kept here, in `content`.", true),
};

const checkboxLabel = field(
  z.string(),
  "What stands beside the box that a promoter ticks.",
  "I agree to the partner agreement",
);

/** The versions of contracts that are signed now, and how many have signed. */
async function contractParts(view: View, records: Contract[]) {
  const accountId = records[0]?.account_id ?? 0;
  const ids = records.map(({ version_id }) => version_id);
  const [versions, counts] = await Promise.all([
    findMany(view, contractVersions, accountId, ids),
    countDocuments(view, accountId),
  ]);
  return records.map(({ id, version_id }) => ({
    version: versions.get(version_id)!,
    ...(counts.get(id) ?? { signed: 0, pending: 0 }),
  }));
}

export const contractAnswer = shown(contracts, contractParts)("Contract", {
  id: recordId,
  name: field(z.string(), "Name of the contract.", "Partner agreement"),
  checkbox_label: [checkboxLabel, (_, { version }) => version.checkbox_label],
  content_hosted: [versionShape.content_hosted, (_, { version }) => version.is_hosted],
  content: [
    field(
      z.string().nullable(),
      "The text as HTML without anything that runs or loads, or null. `{{company_name}}`, `{{promoter_name}}` and `{{promoter_email}}` stand for the names.",
      "<p>Between {{company_name}} and {{promoter_name}} …</p>",
    ),
    (_, { version }) => version.content,
  ],
  external_link: [versionShape.external_link, (_, { version }) => version.external_link],
  campaign_ids: field(z.array(z.int()), "Ids of the campaigns whose promoters sign it.", [1]),
  default: [
    field(z.boolean(), "Whether promoters of all campaigns that no contract names sign it.", true),
    ({ is_default }) => is_default,
  ],
  contract_version: [
    field(
      z.object({
        id: recordId,
        added_at: versionShape.added_at,
        changes_made: versionShape.changes_made,
      }),
      "The version that is signed now.",
    ),
    (_, { version: { id, added_at, changes_made } }) => ({ id, added_at, changes_made }),
  ],
  signed_count: [field(z.int(), "How many promoters have signed it.", 12), (_, { signed }) => signed],
  pending_count: [field(z.int(), "How many promoters are to sign it.", 3), (_, { pending }) => pending],
  created_at: createdAt,
  updated_at: field(z.iso.datetime(), "When the record was last changed."),
});

export const documentAnswer = z
  .object({
    id: field(z.int(), "Id of the document, made of those of the promoter and the contract.", 17_000_002),
    status: field(z.enum(DOCUMENT_STATUSES), "Whether the promoter has signed."),
    signed_ip: field(
      z.string().nullable(),
      "The network address of the signer. Null if not signed, unknown or erased.",
      "203.0.113.7",
    ),
    contract_version_id: field(z.int(), "Id of the signed version, or of the one to sign.", 4),
    signed_at: field(z.iso.datetime().nullable(), "When it was signed, or null."),
    created_at: field(z.iso.datetime(), "Since when it is to be signed."),
    promoter: field(
      embeddedPromoter
        .extend({
          profile: field(
            z.object({
              avatar: field(
                z.string().nullable(),
                "Address of their picture.",
                "https://blog.example.com/jane.png",
              ),
            }),
            "The promoter's picture.",
          ),
        })
        .meta({ id: "SignerSummary" }),
      "The promoter.",
    ),
    contract_version: field(
      z.object({ ...versionShape, checkbox_label: checkboxLabel }),
      "The signed version, or the one to sign.",
    ),
    contract: field(
      z.object({ id: recordId, name: field(z.string(), "Name of the contract.", "Partner agreement") }),
      "The contract.",
    ),
  })
  .meta({ id: "ContractDocument" });

export const CONTENT_TYPES = ["html", "pdf"] as const;

export const contentAnswer = z
  .object({
    data: field(
      z.object({
        content: field(
          z.string(),
          "The text with the names in it: safe HTML, or a PDF file in base64.",
          "<p>Between Acme and Jane Doe …</p>",
        ),
      }),
      "The text.",
    ),
  })
  .meta({ id: "ContractContent" });

/** A document in V2's form. */
export function documentJson({
  id,
  contract,
  version,
  promoter,
  document,
  created_at: since,
}: DocumentParts): z.output<typeof documentAnswer> {
  return {
    id,
    status: document === null ? "pending" : "signed",
    signed_ip: document?.signed_ip ?? null,
    contract_version_id: version.id,
    signed_at: document?.signed_at ?? null,
    created_at: since,
    promoter: { ...embeddedPromoterJson(promoter), profile: { avatar: promoter.profile.avatar_url } },
    contract_version: {
      added_at: version.added_at,
      changes_made: version.changes_made,
      external_link: version.external_link,
      content_hosted: version.is_hosted,
      checkbox_label: version.checkbox_label,
    },
    contract: { id: contract.id, name: contract.name },
  };
}

/** A new signature in V2's form, for events. @throws Failure `not_found` if its promoter was deleted */
export async function showDocument(
  store: Store,
  { account_id, id }: ContractDocument,
): Promise<z.output<typeof documentAnswer>> {
  return documentJson(await loadDocument(store, account_id, id));
}

/**
 * The text of a document, as HTML or as a PDF file in base64.
 *
 * @throws Failure `refused` if the text is kept on another site
 */
export async function contentJson(
  parts: DocumentParts,
  { company_name, type }: { company_name: string; type: (typeof CONTENT_TYPES)[number] },
): Promise<z.output<typeof contentAnswer>> {
  const { contract, version, promoter, document } = parts;
  if (!version.is_hosted || version.content === null) {
    throw new Failure("refused", `The text is not kept here, but at ${version.external_link}`);
  }
  const content = filledContent(version.content, {
    company_name,
    promoterName: document === null ? promoterName(promoter) : document.signed_name,
    promoterEmail: document === null ? promoter.email : document.signed_email,
  });
  if (type === "html") return { data: { content } };
  const file = await contractPdf({ title: contract.name, content, version, document });
  return { data: { content: file.toString("base64") } };
}
