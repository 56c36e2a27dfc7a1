import { AsyncLocalStorage } from "node:async_hooks";
import type { Chance } from "../../server/domain/context.ts";
import type { Store } from "../../server/storage/store.ts";
import { countedChance } from "./app.ts";

/**
 * Chance and ids that stay the same in a transaction that an engine runs again. The ids are counted here: a refused
 * transaction that took a block of them leaves another gap on each engine.
 */
export function newDraws() {
  const running = new AsyncLocalStorage<{ count: number; nextId: Store["nextId"] }>();
  let transactions = 0;
  const outside = { count: 0 };
  const latest = new Map<string, number>();
  const nextOf = async (kind: string) => {
    const id = (latest.get(kind) ?? 0) + 1;
    latest.set(kind, id);
    return id;
  };
  const place = () => 10_000_000 + 97 * transactions++;
  const draw = () => ++(running.getStore() ?? outside).count;
  return {
    /** What a call draws depends on its number alone. */
    begin(call: number): void {
      transactions = 1_000 + 20 * call;
      outside.count = place();
    },
    chance: {
      ...countedChance(),
      token: (length: number) => String(draw()).padStart(length, "t"),
      digits: (length: number) => String(draw()).padStart(length, "1").slice(-length),
      uuid: () => `00000000-0000-4000-8000-${String(draw()).padStart(12, "0")}`,
    } satisfies Chance,
    over: (store: Store): Store => ({
      ...store,
      nextId: (kind) => (running.getStore()?.nextId ?? nextOf)(kind),
      transact(work) {
        const first = place();
        const ids: number[] = [];
        return store.transact((tx) => {
          let at = 0;
          const nextId: Store["nextId"] = async (kind) => (ids[at++] ??= await nextOf(kind));
          return running.run({ count: first, nextId }, () => work({ ...tx, nextId }));
        });
      },
    }),
  };
}
