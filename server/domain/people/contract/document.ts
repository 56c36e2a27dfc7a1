import { Failure } from "../../../failure.ts";
import { withoutPersonal } from "../../../storage/marks.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import { writeAuditEntry } from "../../access/audit/audit.ts";
import type { Context } from "../../context.ts";
import { announce } from "../../events/event.ts";
import { listPromoterCampaigns } from "../promoter-campaign/search.ts";
import { loadPromoter, promoterName, promoters, type Promoter } from "../promoter/promoter.ts";
import {
  contracts,
  contractsFor,
  listCurrentContracts,
  loadVersion,
  type Contract,
  type ContractVersion,
  type CurrentContract,
} from "./contract.ts";

/** Who signed which version, and when. */
const signature = {
  contract_version_id: integer(),
  signed_at: time(),
  /** The network address of the signer, or null if unknown or erased. */
  signed_ip: text().nullable().personal(),
  /** The promoter's name and e-mail address when they signed. Null: the promoter was erased. */
  signed_name: text().nullable().personal(),
  signed_email: text().nullable().personal(),
};
type Signature = Omit<RowOf<typeof signature>, "account_id">;

const fields = {
  ...signature,
  /** Made of the promoter's id and the contract's, so that a document has an id before it is signed. */
  id: integer(),
  contract_id: integer(),
  promoter_id: integer(),
  /** When the document was first to be signed. */
  created_at: time(),
  /** The signatures under earlier versions, if the contract has asked again. Absent: none. */
  earlier: json<Signature[]>()
    .optional()
    .personal((all) => all.map((each) => withoutPersonal({ fields: signature }, each))),
};

/** The signature of a promoter under a version of a contract. Until they sign, there is no record. */
export type ContractDocument = RowOf<typeof fields>;

export const contractDocuments = table("contract-document", fields, {
  indexes: { promoter: { on: ["promoter_id"] }, contract: { on: ["contract_id", "promoter_id"] } },
});

/** A document with its records. */
export interface DocumentParts {
  id: number;
  contract: Contract;
  /** The signed version, or the one to sign. */
  version: ContractVersion;
  promoter: Promoter;
  /** Null: it waits for the promoter. */
  document: ContractDocument | null;
  created_at: string;
}

/** Contracts have smaller ids than this. */
const MOST_CONTRACTS = 1_000_000;

/** The id of the document that a promoter signs for a contract. */
export function documentId(promoterId: number, contractId: number): number {
  return promoterId * MOST_CONTRACTS + contractId;
}

/** Whether a promoter has signed, and the contract has not asked again since. */
export function isStillSigned({ asks_since }: Contract, document: ContractDocument | null): boolean {
  return document !== null && (asks_since === undefined || document.signed_at >= asks_since);
}

/** A promoter in these states is asked to sign. */
export const SIGNING_STATES = ["accepted", "pending"];

/** A promoter's documents: those to sign, then the signed ones. */
export async function listOwnDocuments(view: View, promoter: Promoter): Promise<DocumentParts[]> {
  const { account_id, id } = promoter;
  const signed = await view.list(contractDocuments, "promoter", account_id, [id]);
  const signatures = new Map(signed.map((document) => [document.contract_id, document]));
  const joined = (await listPromoterCampaigns(view, account_id, id)).filter(({ state }) =>
    SIGNING_STATES.includes(state),
  );
  const all = joined.length === 0 ? [] : await listCurrentContracts(view, account_id);
  const due = new Map<number, DocumentParts>();
  for (const { campaign_id, created_at: joinedAt } of joined) {
    for (const { contract, version } of contractsFor(all, campaign_id)) {
      const former = signatures.get(contract.id) ?? null;
      if (isStillSigned(contract, former) || due.has(contract.id)) continue;
      const createdAt = former === null ? joinedAt : (contract.asks_since ?? joinedAt);
      const parts = { contract, version, promoter, document: null, created_at: createdAt };
      due.set(contract.id, { id: documentId(id, contract.id), ...parts });
    }
  }
  const settled = signed.filter(({ contract_id }) => !due.has(contract_id));
  const kept = await Promise.all(settled.map((document) => withParts(view, document, promoter)));
  return [...due.values(), ...kept];
}

/** One of a promoter's documents. @throws Failure `not_found` */
export async function loadOwnDocument(view: View, promoter: Promoter, id: number): Promise<DocumentParts> {
  const found = (await listOwnDocuments(view, promoter)).find((each) => each.id === id);
  if (found === undefined) throw noDocument();
  return found;
}

/** A document of any promoter. @throws Failure `not_found` */
export async function loadDocument(view: View, accountId: number, id: number): Promise<DocumentParts> {
  const promoter = await view.get(promoters, accountId, Math.floor(id / MOST_CONTRACTS));
  if (promoter === null) throw noDocument();
  return loadOwnDocument(view, promoter, id);
}

/** How a promoter signs. */
interface Signing {
  address: string | null;
  /** The version that they have read. Null: the current one. */
  version_id: number | null;
}

/**
 * Signs a document for its promoter. Signing it again changes nothing.
 *
 * @throws Failure `not_found`, or `invalid` if the contract has changed since it was read
 */
export async function signDocument(
  tx: Transaction,
  context: Context,
  promoter: Promoter,
  { id, address, version_id }: Signing & { id: number },
): Promise<DocumentParts> {
  const present = await loadPromoter(tx, promoter.account_id, promoter.id);
  const found = await loadOwnDocument(tx.view, present, id);
  if (found.document !== null) return found;
  if (version_id !== null && version_id !== found.version.id) throw changedSince(found.contract);
  return { ...found, document: await sign(tx, context, { ...found, address }) };
}

