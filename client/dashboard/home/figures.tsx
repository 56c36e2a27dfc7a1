import { Plot } from "../../ui/chart/plot.tsx";
import { Spark } from "../../ui/chart/spark.tsx";
import type { Filters } from "../../ui/fragment.ts";
import { count, date, money, percent } from "../../ui/format.ts";
import { LongFigure } from "../../ui/long-text.tsx";
import type { FigureName, HomeAnswer } from "./home-answer.ts";
import type { HomeFilters } from "./range.tsx";

const FIGURES: { name: FigureName; title: string; isMoney: boolean }[] = [
  { name: "clicks_count", title: "Clicks", isMoney: false },
  { name: "referrals_count", title: "Leads", isMoney: false },
  { name: "customers_count", title: "Customers", isMoney: false },
  { name: "revenue_amount", title: "Revenue", isMoney: true },
  { name: "owed_amount", title: "Commissions owed", isMoney: true },
];

/** A larger change only means that there was almost nothing before. */
const MOST_PERCENT = 999;

/** A tile for each figure, and a plot of the chosen one. */
export function Figures({ home, filters }: { home: HomeAnswer; filters: Filters<HomeFilters> }) {
  const { show } = filters.values.value;
  const chosen = FIGURES.find(({ name }) => name === show) ?? FIGURES[0]!;
  return (
    <>
      <div class="tiles" role="group" aria-label="Figures">
        {FIGURES.map((figure) => (
          <Tile
            key={figure.name}
            title={figure.title}
            isMoney={figure.isMoney}
            figure={home.figures[figure.name]}
            isChosen={figure === chosen}
            onChoose={() => filters.set({ show: figure.name })}
          />
        ))}
      </div>
      <FigurePlot home={home} {...chosen} />
    </>
  );
}

type Figure = HomeAnswer["figures"][FigureName];

function Tile({
  title,
  isMoney,
  figure,
  isChosen,
  onChoose,
}: {
  title: string;
  isMoney: boolean;
  figure: Figure;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const { total, points } = figure;
  return (
    <button type="button" class="tile" aria-pressed={isChosen} onClick={onChoose}>
      <span class="tile-name">{title}</span>
      <span class="tile-value" title={isMoney ? money(total) : count(total)}>
        <LongFigure text={isMoney ? money(total, { isRound: true }) : count(total)} />
      </span>
      <Change figure={figure} />
      <Spark values={points.map(({ value }) => value)} />
    </button>
  );
}

/** Without colour, because more is not always better: what is owed, for example. */
function Change({ figure: { change_percent: change, total, previous_total: before } }: { figure: Figure }) {
  if (change === null) return <span class="change">{total === before ? "No change" : "None before"}</span>;
  if (change === 0) return <span class="change">No change</span>;
  return (
    <span class="change">
      <span aria-hidden="true">{change > 0 ? "↑" : "↓"}</span>
      <span class="unseen">{change > 0 ? "up" : "down"}</span>{" "}
      {Math.abs(change) > MOST_PERCENT ? `over ${percent(MOST_PERCENT)}` : percent(Math.abs(change))}
    </span>
  );
}

function FigurePlot({
  home,
  name,
  title,
  isMoney,
}: {
  home: HomeAnswer;
  name: FigureName;
  title: string;
  isMoney: boolean;
}) {
  const { points, previous_points: before, total, previous_total: totalBefore } = home.figures[name];
  const format = isMoney ? (value: number) => money(value) : (value: number) => count(value);
  const now = `${date(home.start_date)} – ${date(home.end_date)}`;
  const then = `${date(home.previous_start_date)} – ${date(home.previous_end_date)}`;
  return (
    <section class="card" aria-label={title}>
      <Plot
        days={points.map((point) => point.date)}
        lines={[
          { name: now, values: points.map(({ value }) => value) },
          { name: then, values: points.map((_, at) => before[at]?.value ?? 0), isBefore: true },
        ]}
        format={format}
        formatShort={(value) => (isMoney ? money(value, { isShort: true }) : count(value, { isShort: true }))}
        label={`${title}: ${format(total)} from ${now}, after ${format(totalBefore)} from ${then}`}
      />
    </section>
  );
}
