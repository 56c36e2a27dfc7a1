import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";
import { Failure, isOutage } from "../../../failure.ts";
import type { Session } from "../../session.ts";
import { isOutdated, isPassing, LOST_RACE, deadlineIn, withRetries } from "./faults.ts";
import { newSession, type OpenSession, type Place } from "./session.ts";

const MAX_DELAY_MS = 50;
/**
 * How long a transaction is retried while others keep changing its reads, or the database is down. A clean
 * stop waits slightly longer, and the locks of a cut connection are released earlier.
 */
const TRY_MS = 8_000;

/** The limit of concurrent retries, so that transactions of one process can't keep failing each other. */
const RETRIES = 8;

/** Runs transactions. */
interface Transactor {
  transact<T>(work: (session: Session) => Promise<T>): Promise<Done<T>>;
}

interface Done<T> {
  result: T;
  hasWritten: boolean;
}

type Outcome<T> = Done<T> | { error: unknown } | { lost: unknown };

export function newTransactor(place: Place): Transactor {
  const inTurn = pLimit(RETRIES);

  return {
    async transact(work) {
      const deadline = deadlineIn(TRY_MS);
      const first = await tryFor(work, { isCareful: false, deadline });
      if (!("lost" in first)) return settle(first);
      return settle(await inTurn(() => retry(work, { deadline, lost: first.lost })));
    },
  };

  /** Waiting transactions have about the same deadline, so they give up soon after the first. */
  async function retry<T>(
    work: (session: Session) => Promise<T>,
    { deadline, lost }: { deadline: number; lost: unknown },
  ): Promise<Exclude<Outcome<T>, { lost: unknown }>> {
    for (let tries = 1; performance.now() < deadline; tries++) {
      const next = await tryFor(work, { isCareful: true, deadline });
      if (!("lost" in next)) return next;
      await sleep(Math.random() * Math.min(2 ** tries, MAX_DELAY_MS));
    }
    const failure = new Failure("unavailable", "Other requests kept changing the same records; try again");
    failure.cause = lost;
    throw failure;
  }

  /**
   * Retries until the database answers.
   *
   * @throws Failure `unavailable`
   */
  function tryFor<T>(
    work: (session: Session) => Promise<T>,
    { isCareful, deadline }: { isCareful: boolean; deadline: number },
  ): Promise<Outcome<T>> {
    return withRetries(async () => {
      const session = newSession(place, { isCareful });
      try {
        return await run(session, work);
      } finally {
        await session.abandon();
      }
    }, deadline);
  }

  async function run<T>(session: OpenSession, work: (session: Session) => Promise<T>): Promise<Outcome<T>> {
    let result: T;
    try {
      result = await work(session);
    } catch (error) {
      if (session.fault() !== null) return faultOf(session.fault());
      // A result or error based on outdated reads must be decided again. During an outage this can't be
      // checked.
      return isOutage(error) || (await session.stands()) ? { error } : { lost: LOST_RACE };
    }
    if (session.fault() !== null) return faultOf(session.fault());
    const hasWritten = session.hasChanges();
    try {
      if (hasWritten) await session.commit();
    } catch (fault) {
      return faultOf(fault);
    }
    return { result, hasWritten };
  }
}

/** @throws the fault if a retry may help */
function faultOf(fault: unknown): { error: unknown } | { lost: unknown } {
  if (isOutdated(fault)) return { lost: fault };
  if (isPassing(fault)) throw fault;
  return { error: fault };
}

function settle<T>(outcome: Done<T> | { error: unknown }): Done<T> {
  if ("error" in outcome) throw outcome.error;
  return outcome;
}
