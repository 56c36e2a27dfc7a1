import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useMemo } from "preact/hooks";
import { several } from "../format.ts";

type Id = number | string;

/** Rows that are chosen, over all pages of a list. */
export interface Choice {
  ids: ReadonlySignal<Id[]>;
  clear: () => void;
  /** The box of a row. */
  One: ComponentType<{ id: Id }>;
  /** The box of all rows of this page. */
  All: ComponentType<{ rows: { id: Id }[] }>;
}

/** Lets the reader choose rows. */
export function useChoice(): Choice {
  const chosen = useSignal<ReadonlySet<Id>>(new Set());
  const ids = useComputed(() => [...chosen.value]);
  return useMemo(() => {
    const mark = (some: Id[], isChosen: boolean) => {
      const next = new Set(chosen.peek());
      for (const id of some)
        if (isChosen) next.add(id);
        else next.delete(id);
      chosen.value = next;
    };
    return {
      ids,
      clear: () => (chosen.value = new Set()),
      One: ({ id }) => (
        <input
          type="checkbox"
          aria-label={`Choose ${id}`}
          checked={chosen.value.has(id)}
          onInput={(event) => mark([id], event.currentTarget.checked)}
        />
      ),
      All: ({ rows }) => (
        <input
          type="checkbox"
          aria-label="Choose all on this page"
          checked={rows.length > 0 && rows.every(({ id }) => chosen.value.has(id))}
          onInput={(event) =>
            mark(
              rows.map(({ id }) => id),
              event.currentTarget.checked,
            )
          }
        />
      ),
    };
  }, []);
}

/** What can be done with the chosen rows. Hidden while there are none. */
export function Chosen({
  choice,
  one,
  many,
  children,
}: {
  choice: Choice;
  one: string;
  many?: string;
  children: ComponentChildren;
}) {
  const { length } = choice.ids.value;
  if (length === 0) return null;
  return (
    <div class="chosen">
      <strong>{several(length, one, many)} chosen</strong>
      {children}
      <button class="button plain little" onClick={choice.clear}>
        Choose none
      </button>
    </div>
  );
}
