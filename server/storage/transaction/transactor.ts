import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../failure.ts";
import type { AtomicDriver, MaybePromise } from "../driver.ts";
import { freezeKey, passFreezes } from "../freeze.ts";
import type { Read } from "./reader.ts";
import { beginTransaction, type OpenTransaction, type Transaction } from "./transaction.ts";

const MAX_DELAY_MS = 50;
/** How long a transaction is tried while others keep changing what it reads. A clean stop waits a little longer. */
const TRY_MS = 8_000;

const LOST_RACE = "Others kept changing the same records; try again";

/** Whether a transaction was given up because others kept changing what it reads. */
export function isLostRace(error: unknown): boolean {
  return error instanceof Failure && error.message === LOST_RACE;
}

/** Runs work in transactions, and again if others changed something that it had read. */
export type Transactor = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Makes a transactor over a driver whose items `read` returns. `elapsedMs` never goes back. */
export function transactor(
  driver: AtomicDriver,
  read: Read,
  elapsedMs: () => number = () => performance.now(),
): Transactor {
  /** Retries run one at a time, so that those of one process can't keep failing each other. */
  let line: Promise<unknown> = Promise.resolve();

  return async function transact(work) {
    const deadline = elapsedMs() + TRY_MS;
    const first = await attempt(work, { readWith: readFirst, deadline });
    if (first.isDone) return first.result;
    const turn = line.then(() => retry(work, deadline));
    line = turn.catch(() => {}); // each caller sees its own failure; the next in line starts all the same
    return turn;
  };

  function readFirst(key: string): MaybePromise<string | null> {
    const known = driver.cached?.(key);
    return known === undefined ? read(key) : known;
  }

  /** All in the line have about the same deadline, so those behind one that gives up soon do too. */
  async function retry<T>(work: (tx: Transaction) => Promise<T>, deadline: number): Promise<T> {
    for (let tries = 1; elapsedMs() < deadline; tries++) {
      driver.refresh?.();
      const next = await attempt(work, { readWith: read, deadline });
      if (next.isDone) return next.result;
      await sleep(Math.random() * Math.min(2 ** tries, MAX_DELAY_MS));
    }
    throw new Failure("unavailable", LOST_RACE);
  }

  async function attempt<T>(
    work: (tx: Transaction) => Promise<T>,
    { readWith, deadline }: { readWith: Read; deadline: number },
  ): Promise<Attempt<T>> {
    const tx = beginTransaction(driver, readWith);
    let result: T;
    try {
      result = await work(tx);
    } catch (error) {
      // A result or error that is based on outdated reads must be decided again.
      if (!isUnavailable(error) && !(await stillStands(tx.changes().checks))) return unfinished(tx, deadline);
      throw error;
    }
    const changes = tx.changes();
    const isReadOnly = changes.puts.length + changes.removes.length + changes.sums.length === 0;
    const isDone = isReadOnly ? await stillStands(changes.checks) : await driver.commit(changes);
    return isDone ? { isDone, result } : unfinished(tx, deadline);
  }

  /** @throws Failure `unavailable` if the reason is a frozen account, because running again would not help */
  async function unfinished(tx: OpenTransaction, deadline: number): Promise<{ isDone: false }> {
    driver.refresh?.();
    const { checks } = tx.changes();
    // A transaction that has read a freeze holds the account itself.
    const isOwn = (accountId: number) =>
      checks.some(([key, seen]) => seen !== null && key === freezeKey(accountId));
    const others = [...tx.touched].filter((accountId) => !isOwn(accountId));
    await passFreezes(others, { driver, read, isLate: () => elapsedMs() >= deadline });
    return { isDone: false };
  }

  async function stillStands(checks: [string, string | null][]): Promise<boolean> {
    driver.refresh?.();
    const texts = await Promise.all(checks.map(([key]) => read(key)));
    return checks.every(([, seen], at) => texts[at] === seen);
  }
}

/** A store that is away can't say what has changed. */
function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.kind === "unavailable";
}

type Attempt<T> = { isDone: true; result: T } | { isDone: false };