/**
 * Finds the contracts of a campaign, all of which a newcomer must have signed.
 *
 * @throws Failure `invalid` naming those that are missing
 */
export async function requireSignatures(
  view: View,
  campaign: { account_id: number; id: number },
  versionIds: readonly number[],
): Promise<CurrentContract[]> {
  const wanted = contractsFor(await listCurrentContracts(view, campaign.account_id), campaign.id);
  const faults = unsignedFaults(wanted, versionIds);
  if (faults.length === 0) return wanted;
  throw new Failure(
    "invalid",
    "Some contracts are not signed, or have changed. Load the page again to read them.",
    { signed_contract_version_ids: faults },
  );
}

/** What to say of the contracts whose current version is not among the signed ones. */
export function unsignedFaults(wanted: readonly CurrentContract[], versionIds: readonly number[]): string[] {
  const missing = wanted.filter(({ version }) => !versionIds.includes(version.id));
  return missing.map(({ contract }) => `must be signed: ${contract.name}`);
}

/** A contract to sign, and since when. Absent: since now. */
type Wanted = CurrentContract & Partial<Pick<DocumentParts, "created_at">>;

/** Signs these contracts for a promoter, in a transaction with what else they accept. */
export async function signContracts(
  tx: Transaction,
  context: Context,
  { promoter, wanted, address }: { promoter: Promoter; wanted: Wanted[]; address: string | null },
): Promise<void> {
  for (const { contract, version, created_at = context.now.toISOString() } of wanted) {
    const id = documentId(promoter.id, contract.id);
    await sign(tx, context, { id, contract, version, promoter, created_at, address });
  }
}

/** Removes a deleted promoter's documents. */
export async function removeDocuments(tx: Transaction, { account_id, id }: Promoter): Promise<void> {
  for (const document of await tx.view.list(contractDocuments, "promoter", account_id, [id]))
    await tx.remove(contractDocuments, account_id, document.id);
}

/** Removes a promoter's name and addresses from their signatures. What was signed, and when, stays. */
export async function eraseDocuments(tx: Transaction, { account_id, id }: Promoter): Promise<void> {
  for (const document of await tx.view.list(contractDocuments, "promoter", account_id, [id]))
    await tx.put(contractDocuments, withoutPersonal(contractDocuments, document));
}

async function withParts(
  reader: Reader,
  document: ContractDocument,
  promoter: Promoter,
): Promise<DocumentParts> {
  const { account_id, id, contract_id, contract_version_id, created_at } = document;
  const contract = await reader.get(contracts, account_id, contract_id);
  if (contract === null) throw noDocument();
  const version = await loadVersion(reader, account_id, contract_version_id);
  return { id, contract, version, promoter, document, created_at };
}

async function sign(
  tx: Transaction,
  context: Context,
  given: Omit<DocumentParts, "document"> & { address: string | null },
): Promise<ContractDocument> {
  const { id, contract, version, promoter, created_at, address } = given;
  const { account_id } = promoter;
  // Other requests may have been faster: one that signs it, or one that changes the contract.
  const known = await tx.get(contractDocuments, account_id, id);
  const current = await tx.get(contracts, account_id, contract.id);
  if (current?.version_id !== version.id) throw changedSince(contract);
  if (known !== null && isStillSigned(contract, known)) return known;
  const now = context.now.toISOString();
  const { asks_since = now } = contract;
  const document: ContractDocument = {
    account_id,
    id,
    contract_id: contract.id,
    contract_version_id: version.id,
    promoter_id: promoter.id,
    // The clock of the server that has asked again may be ahead.
    signed_at: now > asks_since ? now : asks_since,
    signed_ip: address,
    signed_name: promoterName(promoter),
    signed_email: promoter.email,
    created_at: known?.created_at ?? created_at,
    ...(known && { earlier: [...(known.earlier ?? []), signatureOf(known)] }),
  };
  await tx.put(contractDocuments, document);
  await announce(tx, context, { entity: "contract_document", before: null, after: document });
  if (context.actor === undefined) await logNewcomer(tx, context, { promoter, document });
  return document;
}

function signatureOf(document: ContractDocument): Signature {
  const { contract_version_id, signed_at, signed_ip, signed_name, signed_email } = document;
  return { contract_version_id, signed_at, signed_ip, signed_name, signed_email };
}

/** Newcomers are not signed in yet, so the store does not log what they do. A signature always is. */
async function logNewcomer(
  tx: Transaction,
  { store, now }: Context,
  { promoter, document }: { promoter: Promoter; document: ContractDocument },
): Promise<void> {
  const actor = { kind: "promoter" as const, id: promoter.id, name: promoter.email };
  await writeAuditEntry(
    tx,
    { store, actor, now },
    {
      account_id: promoter.account_id,
      of: contractDocuments,
      entity: "contract_document",
      entity_id: String(document.id),
      before: null,
      after: document,
    },
  );
}

function noDocument(): Failure {
  return new Failure("not_found", "Contract document not found.");
}

function changedSince({ name }: Contract): Failure {
  return new Failure("invalid", `The contract ${name} has changed since you read it. Please read it again.`, {
    contract_version_id: ["is no longer the current version"],
  });
}
