import { sql } from "kysely";
import { Failure, type FieldErrors } from "../../../failure.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import { SYSTEM, type Context } from "../../context.ts";
import { accounts } from "../../program/account/account.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import { isBlankContent, safeContent } from "./content.ts";

/** An agreement that promoters sign. Its text is in its versions. */
export interface Contract {
  accountId: number;
  id: number;
  name: string;
  /** The campaigns whose promoters sign it. */
  campaignIds: number[];
  /** Whether it also is for promoters of all campaigns that no contract names. */
  isDefault: boolean;
  /** The version that is signed now. */
  versionId: number;
  /** Signatures from before this time no longer count, because everyone is asked again. Absent: all count. */
  asksSince?: string;
  createdAt: string;
  updatedAt: string;
  /** When it was deleted. Its record stays for those who have signed it. Null: it is in use. */
  archivedAt: string | null;
}

export const contracts = table<Contract>()({
  name: "contract",
  columns: { id: "integer", archived_at: "text" },
  indexes: { used: { on: ["id"], where: "archived_at is null" } },
});

/** What a contract says and asks at a time. It never changes. */
export interface ContractVersion extends ContractText {
  accountId: number;
  id: number;
  contractId: number;
  addedAt: string;
  /** The fields that differ from the version before, such as `content, checkbox_label`. Null: it is the first. */
  changesMade: string | null;
}

/** The fields of a version that a company sets. */
export interface ContractText {
  /** What stands beside the box that a promoter ticks. */
  checkboxLabel: string;
  /** Whether the text is kept here, in `content`. Otherwise it is at `externalLink`. */
  isHosted: boolean;
  /** Safe HTML, or null. */
  content: string | null;
  externalLink: string | null;
}

export const contractVersions = table<ContractVersion>()({
  name: "contract-version",
  columns: { id: "integer", contract_id: "integer" },
  indexes: { contract: { on: ["contract_id"] } },
});

/** A contract with the version that is signed now. */
export interface CurrentContract {
  contract: Contract;
  version: ContractVersion;
}

/** The fields of a contract that a company sets. */
export type ContractInput = Pick<Contract, "name" | "campaignIds" | "isDefault"> & ContractText;

/** The maximum of contracts in use. */
const MOST = 100;

/**
 * Makes a contract and its first version.
 *
 * @throws Failure `invalid` if its text is missing, a campaign is unknown, or there are too many
 * @see docs/spec/v2.md "Contracts"
 */
export async function createContract(
  { store, now }: Context,
  accountId: number,
  input: ContractInput,
): Promise<CurrentContract> {
  const id = await store.nextId("contract");
  const versionId = await store.nextId("contract-version");
  const at = now.toISOString();
  const text = await cleanText(input);
  return store.transact(async (tx) => {
    await refuseUnfit(tx, accountId, { ...input, ...text });
    if ((await listContracts(tx.view, accountId)).length >= MOST)
      throw new Failure("refused", `There may be at most ${MOST} contracts`);
    const { name, campaignIds, isDefault } = input;
    const dates = { createdAt: at, updatedAt: at, archivedAt: null };
    const contract: Contract = { accountId, id, name, campaignIds, isDefault, versionId, ...dates };
    const version = { accountId, id: versionId, contractId: id, addedAt: at, changesMade: null, ...text };
    if (isDefault) await demoteOthers(tx, contract);
    await tx.insert(contracts, contract);
    await tx.insert(contractVersions, version);
    return { contract, version };
  });
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
  { store, now }: Context,
  accountId: number,
  { id, changes, asksAgain = false }: { id: number; changes: ContractChanges; asksAgain?: boolean },
): Promise<CurrentContract> {
  const newVersionId = await store.nextId("contract-version");
  const at = now.toISOString();
  return store.transact(async (tx) => {
    const { contract: before, version } = await loadContract(tx, accountId, id);
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const { checkboxLabel, isHosted, content, externalLink } = { ...version, ...given } as ContractText;
    const text = await cleanText({ checkboxLabel, isHosted, content, externalLink });
    const {
      name = before.name,
      campaignIds = before.campaignIds,
      isDefault = before.isDefault,
    } = given as ContractChanges;
    await refuseUnfit(tx, accountId, { name, campaignIds, isDefault, ...text });
    const changesMade = changedFields(version, text);
    const after: Contract = { ...before, name, campaignIds, isDefault, updatedAt: at };
    if (after.isDefault && !before.isDefault) await demoteOthers(tx, after);
    if (changesMade === null) {
      await tx.put(contracts, after);
      return { contract: after, version };
    }
    const next = { accountId, id: newVersionId, contractId: id, addedAt: at, changesMade, ...text };
    await tx.insert(contractVersions, next);
    const asksSince = asksAgain ? await afterSignatures(tx.view, before, at) : before.asksSince;
    const renewed = { ...after, versionId: newVersionId, ...(asksSince !== undefined && { asksSince }) };
    await tx.put(contracts, renewed);
    return { contract: renewed, version: next };
  });
}

