import { daysBefore, today } from "../../ui/day.ts";
import type { Filters } from "../../ui/fragment.ts";

/** The filters in the URL of the start page. `range` is a number of days, or `own`. */
export type HomeFilters = { range: string; from: string; to: string; show: string };

export const USUAL_FILTERS: HomeFilters = { range: "30", from: "", to: "", show: "clicks_count" };

const RANGES = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "Year"],
  ["own", "Custom"],
] as const;

/** The first and the last day of a range. */
export function daysOf({ range, from, to }: HomeFilters): { from: string; to: string } {
  if (range === "own") return { from: from || daysBefore(today(), 29), to: to || today() };
  const days = Math.max(1, Math.trunc(Number(range)) || Number(USUAL_FILTERS.range));
  return { from: daysBefore(today(), days - 1), to: today() };
}

/** The choice of a range of days. */
export function RangeChoice({ filters }: { filters: Filters<HomeFilters> }) {
  const { range } = filters.values.value;
  const own = daysOf(filters.values.value);
  return (
    <>
      <div class="segments" role="group" aria-label="Range">
        {RANGES.map(([value, words]) => (
          <button
            key={value}
            type="button"
            aria-pressed={range === value}
            // A custom range starts with the days that are shown.
            onClick={() => filters.set({ range: value, ...(value === "own" ? own : { from: "", to: "" }) })}
          >
            {words}
          </button>
        ))}
      </div>
      {range === "own" && (
        <div class="row">
          {(["from", "to"] as const).map((end) => (
            <label key={end} class="row small">
              {end === "from" ? "From" : "To"}
              <input
                class="input own-day"
                type="date"
                value={own[end]}
                max={end === "from" ? own.to : undefined}
                min={end === "to" ? own.from : undefined}
                onChange={(event) => filters.set({ [end]: event.currentTarget.value })}
              />
            </label>
          ))}
        </div>
      )}
    </>
  );
}
