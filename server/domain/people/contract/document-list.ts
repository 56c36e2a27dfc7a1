import { sql, type RawBuilder } from "kysely";
import { contains, type Found, type Window } from "../../../storage/query.ts";
import type { View } from "../../../storage/store.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import { contracts, contractsFor, listContracts, loadVersion } from "./contract.ts";
import { contractDocuments, documentId, SIGNING_STATES, type DocumentParts } from "./document.ts";

export const DOCUMENT_STATUSES = ["pending", "signed"] as const;

export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** The documents to list. Undefined fields match all. */
export interface DocumentFilter {
  /** Part of the promoter's name or e-mail address. */
  text?: string | undefined;
  status?: DocumentStatus | undefined;
  promoterId?: number | undefined;
  contractId?: number | undefined;
}

export const DOCUMENT_SORTS = ["created_at", "signed_at"] as const;

interface DocumentRequest extends Window {
  filter: DocumentFilter;
  sort: { by: (typeof DOCUMENT_SORTS)[number]; isDescending: boolean };
}

/** A page of documents, those that wait for a promoter included. */
export async function findDocuments(
  view: View,
  accountId: number,
  { filter, sort, limit, offset }: DocumentRequest,
): Promise<Found<DocumentParts>> {
  const { promoterId, contractId, text } = filter;
  const source = await documentRows(view, accountId, filter.status);
  if (source === null) return { records: [], total: 0 };
  let query = view.query<object>().selectFrom(source.as("documents"));
  if (contractId !== undefined) query = query.where("contract_id", "=", contractId);
  if (promoterId !== undefined) query = query.where("promoter_id", "=", promoterId);
  if (text !== undefined) {
    query = query.where(
      "promoter_id",
      "in",
      sql<number>`(select id from promoters where account_id = ${accountId} and ${contains("words", text)})`,
    );
  }
  const direction = sort.isDescending ? "desc" : "asc";
  const [rows, [count]] = await Promise.all([
    view.rows(
      query
        .select(["contract_id", "promoter_id", "created_at"])
        // The engines disagree on where nulls come.
        .orderBy(sql`${sql.ref(sort.by)} is null`)
        .orderBy(sort.by, direction)
        .orderBy("promoter_id", direction)
        .orderBy("contract_id")
        .limit(limit)
        .offset(offset),
    ),
    view.rows(query.select(sql<number>`count(*)`.as("total"))),
  ]);
  const records = await Promise.all(rows.map((row) => partsOfRow(view, accountId, row)));
  return { records: records.filter((each) => each !== null), total: Number(count?.total ?? 0) };
}

/** How many have signed each contract, and how many are to sign it, by contract id. */
export async function countDocuments(
  view: View,
  accountId: number,
): Promise<Map<number, { signed: number; pending: number }>> {
  const source = await documentRows(view, accountId, undefined);
  if (source === null) return new Map();
  const rows = await view.rows(
    view
      .query<object>()
      .selectFrom(source.as("documents"))
      .select(["contract_id", sql<number>`count(*)`.as("total"), sql<number>`count(signed_at)`.as("signed")])
      .groupBy("contract_id"),
  );
  return new Map(
    rows.map(({ contract_id: id, total, signed }) => [
      Number(id),
      { signed: Number(signed), pending: Number(total) - Number(signed) },
    ]),
  );
}

interface DocumentRow {
  contract_id: number;
  promoter_id: number;
  created_at: string;
  signed_at: string | null;
}

/** Every document of an account in SQL: the signed ones, and those that each contract's promoters are to sign. */
async function documentRows(
  view: View,
  accountId: number,
  status: DocumentStatus | undefined,
): Promise<RawBuilder<DocumentRow> | null> {
  const parts: RawBuilder<unknown>[] = [];
  if (status !== "pending") {
    parts.push(
      sql`select contract_id, promoter_id, created_at, signed_at from contract_documents where account_id = ${accountId}`,
    );
  }
  if (status !== "signed") parts.push(...(await pendingRows(view, accountId)));
  return parts.length === 0 ? null : sql<DocumentRow>`(${sql.join(parts, sql` union all `)})`;
}

async function pendingRows(view: View, accountId: number): Promise<RawBuilder<unknown>[]> {
  const all = (await listContracts(view, accountId)).map((contract) => ({ contract }));
  const known = all.length === 0 ? [] : await view.list(campaigns, "id", accountId, []);
  return all.flatMap(({ contract: { id } }) => {
    const ids = known
      .filter((campaign) => contractsFor(all, campaign.id).some(({ contract }) => contract.id === id))
      .map((campaign) => campaign.id);
    if (ids.length === 0) return [];
    return [
      sql`select ${sql.lit(id)} as contract_id, joined.promoter_id, min(joined.created_at) as created_at, cast(null as text) as signed_at
        from promoter_campaigns joined
        join promoters on promoters.account_id = joined.account_id and promoters.id = joined.promoter_id
        where joined.account_id = ${accountId} and joined.campaign_id in (${sql.join(ids)})
          and joined.state in (${sql.join(SIGNING_STATES)}) and promoters.archived_at is null
          and not exists (select 1 from contract_documents signed where signed.account_id = joined.account_id
            and signed.contract_id = ${sql.lit(id)} and signed.promoter_id = joined.promoter_id)
        group by joined.promoter_id`,
    ];
  });
}

/** Null if a record was deleted meanwhile. */
async function partsOfRow(
  view: View,
  accountId: number,
  row: Pick<DocumentRow, "contract_id" | "promoter_id" | "created_at">,
): Promise<DocumentParts | null> {
  const [contractId, promoterId] = [Number(row.contract_id), Number(row.promoter_id)];
  const id = documentId(promoterId, contractId);
  const [contract, promoter, document] = await Promise.all([
    view.get(contracts, accountId, contractId),
    view.get(promoters, accountId, promoterId),
    view.get(contractDocuments, accountId, id),
  ]);
  if (contract === null || promoter === null) return null;
  const version = await loadVersion(view, accountId, document?.contractVersionId ?? contract.versionId);
  return { id, contract, version, promoter, document, createdAt: document?.createdAt ?? row.created_at };
}
