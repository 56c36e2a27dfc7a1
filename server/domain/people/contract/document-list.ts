import { sql, type RawBuilder } from "kysely";
import { contains, type Found, type Window } from "../../../storage/query.ts";
import type { View } from "../../../storage/store.ts";
import { campaigns } from "../../program/campaign/campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import { contracts, contractsFor, listContracts, loadVersion, type Contract } from "./contract.ts";
import { contractDocuments, documentId, SIGNING_STATES, type DocumentParts } from "./document.ts";

export const DOCUMENT_STATUSES = ["pending", "signed"] as const;

export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** The documents to list. Undefined fields match all. */
export interface DocumentFilter {
  /** Part of the promoter's name or e-mail address. */
  text?: string | undefined;
  status?: DocumentStatus | undefined;
  promoter_id?: number | undefined;
  contract_id?: number | undefined;
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
  const { promoter_id, contract_id, text } = filter;
  const source = await documentRows(view, accountId, filter.status);
  if (source === null) return { records: [], total: 0 };
  let query = view.query<object>().selectFrom(source.as("documents"));
  if (contract_id !== undefined) query = query.where("contract_id", "=", contract_id);
  if (promoter_id !== undefined) query = query.where("promoter_id", "=", promoter_id);
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
        .select(["contract_id", "promoter_id", "created_at", "signed_at"])
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
  const asking = await listAsking(view, accountId);
  if (status !== "pending") {
    parts.push(
      sql`select contract_id, promoter_id, created_at, signed_at from contract_documents signed
        where account_id = ${accountId} ${sql.join(asking.flatMap(stillSigned), sql` `)}`,
    );
  }
  if (status !== "signed") parts.push(...asking.map((each) => pendingRows(accountId, each)));
  return parts.length === 0 ? null : sql<DocumentRow>`(${sql.join(parts, sql` union all `)})`;
}

/** A contract, and the campaigns whose promoters it asks. */
interface Asking {
  contract: Contract;
  campaign_ids: number[];
}

async function listAsking(view: View, accountId: number): Promise<Asking[]> {
  const all = (await listContracts(view, accountId)).map((contract) => ({ contract }));
  const known = all.length === 0 ? [] : await view.list(campaigns, "id", accountId, []);
  return all.flatMap(({ contract }) => {
    const own = known.filter(({ id }) =>
      contractsFor(all, id).some((each) => each.contract.id === contract.id),
    );
    return own.length === 0 ? [] : [{ contract, campaign_ids: own.map(({ id }) => id) }];
  });
}

/** Leaves out signatures under a contract that has asked the promoter again since. Those rows are pending. */
function stillSigned({ contract: { id, asks_since }, campaign_ids }: Asking): RawBuilder<unknown>[] {
  if (asks_since === undefined) return [];
  return [
    sql`and not (signed.contract_id = ${sql.lit(id)} and signed.signed_at < ${asks_since}
      and exists (select 1 from promoter_campaigns joined
        join promoters on promoters.account_id = joined.account_id and promoters.id = joined.promoter_id
        where joined.account_id = signed.account_id and joined.promoter_id = signed.promoter_id
          and ${isAsked(campaign_ids)}))`,
  ];
}

function pendingRows(accountId: number, { contract, campaign_ids }: Asking): RawBuilder<unknown> {
  const { id, asks_since = null } = contract;
  return sql`select ${sql.lit(id)} as contract_id, joined.promoter_id,
      case when max(former.signed_at) is null then min(joined.created_at) else ${asks_since} end as created_at,
      null as signed_at
    from promoter_campaigns joined
    join promoters on promoters.account_id = joined.account_id and promoters.id = joined.promoter_id
    left join contract_documents former on former.account_id = joined.account_id
      and former.contract_id = ${sql.lit(id)} and former.promoter_id = joined.promoter_id
    where joined.account_id = ${accountId} and ${isAsked(campaign_ids)}
      and (former.signed_at is null or former.signed_at < ${asks_since})
    group by joined.promoter_id`;
}

function isAsked(campaignIds: number[]): RawBuilder<unknown> {
  return sql`joined.campaign_id in (${sql.join(campaignIds)})
    and joined.state in (${sql.join(SIGNING_STATES)}) and promoters.archived_at is null`;
}

/** Null if a record was deleted meanwhile. */
async function partsOfRow(view: View, accountId: number, row: DocumentRow): Promise<DocumentParts | null> {
  const [contractId, promoterId] = [Number(row.contract_id), Number(row.promoter_id)];
  const id = documentId(promoterId, contractId);
  const [contract, promoter, signature] = await Promise.all([
    view.get(contracts, accountId, contractId),
    view.get(promoters, accountId, promoterId),
    view.get(contractDocuments, accountId, id),
  ]);
  const document = row.signed_at === null ? null : signature;
  if (contract === null || promoter === null) return null;
  const version = await loadVersion(view, accountId, document?.contract_version_id ?? contract.version_id);
  return { id, contract, version, promoter, document, created_at: document?.created_at ?? row.created_at };
}
