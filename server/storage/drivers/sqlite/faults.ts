import { Failure } from "../../../failure.ts";

/** Primary result codes. @see https://www.sqlite.org/rescode.html */
const [BUSY, READ_ONLY, IO_ERROR, CORRUPT, FULL, CANNOT_OPEN, NOT_A_DATABASE] = [5, 8, 10, 11, 13, 14, 26];
const PASSING = new Set<number | null>([BUSY, READ_ONLY, IO_ERROR, FULL, CANNOT_OPEN]);

/** The binding's `all` gives no code, only SQLite's message. */
const CODES: Record<string, number> = {
  "database is locked": BUSY,
  "disk I/O error": IO_ERROR,
  "database disk image is malformed": CORRUPT,
};

/** Whether another connection holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY;
}

/** Whether a retry may succeed: when there is room again, or when another process is done. */
export function isPassing(error: unknown): boolean {
  return PASSING.has(resultCode(error));
}

/** Whether a file holds data that SQLite can't have written. */
export function isDamage(error: unknown): boolean {
  return resultCode(error) === CORRUPT;
}

/** The error that callers see for a passing fault; the log has the cause. */
export function unavailable(cause: unknown, what = "written to"): Failure {
  const failure = new Failure("unavailable", `The store could not be ${what}; try again`);
  failure.cause = cause;
  return failure;
}

/** Explains in a sentence why a file can't be opened. */
export function openingFault(fault: unknown, file: string): unknown {
  switch (resultCode(fault)) {
    case NOT_A_DATABASE:
      return new Error(`${file} is not a SQLite file`, { cause: fault });
    case CORRUPT:
      return new Error(`${file} is damaged or cut off: restore a backup`, { cause: fault });
    default:
      return fault;
  }
}

/** The primary result code of SQLite; null for any other error. */
function resultCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  // The upper bits only refine the cause.
  if ("errcode" in error) return Number(error.errcode) & 0xff;
  return CODES[error.message] ?? null;
}
