import { deliveries, finish, type Delivery } from "../domain/webhook/delivery.ts";
import { SYSTEM } from "../domain/account/account.ts";
import type { Transaction } from "../storage/store.ts";
import type { Attempt } from "./attempt.ts";
import { completeFulfilled, noteUnfulfilled } from "./fulfilment.ts";
import { emailInLog } from "./email/email.ts";
import type { OutboxParts } from "./parts.ts";
import { retryDelayMs } from "./retry-delay.ts";

/** Most results in one commit. */
const MOST_AT_ONCE = 100;

/** Records the result of an attempt, and when the next attempt is due. */
export type Recorder = (sent: Delivery, attempt: Attempt) => Promise<void>;

interface Result {
  sent: Delivery;
  attempt: Attempt;
  done: () => void;
  failed: (error: unknown) => void;
}

/** Makes a recorder. Each of its commits takes all results that arrived during the commit before. */
export function newRecorder(parts: OutboxParts): Recorder {
  const waiting: Result[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_AT_ONCE);
      // If the batch can't be written, each result is written alone, so that one bad result stops no other.
      if (!(await isWritten(batch)))
        for (const each of batch) await write([each]).then(each.done, each.failed);
    }
    isWriting = false;
  }

  async function isWritten(batch: Result[]): Promise<boolean> {
    try {
      await write(batch);
    } catch {
      return false; // the error shows when each result is written alone
    }
    for (const { done } of batch) done();
    return true;
  }

  async function write(batch: Result[]): Promise<void> {
    const { store, lease, log } = parts;
    const givenUp = await store.transact(async (tx) => {
      await lease.guard(tx);
      const emails: Delivery[] = [];
      for (const { sent, attempt } of batch) {
        const after = await record(tx, parts, { sent, attempt });
        if (after?.email && !isAsWanted(attempt)) emails.push(after);
      }
      return emails;
    });
    for (const email of givenUp) log.warn(emailInLog(email), "an e-mail was given up");
  }

  return (sent, attempt) =>
    new Promise((done, failed) => {
      waiting.push({ sent, attempt, done, failed });
      if (!isWriting) void writeAll();
    });
}

/** Whether an e-mail ended because the promoter unsubscribed or was deleted. */
function isAsWanted({ isFinal, status }: Attempt): boolean {
  return isFinal && status === null;
}

/** Returns the delivery if it failed for good. null: it was delivered, or will be retried. */
async function record(
  tx: Transaction,
  parts: OutboxParts,
  { sent, attempt }: Pick<Result, "sent" | "attempt">,
): Promise<Delivery | null> {
  const now = parts.clock();
  const before = await tx.get(deliveries, SYSTEM, sent.id);
  if (before === null || before.finishedAt !== null) return null;
  // Somebody may have restarted the delivery while this attempt ran. The failure then does not count as an attempt of
  // the new start.
  const isAnew = before.dueAt !== sent.dueAt || before.attempts !== sent.attempts;
  const attempts = before.attempts + (isAnew && attempt.error !== null ? 0 : 1);
  const after: Delivery = {
    ...before,
    attempts,
    responseCode: attempt.status,
    // Receivers may echo the event. If a name was erased from it meanwhile, the answer must not bring the name back.
    responseBody: JSON.stringify(before.message) === JSON.stringify(sent.message) ? attempt.body : null,
    lastError: attempt.error,
  };
  if (attempt.error === null) {
    await completeFulfilled(tx, parts, after);
    await finish(tx, { ...after, status: "delivered", deliveredAt: now.toISOString() }, now);
    return null;
  }
  if (!attempt.isFinal && (isAnew || attempts < attempt.maxAttempts)) {
    const dueAt = now.getTime() + retryDelayMs(attempts);
    const waiting: Delivery = isAnew ? after : { ...after, status: "retrying", dueAt };
    await tx.put(deliveries, waiting);
    return null;
  }
  await noteUnfulfilled(tx, parts, after);
  await finish(tx, { ...after, status: "failed" }, now);
  return after;
}
