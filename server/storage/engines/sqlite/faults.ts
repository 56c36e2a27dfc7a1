import { Failure } from "../../../failure.ts";

/** Primary result codes. @see https://www.sqlite.org/rescode.html */
const [BUSY, READ_ONLY, IO_ERROR, CORRUPT, FULL, CANNOT_OPEN, NOT_A_DATABASE] = [5, 8, 10, 11, 13, 14, 26];
const PASSING = new Set<number | null>([BUSY, READ_ONLY, IO_ERROR, FULL, CANNOT_OPEN]);
const DAMAGE = new Set<number | null>([CORRUPT, NOT_A_DATABASE]);
/** The log ends before a page that it should hold. */
const SHORT_READ = IO_ERROR | (2 << 8);

const GENERIC = 1;

/** SQLite's message for damage. */
export const CUT_OFF = "database disk image is malformed";
/** The binding's `all` gives no code, only SQLite's message. */
const CODES: Record<string, number> = {
  "database is locked": BUSY,
  "disk I/O error": IO_ERROR,
  [CUT_OFF]: CORRUPT,
  "file is not a database": NOT_A_DATABASE,
  "unsupported file format": CORRUPT,
};

/** A process creates its tables before it uses them. */
const LOST_TABLE = /^no such table: /;

/** Whether another connection holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  return primary(resultCode(error)) === BUSY;
}

/** Whether a file holds data that SQLite can't have written, or lacks data that it wrote. */
export function isDamage(error: unknown): boolean {
  const code = resultCode(error);
  return code === SHORT_READ || DAMAGE.has(primary(code));
}

/** Whether a write failed because the disk is full or refused it. */
export function isWantOfRoom(error: unknown): boolean {
  const code = primary(resultCode(error));
  return code === FULL || code === IO_ERROR;
}

/**
 * The error that callers get when SQLite failed because of the disk, another process or damage. The log has
 * the cause. Other errors are bugs and stay as they are.
 */
export function refusalOf(
  fault: unknown,
  { file, what }: { file: string; what: "read" | "written to" },
): unknown {
  if (isDamage(fault)) return unavailable("The store is damaged; try again later", whyDamaged(fault, file));
  if (!PASSING.has(primary(resultCode(fault)))) return fault;
  const cause = new Error(`${file} can't be ${what}: ${(fault as Error).message}`, { cause: fault });
  return unavailable(`The store could not be ${what}; try again`, cause);
}

/** The error that callers get when a file was deleted or replaced while it was in use. */
export function goneFault(file: string): Failure {
  const remedy = "stop the servers, and put it back or restore a backup";
  const cause = new Error(`${file} or its log was deleted or replaced while it was in use: ${remedy}`);
  return unavailable("The store's file was deleted or replaced; try again later", cause);
}

/** Explains in a sentence why a file can't be opened. */
export function openingFault(fault: unknown, file: string): unknown {
  if (primary(resultCode(fault)) === NOT_A_DATABASE) {
    return new Error(`${file} is not a SQLite file`, { cause: fault });
  }
  if (!isDamage(fault)) return fault;
  return new Error(`${file} is damaged or cut off: restore a backup`, { cause: fault });
}

/** SQLite's result code, with the extended bits if known, or null for any other error. */
export function resultCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  const { sqliteExtendedCode, errcode } = error as Error & Partial<Record<string, number>>;
  const code = [sqliteExtendedCode, errcode].find((known) => known !== undefined && known > GENERIC);
  if (code !== undefined) return code;
  // Some faults come with a message only.
  return LOST_TABLE.test(error.message) ? CORRUPT : (CODES[error.message] ?? errcode ?? null);
}

function primary(code: number | null): number | null {
  return code === null ? null : code & 0xff;
}

function whyDamaged(fault: unknown, file: string): Error {
  const remedy = "look at it with `tidemark check`, stop the servers, and restore a backup";
  return new Error(`${file} is damaged (${(fault as Error).message}): ${remedy}`, { cause: fault });
}

function unavailable(message: string, cause: Error): Failure {
  const failure = new Failure("unavailable", message);
  failure.cause = cause;
  return failure;
}
