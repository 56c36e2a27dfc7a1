import type { Filters } from "../fragment.ts";

/** Says that only the records of one `of` are listed, with a button to show all. */
export function Only<F extends Record<string, string>>({
  filters,
  name,
  of = name,
}: {
  filters: Filters<F>;
  name: keyof F & string;
  of?: string;
}) {
  const value = filters.values.value[name];
  if (!value) return null;
  return (
    <p class="row small">
      Only those of {of} {value}.
      <button class="link" onClick={() => filters.set({ [name]: "" } as Partial<F>)}>
        Show all
      </button>
    </p>
  );
}
