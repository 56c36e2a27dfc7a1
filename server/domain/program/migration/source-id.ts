import { digest, indexed } from "../../../storage/digests.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";

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
  /** The parent of a promoter, which can be known only after all promoters. */
  "parent",
] as const;

export type KeptKind = (typeof KEPT_KINDS)[number];

/** The id that a record had in the company's former program. Kept for ever, so that no later run makes it twice. */
export interface SourceId {
  accountId: number;
  program: Program;
  kind: KeptKind;
  sourceId: string;
  /** Our record. 0: there is none, because something here stands for it. */
  recordId: number;
  /** The digest of what the source said of it when it was last imported. */
  sourceDigest: string;
  /** The digest of what the import made of it. Another one says that the record was edited here since. */
  ownDigest: string;
  /** It was here before the import found it, so what it says here is not the import's. Absent: the import made it. */
  isFoundHere?: true;
  /** Of a promoter campaign: the clicks that were counted for it. Absent: its own record has not come yet. */
  clicks?: number;
  /** Of a payout: ours, one for each promoter campaign and unit. */
  partIds?: number[];
}

export const sourceIds = table<SourceId>()({
  name: "source-id",
  key: ["program", "kind", "source_id"],
  columns: {
    program: "text",
    kind: "text",
    source_id: ["text", ({ sourceId }) => indexed(sourceId)],
    record_id: "integer",
  },
  indexes: { record: { on: ["kind", "record_id"] } },
});

/** Names a record of a former program. */
export interface SourceName {
  program: Program;
  kind: KeptKind;
  sourceId: string;
}

/** What became of a record of a former program. null: nothing yet. */
export function findSourceId(
  reader: Reader,
  accountId: number,
  { program, kind, sourceId }: SourceName,
): Promise<SourceId | null> {
  return reader.get(sourceIds, accountId, program, kind, indexed(sourceId));
}

/**
 * The record that had this id in a former program, whichever it was. null: none.
 *
 * Choice: programs choose their ids so that they never meet. If two did, the first of `PROGRAMS` counts.
 */
export async function findRecordId(
  reader: Reader,
  accountId: number,
  { kind, sourceId }: Omit<SourceName, "program">,
): Promise<number | null> {
  for (const program of PROGRAMS) {
    const found = await findSourceId(reader, accountId, { program, kind, sourceId });
    if (found !== null && found.recordId !== 0) return found.recordId;
  }
  return null;
}

/** The ids that a record had in former programs. */
export function sourceIdsOf(
  view: View,
  accountId: number,
  { kind, recordId }: Pick<SourceId, "kind" | "recordId">,
): Promise<SourceId[]> {
  return view.list(sourceIds, "record", accountId, [kind, recordId]);
}

/** The digest of anything that JSON can say. */
export function pictureOf(value: unknown): string {
  return digest(JSON.stringify(value));
}

/** In place of the digest of what was said of an erased person. */
export const FORGOTTEN = "";

/**
 * Forgets what a former program said of an erased person. The ids stay, because they say nothing of the person and keep
 * later runs from bringing them back.
 */
export async function forgetSourceTexts(
  tx: Transaction,
  accountId: number,
  { kind, recordId }: { kind: "promoter" | "customer"; recordId: number },
): Promise<void> {
  for (const known of await sourceIdsOf(tx.view, accountId, { kind, recordId })) {
    await tx.put(sourceIds, { ...known, sourceDigest: FORGOTTEN, ownDigest: FORGOTTEN });
    const { program, sourceId } = known;
    const method = await findSourceId(tx, accountId, { program, kind: "payout_method", sourceId });
    if (kind === "promoter" && method !== null)
      await tx.put(sourceIds, { ...method, sourceDigest: FORGOTTEN, ownDigest: FORGOTTEN });
  }
}
