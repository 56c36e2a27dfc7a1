import { facts } from "../domain/event/event.ts";
import { SYSTEM } from "../domain/account/record.ts";
import type { Fact } from "../domain/event/record.ts";
import type { OutboxParts } from "./parts.ts";

/** Returns some of the waiting facts. */
export type Round = (limit: number, isLeftAlone: (fact: Fact) => boolean) => Promise<Fact[]>;

/**
 * Goes through the waiting facts in rounds, ordered by id. Each round returns a fact once, and facts that
 * arrive during a round wait for the next one. So new facts never keep an old one waiting. A fact may have
 * changed since it was read.
 *
 * Choice: facts of one entity keep their order. Facts of different entities that wait together are returned
 * by id.
 */
export function newRound({ store, clock }: Pick<OutboxParts, "store" | "clock">): Round {
  let walk: AsyncGenerator<Fact[]> | null = null;
  let beganAt = 0;
  let ahead: Fact[] = [];

  /**
   * Without this, a round would never end while facts arrive faster than they are sent, and the last ones
   * would starve.
   */
  function isForNext({ at }: Fact): boolean {
    const cameAt = Date.parse(at);
    // A machine whose clock is ahead may have dated a fact in our future. Such a fact is not kept waiting.
    return cameAt > beganAt && cameAt <= clock().getTime();
  }

  return async function next(limit, isLeftAlone) {
    const taken: Fact[] = [];
    let hasBegun = false;
    while (taken.length < limit) {
      const fact = ahead.shift();
      if (fact !== undefined) {
        if (!isForNext(fact) && !isLeftAlone(fact)) taken.push(fact);
        continue;
      }
      if (walk === null) {
        // A second round would return the same facts again.
        if (hasBegun || taken.length > 0) return taken;
        hasBegun = true;
        beganAt = clock().getTime();
        walk = store.scan(facts, "id", SYSTEM, []);
      }
      const { value, done } = await walk.next();
      if (done) walk = null;
      else ahead = value;
    }
    return taken;
  };
}
