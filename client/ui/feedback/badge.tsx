/** What a state means to the reader. */
export type Tone = "good" | "warn" | "bad" | "quiet";

/** A shape for each tone, because not everybody tells the colours apart. */
const SHAPES: Record<Tone, string> = { good: "●", warn: "▲", bad: "■", quiet: "○" };

/** A state, by word, shape and colour. */
export function Badge({ tone = "quiet", children }: { tone?: Tone; children: string }) {
  return (
    <span class={`badge ${tone}`}>
      <small aria-hidden="true">{SHAPES[tone]}</small>
      {children}
    </span>
  );
}
