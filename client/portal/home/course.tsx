import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Plot } from "../../ui/chart/plot.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { daysBefore, today } from "../../ui/day.ts";
import { count, money } from "../../ui/format.ts";
import { t, type TextKey } from "../../languages/messages.ts";

/** The keys of the figures' names. */
const FIGURES = {
  clicks: "course.clicks",
  referrals: "course.referrals",
  customers: "course.customers",
  commissions: "course.commissions",
} as const;
type Figure = keyof typeof FIGURES;

/** The keys of the ranges' names, by days. */
export const RANGES = { 30: "course.30", 90: "course.90", 365: "course.365" } as const;
export type Days = keyof typeof RANGES;

/** One figure over time, to switch between four. */
export function Course() {
  const figure = useSignal<Figure>("clicks");
  const days = useSignal<Days>(30);
  const loaded = useLoad(() => loadCourse(figure.value, days.value), [figure.value, days.value]);
  return (
    <section class="card stack" aria-label={t("course")}>
      <div class="row spread">
        <Choice
          label={t("course.figure")}
          options={FIGURES}
          chosen={figure.value}
          onChoose={(next) => (figure.value = next)}
        />
        <Choice
          label={t("course.range")}
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
  const name = t(FIGURES[selection as Figure]);
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
        label={t("course.plot", { figure: name, total: format(total) })}
      />
    </>
  );
}

function unitOf(figure: Figure, total: number): string {
  // The total of commissions is an amount.
  if (figure === "commissions") return t("course.unit.commissions");
  return t(`course.unit.${figure}`, { count: total });
}

/** Buttons of which one is pressed. */
export function Choice<K extends string | number>({
  label,
  options,
  chosen,
  onChoose,
}: {
  label: string;
  /** The keys of the options' names. */
  options: Record<K, TextKey>;
  chosen: K;
  onChoose: (next: K) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {(Object.entries(options) as [K, TextKey][]).map(([key, words]) => (
        <button key={key} aria-pressed={String(key) === String(chosen)} onClick={() => onChoose(key)}>
          {t(words)}
        </button>
      ))}
    </div>
  );
}
