import { useComputed } from "@preact/signals";
import { useLoad } from "../../ui/api/load.ts";
import { daysBefore, today } from "../../ui/day.ts";
import { Empty } from "../../ui/feedback/state.tsx";
import { Tabs } from "../../ui/feedback/tabs.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { writing } from "../../ui/format.ts";
import { useFilters, type Filters } from "../../ui/fragment.ts";
import { NotFound } from "../../ui/shell/not-found.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { useList } from "../../ui/table/list.ts";
import { SearchField } from "../../ui/table/filters.tsx";
import { Table, type Column } from "../../ui/table/table.tsx";
import { COLUMNS } from "./columns.ts";
import {
  loadCourse,
  loadReport,
  queryOf,
  REPORTS,
  saveReport,
  shownColumns,
  USUAL,
  type Data,
  type Grouping,
  type Line,
  type ReportFilters,
  type ReportName,
} from "./query.ts";
import { ReportPlot } from "./plot.tsx";
import { ColumnChoice, RangeChoice } from "./range.tsx";

/** `/admin/reports` */
export function Reports() {
  const filters = useFilters(USUAL);
  const { report } = filters.values.value;
  if (!(report in REPORTS)) return <NotFound home="/admin" />;
  return (
    <Page
      title="Reports"
      actions={
        <button class="button" onClick={() => void save(filters.values.value)}>
          Download CSV
        </button>
      }
    >
      <Tabs
        label="Reports"
        shown={report}
        onShow={(id) => filters.set({ report: id, q: "", sort: "" })}
        tabs={Object.entries(REPORTS).map(([id, { title }]) => ({
          id,
          title,
          panel: () => <Report filters={filters} />,
        }))}
      />
    </Page>
  );
}

function Report({ filters }: { filters: Filters<ReportFilters> }) {
  const name = filters.values.value.report as ReportName;
  const list = useList(filters, (query, signal) => loadReport(query, today(), signal));
  const columns = useComputed(() => [nameColumn(name), ...figureColumns(filters.values.value)]);
  const { by, from, to, columns: names } = filters.values.value;
  const course = useLoad(
    (signal) => loadCourse(filters.values.peek(), today(), signal),
    [name, by, from, to, names],
  );
  const total = course.data.value?.total;
  return (
    <>
      <div class="table-tools">
        {name !== "overview" && (
          <SearchField
            filters={filters}
            label={`Search by ${REPORTS[name].subject.toLowerCase()}`}
            placeholder="Search"
          />
        )}
        <RangeChoice filters={filters} />
        <div class="end">
          <ColumnChoice filters={filters} />
        </div>
      </div>
      {writing.value.timeZone !== "UTC" && (
        <p class="small soft">The days of reports begin at midnight UTC.</p>
      )}
      {/* The table shows the error of a refused range. */}
      {course.refusal.value === null && (
        <ReportPlot
          course={course}
          columns={shownColumns(filters.values.value)}
          by={by as Grouping}
          groups={name === "overview" ? [] : (list.data.value?.rows ?? [])}
        />
      )}
      <Table
        caption={`Report: ${REPORTS[name].title}`}
        columns={columns.value}
        list={list}
        {...(total && { total: totalLine(name, total) })}
        empty={<Nothing filters={filters} />}
      />
    </>
  );
}

/** Offers a longer range, until a whole year was empty. */
function Nothing({ filters }: { filters: Filters<ReportFilters> }) {
  const { q } = filters.values.value;
  const { start_date: from, end_date: to } = queryOf(filters.values.value, today());
  const yearAgo = daysBefore(today(), 364);
  return (
    <Empty title={q === "" ? "Nothing happened in this range" : "Nothing fits this search"}>
      {q !== "" ? (
        <button class="button" onClick={() => filters.set({ q: "" })}>
          Show all
        </button>
      ) : from > yearAgo || to < today() ? (
        <button class="button" onClick={() => filters.set({ from: yearAgo, to: "", by: "month" })}>
          Show the last 365 days
        </button>
      ) : (
        <>
          <p>Clicks, leads and sales appear here as soon as the script and your server report them.</p>
          <a class="button" href="/admin/settings/integration">
            See how
          </a>
        </>
      )}
    </Empty>
  );
}

/** The sums of the range: always the account's, because groups may overlap or have no promoter. */
function totalLine(report: ReportName, data: Data): Line {
  const name = report === "overview" ? "Whole range" : "Whole account";
  return { id: "total", name, href: null, data, periods: [] };
}

function nameColumn(report: ReportName): Column<Line> {
  return {
    id: "name",
    title: REPORTS[report].subject,
    isText: report === "urls",
    cell: ({ name, href }) =>
      href === null ? (
        <span class={report === "overview" ? "no-wrap" : undefined}>{name}</span>
      ) : (
        <a href={href}>{name}</a>
      ),
  };
}

function figureColumns(filters: ReportFilters): Column<Line>[] {
  return shownColumns(filters).map((name) => ({
    id: name,
    title: COLUMNS[name].title,
    isNumber: true,
    sort: name,
    cell: ({ data }) => COLUMNS[name].format(data[name]),
  }));
}

function save(filters: ReportFilters): Promise<void> {
  return tell(async () => {
    await saveReport(filters, today());
    return "The report is being downloaded";
  });
}