/**
 * An instant after all signatures of a contract. Someone may have signed while this change was prepared, or on a server
 * whose clock is ahead.
 */
async function afterSignatures(view: View, { accountId, id }: Contract, at: string): Promise<string> {
  const signatures = sql`(select signed_at from contract_documents where account_id = ${accountId} and contract_id = ${id})`;
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
export function deleteContract(
  { store, now }: Context,
  accountId: number,
  id: number,
): Promise<CurrentContract> {
  return store.transact(async (tx) => {
    const { contract, version } = await loadContract(tx, accountId, id);
    const archived = { ...contract, isDefault: false, archivedAt: now.toISOString() };
    await tx.put(contracts, archived);
    return { contract: archived, version };
  });
}

/** A contract in use. @throws Failure `not_found` */
export async function loadContract(reader: Reader, accountId: number, id: number): Promise<CurrentContract> {
  const contract = await reader.get(contracts, accountId, id);
  if (contract === null || contract.archivedAt !== null) throw noContract();
  return { contract, version: await loadVersion(reader, accountId, contract.versionId) };
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
      version: await loadVersion(view, accountId, contract.versionId),
    })),
  );
}

/**
 * The contracts that a campaign's promoters sign: those that name it, otherwise the default one.
 *
 * @see docs/spec/v2.md "Contracts"
 */
export function contractsFor<C extends { contract: Contract }>(all: readonly C[], campaignId: number): C[] {
  const naming = all.filter(({ contract }) => contract.campaignIds.includes(campaignId));
  return naming.length > 0 ? naming : all.filter(({ contract }) => contract.isDefault);
}

function noContract(): Failure {
  return new Failure("not_found", "Contract not found.");
}

/** There is one default contract at most. */
async function demoteOthers(tx: Transaction, { accountId, id }: Contract): Promise<void> {
  // Two requests at the same time could otherwise make two.
  await tx.lock(accounts, SYSTEM, accountId);
  for (const other of await listContracts(tx.view, accountId)) {
    if (other.isDefault && other.id !== id) await tx.put(contracts, { ...other, isDefault: false });
  }
}

async function cleanText({
  checkboxLabel,
  isHosted,
  content,
  externalLink,
}: ContractText): Promise<ContractText> {
  const safe = content === null ? null : await safeContent(content);
  return { checkboxLabel, isHosted, content: safe, externalLink };
}

const TEXT_FIELDS = [
  ["checkboxLabel", "checkbox_label"],
  ["isHosted", "content_hosted"],
  ["content", "content"],
  ["externalLink", "external_link"],
] as const;

function changedFields(before: ContractText, after: ContractText): string | null {
  const changed = TEXT_FIELDS.filter(([field]) => before[field] !== after[field]);
  return changed.length === 0 ? null : changed.map(([, name]) => name).join(", ");
}

/** @throws Failure `invalid` naming each fault */
async function refuseUnfit(
  tx: Transaction,
  accountId: number,
  { campaignIds, isHosted, content, externalLink }: ContractInput,
): Promise<void> {
  const faults: FieldErrors = {};
  if (isHosted && (content === null || isBlankContent(content))) faults["content"] = ["can't be blank"];
  if (!isHosted && externalLink === null) faults["externalLink"] = ["can't be blank"];
  for (const id of campaignIds) {
    if ((await tx.get(campaigns, accountId, id)) === null)
      (faults["campaignIds"] ??= []).push(`names no campaign: ${id}`);
  }
  if (Object.keys(faults).length > 0) throw new Failure("invalid", "Validation failed", faults);
}
