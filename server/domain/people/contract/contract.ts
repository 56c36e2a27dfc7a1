import { sql, type RawBuilder, type SqlBool } from "kysely";
import { Failure, type FieldErrors } from "../../../failure.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import { SYSTEM, type Context } from "../../context.ts";
import { accounts } from "../../program/account/account.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import { isBlankContent } from "./content.ts";

const contractFields = {
  id: integer(),
  name: text(),
  /** The campaigns whose promoters sign it. */
  campaign_ids: json<number[]>(),
  /** Whether it also is for promoters of all campaigns that no contract names. */
  is_default: flag(),
  /** The version that is signed now. */
  version_id: integer(),
  /** Signatures from before this time no longer count, because everyone is asked again. Absent: all count. */
  asks_since: time().optional(),
  created_at: time(),
  updated_at: time(),
  /** When it was deleted. Its record stays for those who have signed it. Null: it is in use. */
  archived_at: time().nullable(),
};

/** An agreement that promoters sign. Its text is in its versions. */
export type Contract = RowOf<typeof contractFields>;

export const contracts = table("contract", contractFields, {
  indexes: { used: { on: ["id"], where: "archived_at is null" } },
});

const contractVersionFields = {
  id: integer(),
  contract_id: integer(),
  added_at: time(),
  /** The fields that differ from the version before, such as `content, checkbox_label`. Null: it is the first. */
  changes_made: text().nullable(),
  /** What stands beside the box that a promoter ticks. */
  checkbox_label: text(),
  /** Whether the text is kept here, in `content`. Otherwise it is at `external_link`. */
  is_hosted: flag(),
  /** Safe HTML, or null. */
  content: text().nullable(),
  external_link: text().nullable(),
};

/** What a contract says and asks at a time. It never changes. */
export type ContractVersion = RowOf<typeof contractVersionFields>;

/** The fields of a version that a company sets. */
export interface ContractText {
  /** What stands beside the box that a promoter ticks. */
  checkbox_label: string;
  /** Whether the text is kept here, in `content`. Otherwise it is at `external_link`. */
  is_hosted: boolean;
  /** Safe HTML, or null. */
  content: string | null;
  external_link: string | null;
}

export const contractVersions = table("contract-version", contractVersionFields, {
  indexes: { contract: { on: ["contract_id"] } },
});

/** A contract with the version that is signed now. */
export interface CurrentContract {
  contract: Contract;
  version: ContractVersion;
}

/** The fields of a contract that a company sets. */
export type ContractInput = Pick<Contract, "name" | "campaign_ids" | "is_default"> & ContractText;

/** The maximum of contracts in use. */
const MOST = 100;

/**
 * Makes a contract and its first version.
 *
 * @throws Failure `invalid` if its text is missing, a campaign is unknown, or there are too many
 * @see docs/spec/v2.md "Contracts"
 */
export async function createContract(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  input: ContractInput,
): Promise<Contract> {
  const id = await tx.nextId("contract");
  const versionId = await tx.nextId("contract-version");
  const at = now.toISOString();
  await refuseUnfit(tx, accountId, input);
  if ((await listContracts(tx.view, accountId)).length >= MOST)
    throw new Failure("refused", `There may be at most ${MOST} contracts`);
  const { name, campaign_ids, is_default, ...text } = input;
  const contract: Contract = {
    account_id: accountId,
    id,
    name,
    campaign_ids,
    is_default,
    version_id: versionId,
    created_at: at,
    updated_at: at,
    archived_at: null,
  };
  if (is_default) await demoteOthers(tx, contract);
  await tx.insert(contracts, contract);
  await tx.insert(contractVersions, {
    account_id: accountId,
    id: versionId,
    contract_id: id,
    added_at: at,
    changes_made: null,
    ...text,
  });
  return contract;
}

/** Changes to a contract. Undefined fields stay unchanged. */
export type ContractChanges = { [Field in keyof ContractInput]?: ContractInput[Field] | undefined };

/**
 * Changes a contract. Another text makes a new version. Promoters who have signed keep the version that they signed, unless
 * `asksAgain`.
 *
 * @throws Failure `not_found`, and `invalid` like `createContract`
 */
export async function updateContract(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  { id, changes, asksAgain = false }: { id: number; changes: ContractChanges; asksAgain?: boolean },
): Promise<Contract> {
  const at = now.toISOString();
  const before = await loadContract(tx, accountId, id);
  const version = await loadVersion(tx, accountId, before.version_id);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const { checkbox_label, is_hosted, content, external_link } = { ...version, ...given } as ContractText;
  const text = { checkbox_label, is_hosted, content, external_link };
  const {
    name = before.name,
    campaign_ids = before.campaign_ids,
    is_default = before.is_default,
  } = given as ContractChanges;
  await refuseUnfit(tx, accountId, { name, campaign_ids, is_default, ...text });
  const changesMade = changedFields(version, text);
  const after: Contract = { ...before, name, campaign_ids, is_default, updated_at: at };
  if (after.is_default && !before.is_default) await demoteOthers(tx, after);
  if (changesMade === null) {
    await tx.put(contracts, after);
    return after;
  }
  const versionId = await tx.nextId("contract-version");
  await tx.insert(contractVersions, {
    account_id: accountId,
    id: versionId,
    contract_id: id,
    added_at: at,
    changes_made: changesMade,
    ...text,
  });
  const asksSince = asksAgain ? await afterSignatures(tx.view, before, at) : before.asks_since;
  const renewed = {
    ...after,
    version_id: versionId,
    ...(asksSince !== undefined && { asks_since: asksSince }),
  };
  await tx.put(contracts, renewed);
  return renewed;
}

