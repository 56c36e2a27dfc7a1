import type { Store, Transaction } from "../../storage/store.ts";
import { servedAccounts } from "../program/account/account.ts";
import { promoters, type Promoter, type VatCheck } from "./promoter/promoter.ts";
import { viesNumber, type ViesNumber } from "./vat-number.ts";

/** Whether VIES knows a number. `unknown`: not now. `unreachable`: VIES has not answered at all. It never throws. */
export type AskVies = (number: ViesNumber) => Promise<"valid" | "invalid" | "unknown" | "unreachable">;

/** What a check needs. The guard fails if another process has taken over the work. */
interface CheckRun {
  store: Store;
  clock: () => Date;
  vies: AskVies;
  guard?: (tx: Transaction) => Promise<void>;
}

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** A company that has registered only now appears in VIES some days later. */
const INVALID_REST_MS = 7 * DAY_MS;
/** VIES serves the whole Union, and refuses those who ask too much. */
const MOST_A_ROUND = 50;

/** The check of a promoter's present number, or null. */
export function vatCheckOf({ profile, vatCheck }: Promoter): VatCheck | null {
  const number = viesNumber(profile);
  return vatCheck === undefined || number === null || vatCheck.number !== nameOf(number) ? null : vatCheck;
}

/** A promoter without the check of a number that they no longer have. */
export function withoutFormerCheck(promoter: Promoter): Promoter {
  const { vatCheck: _former, ...rest } = promoter;
  return vatCheckOf(promoter) === null ? rest : promoter;
}

/**
 * Asks VIES about a promoter's VAT number if it is due, and keeps the result and its date. An answer about a number that has
 * changed meanwhile is dropped.
 *
 * @returns the answer, or null if nothing was due
 * @see docs/spec/money.md "Invoices", 8
 */
export async function checkVatNumber(
  { store, clock, vies, guard }: CheckRun,
  accountId: number,
  id: number,
): Promise<Awaited<ReturnType<AskVies>> | null> {
  const found = await store.get(promoters, accountId, id);
  const number = found && dueVatNumber(found, clock());
  if (number === null) return null;
  const answer = await vies(number);
  await store.transact(async (tx) => {
    await guard?.(tx);
    const promoter = await tx.get(promoters, accountId, id);
    const now = clock();
    const due = promoter && dueVatNumber(promoter, now);
    if (promoter === null || due === null || nameOf(due) !== nameOf(number)) return;
    await tx.put(promoters, { ...promoter, vatCheck: nextCheck(promoter, { number, answer, now }) });
  });
  return answer;
}

/** Asks VIES about numbers that it has not answered about, or did not know a week ago. */
export async function* checkDueVatNumbers(run: CheckRun): AsyncGenerator<void> {
  const { store, clock } = run;
  let askedCount = 0;
  for await (const account of servedAccounts(store)) {
    for await (const chunk of store.scan(promoters, "archived", account.id, [0])) {
      for (const { id } of chunk.filter((promoter) => dueVatNumber(promoter, clock()) !== null)) {
        const answer = await checkVatNumber(run, account.id, id);
        askedCount += 1;
        // Otherwise other jobs would wait for the time limit again and again.
        if (answer === "unreachable" || askedCount === MOST_A_ROUND) return;
        yield;
      }
      yield;
    }
  }
}

/** The number that VIES should be asked about now, or null. */
export function dueVatNumber(promoter: Promoter, now: Date): ViesNumber | null {
  const check = vatCheckOf(promoter);
  const isDue = check === null || (check.askAt !== null && Date.parse(check.askAt) <= now.getTime());
  return isDue ? viesNumber(promoter.profile) : null;
}

function nextCheck(
  promoter: Promoter,
  { number, answer, now }: { number: ViesNumber; answer: Awaited<ReturnType<AskVies>>; now: Date },
): VatCheck {
  const at = (restMs: number) => new Date(now.getTime() + restMs).toISOString();
  const answered = { number: nameOf(number), checkedAt: now.toISOString(), failureCount: 0 };
  if (answer === "valid") return { ...answered, status: answer, askAt: null };
  if (answer === "invalid") return { ...answered, status: answer, askAt: at(INVALID_REST_MS) };
  const { status = "unknown", checkedAt = null, failureCount = 0 } = vatCheckOf(promoter) ?? {};
  const restMs = Math.min(HOUR_MS * 2 ** failureCount, DAY_MS);
  return { number: nameOf(number), status, checkedAt, askAt: at(restMs), failureCount: failureCount + 1 };
}

function nameOf({ countryCode, vatNumber }: ViesNumber): string {
  return countryCode + vatNumber;
}
