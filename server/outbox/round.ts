import { listAccounts, SYSTEM } from "../domain/account/account.ts";
import { facts, type Fact } from "../domain/event/event.ts";
import type { OutboxParts } from "./parts.ts";

/** Returns some of the waiting facts. */
export type Round = (limit: number, isLeftAlone: (fact: Fact) => boolean) => Promise<Fact[]>;

/** Returns the next fact of one account that fits. null: there is none left. */
type Walk = (fits: (fact: Fact) => boolean) => Promise<Fact | null>;

/**
 * Goes through the waiting facts in rounds. The accounts take turns, with one fact each, so one account's backlog does
 * not keep another's few facts waiting. A round returns a fact once, and facts that arrive during a round wait for the
 * next one, so new facts never keep an old one waiting. A fact may have changed since it was read.
 *
 * Facts of one entity keep their order. Facts of different entities of an account are returned by id.
 */
export function newRound({ store, clock }: Pick<OutboxParts, "store" | "clock">): Round {
  /** The accounts of this round that may have facts left, in the order of their turns. */
  let turns: Walk[] = [];
  let beganAt = 0;

  /**
   * Without this, a round would never end while facts arrive faster than they are sent, and the last ones
   * would starve.
   */
  function isForNext({ at }: Fact): boolean {
    const cameAt = Date.parse(at);
    // A machine whose clock is ahead may have dated a fact in our future. Such a fact is not kept waiting.
    return cameAt > beganAt && cameAt <= clock().getTime();
  }

  async function begin(): Promise<void> {
    beganAt = clock().getTime();
    const [first] = await store.page(facts, "id", SYSTEM, [], { limit: 1 });
    // Most rounds find nothing, and need not ask for each account.
    turns = first === undefined ? [] : (await listAccounts(store)).map(({ id }) => walkOf(id));
  }

  function walkOf(ownerId: number): Walk {
    const chunks = store.scan(facts, "id", SYSTEM, [ownerId]);
    let ahead: Fact[] = [];
    return async (fits) => {
      for (;;) {
        const fact = ahead.shift();
        if (fact === undefined) {
          const { value, done } = await chunks.next();
          if (done) return null;
          ahead = value;
        } else if (fits(fact)) return fact;
      }
    };
  }

  async function takeTurns(limit: number, isLeftAlone: (fact: Fact) => boolean): Promise<Fact[]> {
    const taken: Fact[] = [];
    while (taken.length < limit) {
      const walk = turns.shift();
      if (walk === undefined) break;
      const fact = await walk((each) => !isForNext(each) && !isLeftAlone(each));
      if (fact === null) continue;
      taken.push(fact);
      turns.push(walk);
    }
    return taken;
  }

  return async function next(limit, isLeftAlone) {
    const rest = await takeTurns(limit, isLeftAlone);
    if (rest.length > 0) return rest;
    await begin();
    return takeTurns(limit, isLeftAlone);
  };
}
