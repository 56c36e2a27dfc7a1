import { daysBefore, today } from "../../ui/day.ts";
import type { Filters } from "../../ui/fragment.ts";
import { Choose } from "../../ui/table/choose.tsx";
import { Menu } from "../../ui/table/menu.tsx";
import { COLUMNS, columnsOf, type ColumnName } from "./columns.ts";
import { queryOf, REPORTS, shownColumns, type ReportFilters, type ReportName } from "./query.ts";

const GROUPINGS: [string, string][] = [
  ["day", "By day"],
  ["week", "By week"],
  ["month", "By month"],
  ["year", "By year"],
];
/** Ranges by their length in days. */
const RANGES: [string, string][] = [
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
  ["90", "Last 90 days"],
  ["365", "Last 365 days"],
];
const OWN = "own";

type Props = { filters: Filters<ReportFilters> };

/** The days of a report, and how they are grouped. */
export function RangeChoice({ filters }: Props) {
  const { start_date: from, end_date: to } = queryOf(filters.values.value, today());
  const [length = OWN] =
    RANGES.find(([days]) => to === today() && from === daysBefore(to, Number(days) - 1)) ?? [];
  const choose = (days: string) => {
    // The default grouping keeps a long range readable.
    const by = Number(days) > 90 ? "month" : "day";
    filters.set({ from: daysBefore(today(), Number(days) - 1), to: "", by });
  };
  return (
    <>
      <select
        class="input"
        aria-label="Range"
        value={length}
        onChange={(event) => event.currentTarget.value !== OWN && choose(event.currentTarget.value)}
      >
        {[...RANGES, [OWN, "Custom"]].map(([days, words]) => (
          <option key={days} value={days} selected={days === length}>
            {words}
          </option>
        ))}
      </select>
      <Day filters={filters} name="from" label="From" value={from} />
      <Day filters={filters} name="to" label="To" value={to} />
      <Choose filters={filters} name="by" label="Grouping" options={GROUPINGS} />
    </>
  );
}

function Day({ filters, name, label, value }: Props & { name: "from" | "to"; label: string; value: string }) {
  return (
    <input
      class="input"
      type="date"
      aria-label={label}
      value={value}
      onChange={(event) => filters.set({ [name]: event.currentTarget.value })}
    />
  );
}

/** The columns of a report. They are in the URL, so that a link shows the same report. */
export function ColumnChoice({ filters }: Props) {
  const { value } = filters.values;
  const shown = shownColumns(value);
  const all = columnsOf(REPORTS[value.report as ReportName].isOfOrigins);
  const toggle = (name: ColumnName) => {
    const next = all.filter((each) => shown.includes(each) !== (each === name));
    if (next.length > 0) filters.set({ columns: next.join() });
  };
  return (
    <Menu title="Columns">
      {all.map((name) => (
        <label key={name} class="check">
          <input type="checkbox" checked={shown.includes(name)} onInput={() => toggle(name)} />
          {COLUMNS[name].title}
        </label>
      ))}
    </Menu>
  );
}
