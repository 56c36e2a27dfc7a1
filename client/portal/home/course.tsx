import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Plot } from "../../ui/chart/plot.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { daysBefore, today } from "../../ui/day.ts";
import { count, money } from "../../ui/format.ts";

const FIGURES = {
  clicks: "Clicks",
  referrals: "Leads",
  customers: "Customers",
  commissions: "Commissions",
} as const;
type Figure = keyof typeof FIGURES;

const ONE = { clicks: "click", referrals: "lead", customers: "customer" } as const;

const RANGES = { 30: "30 days", 90: "90 days", 365: "A year" } as const;
type Days = keyof typeof RANGES;

/** One figure over time, to switch between four. */
export function Course() {
  const figure = useSignal<Figure>("clicks");
  const days = useSignal<Days>(30);
  const loaded = useLoad(() => loadCourse(figure.value, days.value), [figure.value, days.value]);
  return (
    <section class="card stack" aria-label="Your figures over time">
      <div class="row spread">
        <Choice
          label="Figure"
          options={FIGURES}
          chosen={figure.value}
          onChoose={(next) => (figure.value = next)}
        />
        <Choice
          label="Range"
          options={RANGES}
          chosen={days.value}
          onChoose={(next) => (days.value = Number(next) as Days)}
        />
      </div>
      <Await loaded={loaded} skeleton={<div class="plot-place" />}>
        {(data) => <Line of={data} />}
      </Await>
    </section>
  );
}

function loadCourse(figure: Figure, days: Days) {
  const to = today();
  const from = daysBefore(to, days - 1);
  const query = { period_from: from, period_to: to, selection: figure };
  return answer(api.GET("/api/v2/affiliate/promoters/chart_data", { params: { query } }));
}

type ChartData = Awaited<ReturnType<typeof loadCourse>>;

function Line({ of: { selection, selection_items: items, total } }: { of: ChartData }) {
  const isMoney = selection === "commissions";
  const name = FIGURES[selection as Figure];
  const format = (value: number) => (isMoney ? money(value) : count(value));
  const formatShort = (value: number) =>
    isMoney ? money(value, { isShort: true }) : count(value, { isShort: true });
  return (
    <>
      <p class="figure">
        {format(total)} <span class="small soft">{unitOf(selection as Figure, total)}</span>
      </p>
      <Plot
        days={items.map(([day]) => String(day))}
        lines={[{ name, values: items.map(([, value]) => Number(value)) }]}
        format={format}
        formatShort={formatShort}
        label={`${name} over time: ${format(total)} in all`}
      />
    </>
  );
}

function unitOf(figure: Figure, total: number): string {
  // The total of commissions is an amount, so the plural is always right.
  return figure !== "commissions" && total === 1 ? ONE[figure] : FIGURES[figure].toLowerCase();
}

function Choice<K extends string | number>({
  label,
  options,
  chosen,
  onChoose,
}: {
  label: string;
  options: Record<K, string>;
  chosen: K;
  onChoose: (next: K) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {(Object.entries(options) as [K, string][]).map(([key, words]) => (
        <button key={key} aria-pressed={String(key) === String(chosen)} onClick={() => onChoose(key)}>
          {words}
        </button>
      ))}
    </div>
  );
}
