import { useSignal } from "@preact/signals";
import type { Loaded } from "../../ui/api/load.ts";
import { Plot } from "../../ui/chart/plot.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { COLUMNS, type ColumnName } from "./columns.ts";
import { periodName } from "./period.ts";
import type { Course, Grouping, Line } from "./query.ts";

interface ReportPlotProps {
  course: Loaded<Course>;
  /** The columns of the report. One of them is plotted. */
  columns: ColumnName[];
  by: Grouping;
  /** The groups of this page, each with its own periods. */
  groups: Line[];
}

/** A column of a report over time, of the whole account or of one group. */
export function ReportPlot({ course, columns, by, groups }: ReportPlotProps) {
  const wanted = useSignal<ColumnName | null>(null);
  const groupId = useSignal("");
  const column = columns.find((name) => name === wanted.value) ?? columns[0]!;
  const group = groups.find(({ id, periods }) => id === groupId.value && periods.length > 0);
  const { title, format, formatShort } = COLUMNS[column];
  const name = group === undefined ? "Whole account" : group.name;
  return (
    <section class="card stack" aria-label="Plot">
      <div class="row spread">
        <div class="segments" role="group" aria-label="What is plotted">
          {columns.map((each) => (
            <button key={each} aria-pressed={each === column} onClick={() => (wanted.value = each)}>
              {COLUMNS[each].title}
            </button>
          ))}
        </div>
        {groups.length > 0 && (
          <GroupChoice groups={groups} chosen={group?.id ?? ""} choose={(id) => (groupId.value = id)} />
        )}
      </div>
      <Await loaded={course} skeleton={<div class="plot-place" />}>
        {({ periods, total }) => {
          const shown = group?.periods ?? periods;
          const sum = format((group?.data ?? total)[column]);
          return (
            <Plot
              days={shown.map(({ id }) => id)}
              titles={shown.map(({ id }) => periodName(id, by))}
              lines={[{ name: `${name}: ${sum}`, values: shown.map(({ data }) => data[column] ?? 0) }]}
              format={format}
              formatShort={formatShort}
              label={`${title}, ${name}: ${sum} in the whole range`}
            />
          );
        }}
      </Await>
    </section>
  );
}

function GroupChoice({
  groups,
  chosen,
  choose,
}: {
  groups: Line[];
  chosen: string;
  choose: (id: string) => void;
}) {
  return (
    <select
      class="input auto"
      aria-label="Whose figures are plotted"
      value={chosen}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      <option value="">Whole account</option>
      {groups.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
