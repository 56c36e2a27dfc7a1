import { z } from "zod";
import type { CurrentContract } from "../../domain/people/contract/contract.ts";
import { filledContent } from "../../domain/people/contract/content.ts";
import { isStillSigned, type DocumentParts } from "../../domain/people/contract/document.ts";
import type { Account } from "../../domain/program/account/account.ts";
import { promoterName, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { field, recordId } from "../../http/fields.ts";
import { id, listOf } from "../../input/fields.ts";
import { contractAnswer } from "./contract-json.ts";

const { shape: shown } = contractAnswer.schema;

/** The contracts that people sign when they join a campaign. */
export const joinContract = field(
  z.array(
    z
      .object({
        id: recordId,
        version_id: field(z.int(), "Id of the version, for `signed_contract_version_ids`.", 4),
        name: shown.name,
        checkbox_label: shown.checkbox_label,
        content: field(
          z.string().nullable(),
          "The text as safe HTML, or null if it is at `external_link`.",
          "<p>Between Acme and the promoter …</p>",
        ),
        external_link: shown.external_link,
      })
      .meta({ id: "JoinContract" }),
  ),
  "The contracts that people sign when they join. Those that the promoter has signed are left out.",
);

/** The signatures in the body of a join. */
export const signedVersions = field(
  listOf(id).optional(),
  "The versions of the campaign's contracts that the person signs. All are required.",
  [4],
);

/** The contracts of a campaign for a newcomer, or for a promoter with these documents who joins one more campaign. */
export function joinContractsJson(
  account: Account,
  wanted: CurrentContract[],
  { promoter, own }: { promoter: Promoter | null; own: DocumentParts[] },
): z.output<typeof joinContract> {
  const isSigned = new Set(
    own.flatMap(({ contract, document }) => (isStillSigned(contract, document) ? contract.id : [])),
  );
  return wanted
    .filter(({ contract }) => !isSigned.has(contract.id))
    .map((each) => currentContractJson(each, { account, promoter }));
}

/** The text of a contract that a newcomer or a promoter is asked to sign. */
export function currentContractJson(
  { contract, version }: CurrentContract,
  { account, promoter }: { account: Account; promoter: Promoter | null },
): z.output<typeof joinContract>[number] {
  const parties = {
    company_name: account.name,
    promoterName: promoter && promoterName(promoter),
    promoterEmail: promoter?.email ?? null,
  };
  return {
    id: contract.id,
    version_id: version.id,
    name: contract.name,
    checkbox_label: version.checkbox_label,
    content: version.is_hosted && version.content !== null ? filledContent(version.content, parties) : null,
    external_link: version.is_hosted ? null : version.external_link,
  };
}
