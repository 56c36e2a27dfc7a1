import { randomUUID } from "node:crypto";
import { Failure } from "../failure.ts";
import type { AtomicDriver, Changes } from "../storage/driver.ts";
import { LAYOUT, MARK_KEY, readMark, refusalOf, type UnderWay } from "../storage/layout.ts";

/**
 * Work on a whole store, which nobody may use until it is done: its mark comes first and leaves last. Only one
 * process does it at a time, because each commit checks the mark.
 */
export interface Work {
  commit(changes: Partial<Changes>): Promise<void>;
  /** Takes the mark away: the store may be used. */
  finish(): Promise<void>;
}

/**
 * Begins work on a store, or takes over what was cut short.
 *
 * @throws Failure `refused` where other work is under way
 */
export async function beginWork(driver: AtomicDriver, name: UnderWay["work"]): Promise<Work> {
  const { text, mark } = await readMark(driver);
  const other = mark?.underWay;
  if (other !== undefined && other.work !== name) throw refusalOf(other);
  const own = JSON.stringify({ version: LAYOUT, underWay: { work: name, by: randomUUID() } });

  async function write(
    seen: string | null,
    { checks = [], puts = [], removes = [], sums = [] }: Partial<Changes>,
  ) {
    const isDone = await driver.commit({ checks: [[MARK_KEY, seen], ...checks], puts, removes, sums });
    if (!isDone) throw new Failure("conflict", "Somebody else has begun to work on the store");
  }

  await write(text, { puts: [[MARK_KEY, own]] });
  return {
    commit: (changes) => write(own, changes),
    finish: () => write(own, { puts: [[MARK_KEY, JSON.stringify({ version: LAYOUT })]] }),
  };
}
