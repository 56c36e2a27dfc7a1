import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { date } from "../format.ts";
import { locale } from "../../languages/messages.ts";

/** A line of a plot. */
export interface Line {
  name: string;
  values: number[];
  /** Whether it is drawn dashed and pale, for comparison. */
  isBefore?: boolean;
}

interface PlotProps {
  /** The first calendar days of the points, in order. */
  days: string[];
  /** The names of the points, if not their days. */
  titles?: string[];
  lines: Line[];
  format: (value: number) => string;
  /** Like `format`, but short, for an axis. */
  formatShort: (value: number) => string;
  /** The alternative text for screen readers. */
  label: string;
}

const HEIGHT = 260;

/** Lines over time. Pointing at one shows its values above. */
export function Plot(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const pointed = useSignal<number | null>(null);
  const { days, titles = days.map(date), lines, format, label } = props;
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    pointed.value = null;
    return draw(current, props, (at) => (pointed.value = at));
  }, [JSON.stringify([days, lines])]);
  const at = pointed.value;
  return (
    <figure>
      <p class="plot-words small soft" aria-hidden="true">
        {at === null
          ? lines.map(({ name, isBefore }) => <Key key={name} name={name} isBefore={isBefore} />)
          : [titles[at], ...lines.map(({ name, values }) => `${name}: ${format(values[at] ?? 0)}`)].join(
              " · ",
            )}
      </p>
      <div ref={place} class="plot" style={{ height: `${HEIGHT}px` }} role="img" aria-label={label} />
    </figure>
  );
}

function Key({ name, isBefore = false }: { name: string; isBefore?: boolean | undefined }) {
  return <span class={`plot-key ${isBefore ? "before" : ""}`}>{name}</span>;
}

/** Draws the plot, and redraws it with the page's colours and size until the returned function is called. */
function draw(place: HTMLElement, props: PlotProps, onPoint: (at: number | null) => void): () => void {
  let plot: uPlot | null = null;
  const redraw = () => {
    plot?.destroy();
    plot = new uPlot(optionsOf(place, props, onPoint), dataOf(props), place);
  };
  redraw();
  const resized = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height: HEIGHT }));
  resized.observe(place);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redraw);
  return () => {
    resized.disconnect();
    scheme.removeEventListener("change", redraw);
    plot?.destroy();
  };
}

function dataOf({ days, lines }: PlotProps): uPlot.AlignedData {
  return [days.map((day) => Date.parse(day) / 1_000), ...lines.map(({ values }) => values)];
}

function optionsOf(
  place: HTMLElement,
  { days, lines, formatShort }: PlotProps,
  onPoint: (at: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(place);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const font = `12px ${style.fontFamily}`;
  const axis: uPlot.Axis = { stroke: colour("--ink-faint"), font, ticks: { show: false } };
  const seriesOf = ({ name, isBefore }: Line): uPlot.Series => ({
    label: name,
    stroke: colour(isBefore ? "--line-strong" : "--accent"),
    width: isBefore ? 1.5 : 2,
    // A line needs two points.
    points: { show: days.length === 1 },
    ...(isBefore ? { dash: [4, 4] } : { fill: colour("--accent-soft") }),
  });
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    // Calendar days must not be shifted by the user's time zone.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC"),
    scales: { y: { range: (_, min, max) => [Math.min(0, min), Math.max(max * 1.05, 1)] } },
    series: [{}, ...lines.map(seriesOf)],
    axes: [
      // The first day is centred below the axis of values, and must not touch the lowest of them.
      { ...axis, grid: { show: false }, space: 70, gap: 9, size: 32, values: (_, at) => at.map(shortDate) },
      {
        ...axis,
        grid: { stroke: colour("--line"), width: 1 },
        size: 56,
        incrs: WHOLE,
        values: (_, at) => at.map(formatShort),
      },
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  };
}

/** Counts and cents are integers, so ticks are integers, too. */
const WHOLE = Array.from({ length: 14 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

function shortDate(seconds: number): string {
  const day = new Date(seconds * 1_000);
  return new Intl.DateTimeFormat(locale.value, { day: "numeric", month: "short", timeZone: "UTC" }).format(
    day,
  );
}
