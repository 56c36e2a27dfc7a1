import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Filters } from "../fragment.ts";

/** The pause after typing before the search starts. */
const PAUSE_MS = 250;

/** A search field that filters a list when the user stops typing. */
export function SearchField<F extends { q: string }>({
  filters,
  label,
  placeholder,
}: {
  filters: Filters<F>;
  label: string;
  placeholder: string;
}) {
  const { q } = filters.values.value;
  const typed = useSignal(q);
  // Going back, or choosing other filters, changes the text too.
  useEffect(() => void (typed.value = q), [q]);
  useEffect(() => {
    if (typed.value === q) return;
    const timer = setTimeout(() => filters.set({ q: typed.value } as Partial<F>), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <input
      class="input"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={typed.value}
      onInput={(event) => (typed.value = event.currentTarget.value)}
    />
  );
}
