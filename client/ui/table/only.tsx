import type { Filters } from "../fragment.ts";

/** Another page has led to the records of one `of`. They are shown until the reader wants to see all. */
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
