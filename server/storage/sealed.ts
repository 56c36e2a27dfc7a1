import { Failure } from "../failure.ts";
import { NO_SEAL, type Seal } from "../seal.ts";
import { marked } from "./marks.ts";
import { keyOf, recordOf, valuesOf, type Hidden } from "./record.ts";
import { freeze, parseStored, type ColumnValue, type Table } from "./table.ts";
import { readItem } from "./items.ts";
import { PROOF_KEY } from "./layout.ts";
import type { Engine, Session } from "./session.ts";

/**
 * The row of a record, with its secrets sealed. One that is sealed already stays as it is, also one that no key opens, so
 * that a change of another field doesn't lose its secret.
 *
 * @throws Failure `refused` without a key for its secrets
 */
export function rowOf<R extends { account_id: number }>(of: Table<R>, record: R, seal: Seal): ColumnValue[] {
  const { sealed: declared } = of;
  if (declared?.isSecret(record) !== true) return valuesOf(of, record);
  const names = marked(of, "isSealed") as (keyof R & string)[];
  if (isSealed(record) && names.every((name) => record[name] === null)) return valuesOf(of, record);
  const secrets = Object.fromEntries(names.map((name) => [name, record[name]]));
  const blanks = Object.fromEntries(names.map((name) => [name, null]));
  const sealed = seal.close(JSON.stringify(secrets), placeOf(of, record));
  return valuesOf(of, { ...record, ...blanks, sealed });
}

/**
 * The record of a row, with its secrets. One whose secrets no key opens comes without them, so that it alone is of no use, and
 * not each list with it. So does one that is not sealed although there is a key: only someone who has no key can have
 * written it.
 */
export function openRow<R>(from: Table<R>, values: readonly ColumnValue[], seal: Seal): R {
  const record = recordOf(from, values);
  if (from.sealed === undefined) return record;
  if (!isSealed(record)) {
    const isForeign = seal.hasKey && from.sealed.isSecret(record);
    return isForeign ? hidden(from, record, { seal, fault: "is not encrypted" }) : record;
  }
  try {
    return freeze(openRecord(from, record, seal));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return hidden(from, record, { seal, fault: "can't be opened" });
  }
}

/** The record without its secrets. The log names it. */
function hidden<R>(from: Table<R>, record: R, { seal, fault }: { seal: Seal; fault: string }): R {
  const { account_id } = record as unknown as { account_id: number };
  const label = `${from.name} ${JSON.stringify(keyOf(from, record))} of account ${account_id}`;
  seal.warn(`the secret of ${label} ${fault}, so it is neither shown nor used: run tidemark check`);
  return freeze({ ...record, ...(from.sealed?.without(record) as R) });
}

/** A record with its secrets. Exports and checks use it, which must miss none. @throws Failure `refused` if no key opens them */
export function openRecord<R>(of: Table<R>, record: R, seal: Seal): R {
  if (of.sealed === undefined || !isSealed(record)) return record;
  const { sealed, ...rest } = record;
  const secrets = seal.open(sealed, placeOf(of, record));
  return { ...(rest as R), ...parseStored<Partial<R>>(of.name, secrets) };
}

/** A record without its secrets, whether they are sealed or not. */
export function withoutSecrets<R>(of: Table<R>, record: R, seal: Seal): R {
  if (of.sealed === undefined) return record;
  const opened = openRecord(of, record, seal);
  return of.sealed.isSecret(opened) ? (of.sealed.without(opened) as R) : opened;
}

/** Whether the secrets of a record are sealed, and how. */
export function isSealed<R>(record: R): record is R & Required<Hidden> {
  return typeof (record as Hidden).sealed === "string";
}

/** A sealed text can't be copied to another record. */
function placeOf<R>(of: Table<R>, record: R): string {
  const { account_id } = record as unknown as { account_id: number };
  return JSON.stringify([of.name, account_id, ...keyOf(of, record), ...(of.sealed?.boundTo?.(record) ?? [])]);
}

/** The place of the text that proves the key. */
const PROOF = "store";

/**
 * Refuses a process that does not have the key of the store's secrets, before it reads or writes any. The first process with
 * a key leaves a text in the store that only this key opens.
 *
 * @throws Failure `refused`
 */
export async function requireKey(engine: Engine): Promise<void> {
  const seal = engine.seal ?? NO_SEAL;
  const known = await readItem(engine.reads, PROOF_KEY);
  if (known === null && !seal.hasKey) return;
  if (known === null) await engine.transact((session) => leaveProof(session, seal));
  // Another process may have been faster, with another key.
  refuseOtherKey(known ?? (await readItem(engine.reads, PROOF_KEY))!, seal);
}

/** @throws Failure `refused` if no key of the process opens the proof of a store's key */
export function refuseOtherKey(proof: string, seal: Seal): void {
  try {
    seal.open(proof, PROOF);
  } catch {
    const lack = seal.hasKey ? "TIDEMARK_SECRET_FILE does not have it" : "TIDEMARK_SECRET_FILE is not set";
    throw new Failure(
      "refused",
      `The store's secrets are encrypted with another key, and ${lack}: put it back`,
    );
  }
}

/** Seals the proof with the current key, after all secrets were. */
export async function renewProof({ transact, seal = NO_SEAL }: Engine): Promise<void> {
  await transact((session) => prove(session, seal, "update set value = excluded.value"));
}

/** Leaves a proof of the current key in a store without one. */
export function leaveProof(session: Session, seal: Seal): Promise<void> {
  return prove(session, seal, "nothing");
}

async function prove(session: Session, seal: Seal, otherwise: string): Promise<void> {
  if (!seal.hasKey) return;
  const [key, value] = [1, 2].map(session.dialect.value);
  const text = `insert into items (key, value) values (${key}, ${value}) on conflict (key) do ${otherwise}`;
  await session.run({ text, values: [PROOF_KEY, seal.close("The key fits.", PROOF)] });
}
