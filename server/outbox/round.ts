import { facts } from "../domain/event.ts";
import { SYSTEM, type Fact } from "../records.ts";
import type { OutboxParts } from "./parts.ts";

/** Gives some of the facts that wait. */
export type Round = (limit: number, isLeftAlone: (fact: Fact) => boolean) => Promise<Fact[]>;

/**
 * Goes round the facts that wait, in the order of their ids: each is given once before any is given again, and
 * those that come to be in a round wait for the next, so that none is passed over for what comes to be meanwhile.
 * What is given may have changed since it was read. Choice: order counts within each thing; of different ones, those
 * that wait together are told by id.
 */
export function newRound({ store, clock }: Pick<OutboxParts, "store" | "clock">): Round {
  let walk: AsyncGenerator<Fact[]> | null = null;
  let beganAt = 0;
  let ahead: Fact[] = [];

  /** Else a round would have no end while more comes than is told, and whoever is behind that no turn. */
  function isForNext({ at }: Fact): boolean {
    const cameAt = Date.parse(at);
    // What a clock that goes ahead of this one has dated is not kept waiting until this one is there.
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
        // A second one would give the same again.
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