/**
 * An instant after all signatures of a contract. Someone may have signed while this change was prepared, or on a server
 * whose clock is ahead.
 */
async function afterSignatures(view: View, { account_id, id }: Contract, at: string): Promise<string> {
  const signatures = sql`(select signed_at from contract_documents where account_id = ${account_id} and contract_id = ${id})`;
  const [row] = await view.rows(
    view
      .query<object>()
      .selectFrom(sql<{ signed_at: string }>`${signatures}`.as("signatures"))
      .select(sql<string | null>`max(signed_at)`.as("last")),
  );
  const next = row?.last == null ? at : new Date(Date.parse(row.last) + 1).toISOString();
  return next > at ? next : at;
}

/**
 * Deletes a contract. No one signs it any more; signatures stay.
 *
 * @throws Failure `not_found`
 */
export async function deleteContract(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  id: number,
): Promise<Contract> {
  const contract = await loadContract(tx, accountId, id);
  const archived = { ...contract, is_default: false, archived_at: now.toISOString() };
  await tx.put(contracts, archived);
  return archived;
}

/** Whether a contract was not deleted. */
export const IS_IN_USE: RawBuilder<SqlBool> = sql`contracts.archived_at is null`;

/** A contract in use. @throws Failure `not_found` */
export async function loadContract(reader: Reader, accountId: number, id: number): Promise<Contract> {
  const contract = await reader.get(contracts, accountId, id);
  if (contract === null || contract.archived_at !== null) throw noContract();
  return contract;
}

/** @throws Failure `not_found` */
export async function loadVersion(reader: Reader, accountId: number, id: number): Promise<ContractVersion> {
  const version = await reader.get(contractVersions, accountId, id);
  if (version === null) throw noContract();
  return version;
}

/** The contracts in use, oldest first. */
export function listContracts(view: View, accountId: number): Promise<Contract[]> {
  return view.list(contracts, "used", accountId, []);
}

/** The contracts in use with their versions, oldest first. */
export async function listCurrentContracts(view: View, accountId: number): Promise<CurrentContract[]> {
  const all = await listContracts(view, accountId);
  return Promise.all(
    all.map(async (contract) => ({
      contract,
      version: await loadVersion(view, accountId, contract.version_id),
    })),
  );
}

/**
 * The contracts that a campaign's promoters sign: those that name it, otherwise the default one.
 *
 * @see docs/spec/v2.md "Contracts"
 */
export function contractsFor<C extends { contract: Contract }>(all: readonly C[], campaignId: number): C[] {
  const naming = all.filter(({ contract }) => contract.campaign_ids.includes(campaignId));
  return naming.length > 0 ? naming : all.filter(({ contract }) => contract.is_default);
}

function noContract(): Failure {
  return new Failure("not_found", "Contract not found.");
}

/** There is one default contract at most. */
async function demoteOthers(tx: Transaction, { account_id, id }: Contract): Promise<void> {
  // Two requests at the same time could otherwise make two.
  await tx.lock(accounts, SYSTEM, account_id);
  for (const other of await listContracts(tx.view, account_id)) {
    if (other.is_default && other.id !== id) await tx.put(contracts, { ...other, is_default: false });
  }
}

const TEXT_FIELDS = [
  ["checkbox_label", "checkbox_label"],
  ["is_hosted", "content_hosted"],
  ["content", "content"],
  ["external_link", "external_link"],
] as const;

function changedFields(before: ContractText, after: ContractText): string | null {
  const changed = TEXT_FIELDS.filter(([field]) => before[field] !== after[field]);
  return changed.length === 0 ? null : changed.map(([, name]) => name).join(", ");
}

/** @throws Failure `invalid` naming each fault */
async function refuseUnfit(
  tx: Transaction,
  accountId: number,
  { campaign_ids, is_hosted, content, external_link }: ContractInput,
): Promise<void> {
  const faults: FieldErrors = {};
  if (is_hosted && (content === null || isBlankContent(content))) faults["content"] = ["can't be blank"];
  if (!is_hosted && external_link === null) faults["external_link"] = ["can't be blank"];
  for (const id of campaign_ids) {
    if ((await tx.get(campaigns, accountId, id)) === null)
      (faults["campaign_ids"] ??= []).push(`names no campaign: ${id}`);
  }
  if (Object.keys(faults).length > 0) throw new Failure("invalid", "Validation failed", faults);
}
