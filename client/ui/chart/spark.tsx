const WIDTH = 100;
const HEIGHT = 28;

/** A small line of a figure over time, without axes. The figure is shown beside it. */
export function Spark({ values }: { values: number[] }) {
  const [low, high] = [Math.min(...values, 0), Math.max(...values, 1)];
  const x = (at: number) => (values.length < 2 ? 0 : (at / (values.length - 1)) * WIDTH);
  const y = (value: number) => HEIGHT - 2 - ((value - low) / (high - low)) * (HEIGHT - 4);
  const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points} fill="none" stroke="currentColor" vector-effect="non-scaling-stroke" />
    </svg>
  );
}
