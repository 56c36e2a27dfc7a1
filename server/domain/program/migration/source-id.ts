import { withoutPersonal } from "../../../storage/marks.ts";
import { digest, indexed, orderedJson } from "../../../storage/digests.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { flag, integer, json, table, text, type RowOf } from "../../../storage/table.ts";

/** The programs that a company can come from. */
export const PROGRAMS = ["rewardful", "firstpromoter", "tolt", "partnerstack", "dub"] as const;

export type Program = (typeof PROGRAMS)[number];

export const KEPT_KINDS = [
  "campaign",
  "reward",
  "promoter",
  "payout_method",
  "promoter_campaign",
  "code",
  "customer",
  "sale",
  "commission",
  "payout",
  /** A promoter's parent, which can only be known after all promoters. */
  "parent",
] as const;

export type KeptKind = (typeof KEPT_KINDS)[number];

const fields = {
  program: text<Program>(),
  kind: text<KeptKind>(),
  source_id: text(),
  /** Our record, or 0 if another record here covers it. */
  record_id: integer(),
  /** The digest of the source's record at its last import. */
  source_digest: text().personal(),
  /**
   * The digest of our record as it was imported. A different digest now means that the record was edited here
   * since.
   */
  own_digest: text().personal(),
  /**
   * Whether the record was here before the import found it, so that its data is not the import's. Absent: the
   * import made it.
   */
  is_found_here: flag().optional(),
  /** The clicks counted for a promoter campaign. Absent: its own record has not arrived yet. */
  clicks: integer().optional(),
  /** The payouts here for one payout of the source, one for each promoter campaign and unit. */
  part_ids: json<number[]>().optional(),
};

/**
 * The id that a record had in the company's former program. Kept for ever, so that later runs don't import
 * the record twice.
 */
export type SourceId = RowOf<typeof fields>;

export const sourceIds = table("source-id", fields, {
  key: ["program", "kind", "source_id_key"],
  derived: {
    source_id_key: ["text", ({ source_id }) => indexed(source_id)],
  },
  indexes: { record: { on: ["kind", "record_id"] } },
});

/** Identifies a record of a former program. */
export interface SourceName {
  program: Program;
  kind: KeptKind;
  source_id: string;
}

/** The import state of a former program's record, or null. */
export function findSourceId(
  reader: Reader,
  accountId: number,
  { program, kind, source_id }: SourceName,
): Promise<SourceId | null> {
  return reader.get(sourceIds, accountId, program, kind, indexed(source_id));
}

/**
 * Our record that had this id in any former program, or null. Programs' ids never collide in practice; if
 * they did, the first of `PROGRAMS` would win.
 */
export async function findRecordId(
  reader: Reader,
  accountId: number,
  { kind, source_id }: Omit<SourceName, "program">,
): Promise<number | null> {
  for (const program of PROGRAMS) {
    const found = await findSourceId(reader, accountId, { program, kind, source_id });
    if (found !== null && found.record_id !== 0) return found.record_id;
  }
  return null;
}

/** The ids that a record had in former programs. */
export function sourceIdsOf(
  view: View,
  accountId: number,
  { kind, record_id }: Pick<SourceId, "kind" | "record_id">,
): Promise<SourceId[]> {
  return view.list(sourceIds, "record", accountId, [kind, record_id]);
}

/** The digest of any JSON value. */
export function pictureOf(value: unknown): string {
  return digest(orderedJson(value));
}

/** Replaces the digest of an erased person's data. */
export const FORGOTTEN = "";

/**
 * Forgets a former program's data about an erased person. The ids stay, because they reveal nothing about the
 * person and keep later runs from importing them again.
 */
export async function forgetSourceTexts(
  tx: Transaction,
  accountId: number,
  { kind, record_id }: { kind: "promoter" | "customer"; record_id: number },
): Promise<void> {
  for (const known of await sourceIdsOf(tx.view, accountId, { kind, record_id })) {
    await tx.put(sourceIds, withoutPersonal(sourceIds, known));
    const { program, source_id } = known;
    const method = await findSourceId(tx, accountId, { program, kind: "payout_method", source_id });
    if (kind === "promoter" && method !== null) await tx.put(sourceIds, withoutPersonal(sourceIds, method));
  }
}
