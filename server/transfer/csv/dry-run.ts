import { Failure } from "../../failure.ts";
import type { Store } from "../../storage/store.ts";
import type { Kind } from "./import.ts";

/**
 * A kind whose lines are only tried. Each transaction is rolled back, so a line does not see the lines before it. Their
 * names are remembered instead.
 */
export function tried(kind: Kind): Kind {
  const seen = new Map<string, Set<string>>();
  const has = (field: string, value: string | undefined) =>
    value !== undefined && seen.get(field)?.has(value.toLowerCase()) === true;
  return {
    ...kind,
    concurrency: 1,
    async importRow(context, account, { values, source }) {
      if (kind.keys.some((field) => has(field, values[field]))) return "known";
      for (const field of kind.claims) {
        if (!has(field, values[field])) continue;
        throw new Failure("invalid", "Taken", { [field]: ["is in an earlier line, too"] });
      }
      const own = { ...values };
      // The parent may be in an earlier line.
      if (has("email", own["parent_email"])) delete own["parent_email"];
      const outcome = await kind.importRow({ ...context, store: withoutKeeping(context.store) }, account, {
        values: own,
        source,
      });
      for (const field of [...kind.keys, ...kind.claims]) {
        const value = values[field];
        if (value !== undefined) seen.set(field, (seen.get(field) ?? new Set()).add(value.toLowerCase()));
      }
      return outcome;
    },
  };
}

const TAKEN_BACK = new Failure("refused", "The transaction was only tried");

/** A store whose transactions run completely and are then rolled back. */
function withoutKeeping(store: Store): Store {
  return {
    ...store,
    async transact<T>(work: Parameters<typeof store.transact<T>>[0]): Promise<T> {
      let result: { value: T } | null = null;
      try {
        await store.transact(async (tx) => {
          result = { value: await work(tx) };
          throw TAKEN_BACK;
        });
      } catch (error) {
        if (error !== TAKEN_BACK || result === null) throw error;
      }
      return (result as unknown as { value: T }).value;
    },
  };
}
