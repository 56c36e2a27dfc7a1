import { deliveries, finish } from "../domain/delivery.ts";
import { SYSTEM, type Delivery } from "../records.ts";
import type { Transaction } from "../storage/store.ts";
import type { Attempt } from "./attempt.ts";
import { emailInLog } from "./letter.ts";
import type { OutboxParts } from "./parts.ts";
import { retryDelayMs } from "./waiting.ts";

/** Results written in one commit. */
const MOST_AT_ONCE = 100;

/** Writes what became of an attempt, and when there is to be another one. */
export type Recorder = (sent: Delivery, attempt: Attempt) => Promise<void>;

interface Result {
  sent: Delivery;
  attempt: Attempt;
  done: () => void;
  failed: (error: unknown) => void;
}

/** Makes a recorder, whose commits each take all results that came during the one before. */
export function newRecorder(parts: OutboxParts): Recorder {
  const waiting: Result[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_AT_ONCE);
      // One that can't be written must not keep the others from it.
      if (!(await isWritten(batch)))
        for (const each of batch) await write([each]).then(each.done, each.failed);
    }
    isWriting = false;
  }

  async function isWritten(batch: Result[]): Promise<boolean> {
    try {
      await write(batch);
    } catch {
      return false; // the reason shows when each is written by itself
    }
    for (const { done } of batch) done();
    return true;
  }

  async function write(batch: Result[]): Promise<void> {
    const { store, lease, log } = parts;
    const givenUp = await store.transact(async (tx) => {
      await lease.guard(tx);
      const letters: Delivery[] = [];
      for (const { sent, attempt } of batch) {
        const after = await record(tx, parts, { sent, attempt });
        if (after?.letter && !isAsWanted(attempt)) letters.push(after);
      }
      return letters;
    });
    for (const letter of givenUp) log.warn(emailInLog(letter), "a letter was given up");
  }

  return (sent, attempt) =>
    new Promise((done, failed) => {
      waiting.push({ sent, attempt, done, failed });
      if (!isWriting) void writeAll();
    });
}

/** Whether a letter ended for its reader's sake, who has unsubscribed or is gone. */
function isAsWanted({ isFinal, status }: Attempt): boolean {
  return isFinal && status === null;
}

/** Gives the delivery if this was its end without having arrived. */
async function record(
  tx: Transaction,
  { store, clock }: OutboxParts,
  { sent, attempt }: Pick<Result, "sent" | "attempt">,
): Promise<Delivery | null> {
  const now = clock();
  const before = await tx.get(deliveries, SYSTEM, sent.id);
  if (before === null || before.finishedAt !== null) return null;
  // What failed was no try of the beginning that somebody asked for meanwhile.
  const isAnew = before.dueAt !== sent.dueAt || before.attempts !== sent.attempts;
  const attempts = before.attempts + (isAnew && attempt.error !== null ? 0 : 1);
  const after: Delivery = {
    ...before,
    attempts,
    responseCode: attempt.status,
    // Receivers may answer with what they were sent: a name that was erased meanwhile must not come back.
    responseBody: JSON.stringify(before.message) === JSON.stringify(sent.message) ? attempt.body : null,
    lastError: attempt.error,
  };
  if (attempt.error === null) {
    await finish(tx, { store, now }, { ...after, status: "delivered", deliveredAt: now.toISOString() });
    return null;
  }
  if (!attempt.isFinal && (isAnew || attempts < attempt.maxAttempts)) {
    const dueAt = now.getTime() + retryDelayMs(attempts);
    await tx.put(deliveries, isAnew ? after : { ...after, status: "retrying", dueAt });
    return null;
  }
  await finish(tx, { store, now }, { ...after, status: "failed" });
  return after;
}
