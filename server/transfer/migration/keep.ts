import type { Account } from "../../domain/program/account/account.ts";
import type { Context } from "../../domain/context.ts";
import {
  FORGOTTEN,
  findSourceId,
  pictureOf,
  sourceIds,
  type KeptKind,
  type Program,
  type SourceId,
} from "../../domain/program/migration/source-id.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import type { Plan } from "./plan.ts";

/** The context of importing one record. */
export interface Step {
  tx: Transaction;
  context: Context;
  account: Account;
  program: Program;
  plan: Plan;
}

/** The outcome of a record. `found`: it existed here before. `edited`: it changed in both programs and stays as it is here. */
export const OUTCOMES = ["added", "changed", "known", "found", "edited", "left_out"] as const;

export type Outcome = (typeof OUTCOMES)[number];

export interface Result {
  outcome: Outcome;
  /** Why something differs from the source, for people. Absent if nothing does. */
  remark?: string;
}

interface Stored {
  account_id: number;
  id: number;
}

/** How a kind of record is imported. */
export interface Keeping<R extends Stored> {
  kind: KeptKind;
  id: string;
  /** The source's data of it. If it is unchanged, a run changes nothing. */
  said: unknown;
  table: Table<R>;
  /** The parts of our record that the import sets. */
  picture: (record: R) => unknown;
  /** Writes a new record, or returns the reason why it is left out. */
  add: () => Promise<Added<R> | string>;
  /** Our record changed to the source's current data, not written yet, or the reason why that is impossible. */
  change: (before: R) => Promise<R | string>;
  /** Writes a changed record. Without it, only the record itself is written. */
  write?: (before: R, after: R) => Promise<R>;
}

export interface Added<R> {
  record: R;
  is_found_here?: boolean;
  remark?: string | undefined;
}

/**
 * Imports a record once. If the source has changed it since, ours changes too, unless it was edited here meanwhile. The id
 * is stored in the same commit.
 */
export async function keep<R extends Stored>(step: Step, given: Keeping<R>): Promise<Result> {
  const { tx, account, program } = step;
  const { kind, id: sourceId, picture } = given;
  const sourceDigest = pictureOf(given.said);
  const known = await findSourceId(tx, account.id, { program, kind, source_id: sourceId });
  if (known === null) {
    const added = await given.add();
    if (typeof added === "string") return { outcome: "left_out", remark: added };
    const { record, is_found_here = false, remark } = added;
    await tx.put(sourceIds, {
      account_id: account.id,
      program,
      kind,
      source_id: sourceId,
      record_id: record.id,
      source_digest: sourceDigest,
      own_digest: pictureOf(picture(record)),
      ...(is_found_here && { is_found_here: true as const }),
    });
    return { outcome: is_found_here ? "found" : "added", ...(remark !== undefined && { remark }) };
  }
  if (known.source_digest === sourceDigest) return { outcome: "known" };
  return changeKept(step, given, { known, source_digest: sourceDigest });
}

async function changeKept<R extends Stored>(
  { tx, account }: Step,
  { kind, id: sourceId, table, picture, change, write }: Keeping<R>,
  { known, source_digest }: { known: SourceId; source_digest: string },
): Promise<Result> {
  // An erasure deletes the digests, so that the person is never imported again.
  if (known.source_digest === FORGOTTEN) return { outcome: "known" };
  const before = await tx.get(table, account.id, known.record_id);
  const name = `${kind.replace("_", " ")} ${sourceId}`;
  if (before === null) return { outcome: "edited", remark: `${name} was deleted here, and stays so` };
  const wanted = await change(before);
  if (typeof wanted === "string")
    return { outcome: "edited", remark: `${name} changed there, but ${wanted}` };
  const isSame = pictureOf(picture(wanted)) === pictureOf(picture(before));
  const isEdited = pictureOf(picture(before)) !== known.own_digest;
  if (!isSame && (isEdited || known.is_found_here))
    return { outcome: "edited", remark: `${name}: ${EDITED}` };
  const after = isSame ? before : ((await write?.(before, wanted)) ?? wanted);
  if (!isSame && write === undefined) await tx.put(table, after);
  await tx.put(sourceIds, { ...known, source_digest, own_digest: pictureOf(picture(after)) });
  return { outcome: isSame ? "known" : "changed" };
}

const EDITED = "it changed in the former program, and was changed here too, so it stays as it is here";

/** Our id of an imported record, or null if it was not imported or is gone. */
export async function ownId({ tx, account, program }: Step, kind: KeptKind, sourceId: string | null) {
  if (sourceId === null) return null;
  const known = await findSourceId(tx, account.id, { program, kind, source_id: sourceId });
  return known === null || known.record_id === 0 ? null : known.record_id;
}
