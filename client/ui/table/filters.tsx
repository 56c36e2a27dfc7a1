import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Empty } from "../feedback/state.tsx";
import type { Filters } from "../fragment.ts";
import type { ListFilters } from "./list.ts";

type Options = readonly (readonly [value: string, words: string])[];

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
      style={{ "--letters": placeholder.length }}
      value={typed.value}
      onInput={(event) => (typed.value = event.currentTarget.value)}
    />
  );
}

/**
 * Filters that a phone shows only after its button is pressed, because they would fill most of the window. The button says
 * how many of them, by their names, narrow the list.
 */
export function FoldedFilters<F extends Record<string, string>>({
  filters,
  usual,
  names,
  children,
}: {
  filters: Filters<F>;
  /** The filters of the whole list. */
  usual: F;
  names: readonly (keyof F)[];
  children: ComponentChildren;
}) {
  const isOpen = useSignal(false);
  const values = filters.values.value;
  const active = names.filter((name) => values[name] !== usual[name]).length;
  return (
    <>
      <button
        class="button fold-button"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {active === 0 ? "Filters" : `Filters: ${active}`}
      </button>
      <div class={isOpen.value ? "fold open" : "fold"}>{children}</div>
    </>
  );
}

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
  options: Options;
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

/** The options of a closed set of values. `any` stands for no filter. */
export function optionsOf(any: string, words: Record<string, string | { words: string }>): Options {
  return [
    ["", any],
    ...Object.entries(words).map(([value, of]) => [value, typeof of === "string" ? of : of.words] as const),
  ];
}

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

/** Says that only the records of one `of` are listed, with a button to show all. */
export function Only<F extends Record<string, string>>({
  filters,
  name,
  wordsFor = (value) => `${name} ${value}`,
}: {
  filters: Filters<F>;
  name: keyof F & string;
  /** What the value stands for. */
  wordsFor?: (value: string) => string;
}) {
  const value = filters.values.value[name];
  if (!value) return null;
  return (
    <p class="row small">
      Only those of {wordsFor(value)}.
      <button class="link" onClick={() => filters.set({ [name]: "" } as Partial<F>)}>
        Show all
      </button>
    </p>
  );
}

/** Shown instead of an empty list: a button that clears the filters if they hide all records, otherwise what to do first. */
export function NoneFits<F extends ListFilters>({
  filters,
  usual,
  one,
  children,
}: {
  filters: Filters<F>;
  /** The filters of the whole list. */
  usual: F;
  /** What a row is. */
  one: string;
  children: ComponentChildren;
}) {
  const isNarrowed = Object.entries(filters.values.value).some(
    ([name, value]) => name !== "page" && name !== "sort" && value !== usual[name as keyof F],
  );
  if (!isNarrowed) return children;
  return (
    <Empty title={`No ${one} fits these filters`}>
      <button class="button" onClick={() => filters.set(usual)}>
        Show all {one}s
      </button>
    </Empty>
  );
}
