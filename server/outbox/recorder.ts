import { SYSTEM } from "../domain/context.ts";
import { announceMoney } from "../domain/ledger/commission/balance-event.ts";
import { FULFILMENT } from "../domain/events/event-type.ts";
import { payouts, type Payout } from "../domain/ledger/payout/payout.ts";
import { moveWithin } from "../domain/ledger/payout/status.ts";
import { deliveries, finish, type Delivery } from "../domain/events/webhook/delivery.ts";
import { companyEmails } from "../domain/program/company-email/company-email.ts";
import type { Transaction } from "../storage/store.ts";
import type { Attempt } from "./attempt.ts";
import { retryDelayMs } from "./clock-watch.ts";
import { emailInLog } from "./email.ts";
import type { OutboxParts } from "./parts.ts";

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

/** Makes a recorder. Each of its commits writes all results that arrived during the previous one. */
export function newRecorder(parts: OutboxParts): Recorder {
  const waiting: Result[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_AT_ONCE);
      // If the batch fails, each result is written alone, so that one bad result does not block the others.
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

/** Returns the delivery if it failed for good. Null if it was delivered, or will be retried. */
async function record(
  tx: Transaction,
  parts: OutboxParts,
  { sent, attempt }: Pick<Result, "sent" | "attempt">,
): Promise<Delivery | null> {
  const now = parts.clock();
  const before = await tx.get(deliveries, SYSTEM, sent.id);
  if (before === null || before.finishedAt !== null) return null;
  // A user may have restarted the delivery during this attempt. The failure then does not count as an attempt
  // of the new start.
  const isAnew = before.dueAt !== sent.dueAt || before.attempts !== sent.attempts;
  const attempts = before.attempts + (isAnew && attempt.error !== null ? 0 : 1);
  const after: Delivery = {
    ...before,
    attempts,
    responseCode: attempt.status,
    // Receivers may echo the event. If a name was erased from it meanwhile, the answer must not bring the
    // name back.
    responseBody: JSON.stringify(before.message) === JSON.stringify(sent.message) ? attempt.body : null,
    lastError: attempt.error,
  };
  if (attempt.error === null) {
    await completeFulfilled(tx, parts, after);
    await countSent(tx, after);
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

/** Counts an e-mail of the company. */
async function countSent(tx: Transaction, { ownerId, email }: Delivery): Promise<void> {
  const { companyEmailId } = email ?? {};
  const own = companyEmailId === undefined ? null : await tx.get(companyEmails, ownerId, companyEmailId);
  if (own !== null) await tx.put(companyEmails, { ...own, sentCount: own.sentCount + 1 });
}

type Parts = Pick<OutboxParts, "store" | "clock" | "chance">;

/**
 * A receiver that answers 200 to `fulfilment_pending` has given the promoter what the event names, so its payout is
 * completed. After any other success it stays pending.
 *
 * @see docs/spec/events.md "V1's form"
 */
async function completeFulfilled(
  tx: Transaction,
  { store, clock, chance }: Parts,
  delivery: Delivery,
): Promise<void> {
  const payout = delivery.responseCode === 200 ? await waitingPayout(tx, delivery) : null;
  if (payout !== null) await moveWithin(tx, { store, now: clock(), chance }, { payout, to: "completed" });
}

/** The payout of an undeliverable event gets an error, which V1 shows as issues. It stays pending. */
async function noteUnfulfilled(tx: Transaction, { clock }: Parts, delivery: Delivery): Promise<void> {
  const before = await waitingPayout(tx, delivery);
  if (before === null) return;
  const after = { ...before, error: `Fulfilment failed: ${delivery.lastError}` };
  await tx.put(payouts, after);
  await announceMoney(tx, { now: clock() }, { entity: "payout", before, after });
}

/** Null if the event is about something else, or the payout is no longer pending. */
async function waitingPayout(tx: Transaction, { ownerId, message }: Delivery): Promise<Payout | null> {
  if (message?.type !== FULFILMENT) return null;
  const payout = await tx.get(payouts, ownerId, message.entityId);
  return payout?.status === "pending" ? payout : null;
}
