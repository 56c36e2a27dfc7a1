import { facts } from "../domain/event.ts";
import { SYSTEM, type Fact } from "../records.ts";
import type { Store } from "../storage/store.ts";

/** Gives some of the facts that wait. */
export type Round = (limit: number, isLeftAlone: (fact: Fact) => boolean) => Promise<Fact[]>;

/**
 * Goes round the facts that wait, in the order of their ids: each is given once before any is given again, so
 * that none is passed over for what comes to be meanwhile. What is given may have changed since it was read.
 */
export function newRound(store: Store): Round {
  let walk: AsyncGenerator<Fact[]> | null = null;
  let ahead: Fact[] = [];

  return async function next(limit, isLeftAlone) {
    const taken: Fact[] = [];
    let hasBegun = false;
    while (taken.length < limit) {
      const fact = ahead.shift();
      if (fact !== undefined) {
        if (!isLeftAlone(fact)) taken.push(fact);
        continue;
      }
      if (walk === null) {
        // A second one would give the same again.
        if (hasBegun || taken.length > 0) return taken;
        hasBegun = true;
        walk = store.scan(facts, "id", SYSTEM, []);
      }
      const { value, done } = await walk.next();
      if (done) walk = null;
      else ahead = value;
    }
    return taken;
  };
}
