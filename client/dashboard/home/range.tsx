import type { Filters } from "../../ui/fragment.ts";

/** What stands in the address of the start page. `range` is a number of days, or `own`. */
export type HomeFilters = { range: string; from: string; to: string; show: string };

export const USUAL_FILTERS: HomeFilters = { range: "30", from: "", to: "", show: "clicks_count" };

const DAY_MS = 24 * 60 * 60 * 1000;
const RANGES = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "Year"],
  ["own", "Own"],
] as const;

/** The first and the last day of a range. Facts are counted by days of UTC, so ranges end with today there. */
export function daysOf({ range, from, to }: HomeFilters, now = new Date()): { from: string; to: string } {
  const today = dayOf(now.getTime());
  if (range === "own") return { from: from || dayOf(now.getTime() - 29 * DAY_MS), to: to || today };
  const days = Math.max(1, Math.trunc(Number(range)) || Number(USUAL_FILTERS.range));
  return { from: dayOf(now.getTime() - (days - 1) * DAY_MS), to: today };
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
            // A range of one's own begins with the days that are shown.
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

function dayOf(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}
