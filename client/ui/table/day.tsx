import type { Filters } from "../fragment.ts";

/** A filter by calendar day, or empty for any. */
export function Day<F extends Record<string, string>>({
  filters,
  name,
  label,
}: {
  filters: Filters<F>;
  name: keyof F & string;
  label: string;
}) {
  return (
    <label class="day">
      <span class="small soft">{label}</span>
      <input
        class="input"
        type="date"
        value={filters.values.value[name]}
        onChange={(event) => filters.set({ [name]: event.currentTarget.value } as Partial<F>)}
      />
    </label>
  );
}
