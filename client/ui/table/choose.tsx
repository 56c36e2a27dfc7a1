import type { Filters } from "../fragment.ts";

/** A filter with a few options: `[value, words]`. */
export function Choose<F extends Record<string, string>>({
  filters,
  name,
  label,
  options,
}: {
  filters: Filters<F>;
  name: keyof F & string;
  label: string;
  options: readonly (readonly [value: string, words: string])[];
}) {
  const value = filters.values.value[name];
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={(event) => filters.set({ [name]: event.currentTarget.value } as Partial<F>)}
    >
      {options.map(([each, words]) => (
        <option key={each} value={each} selected={each === value}>
          {words}
        </option>
      ))}
    </select>
  );
}
