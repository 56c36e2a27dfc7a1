/** The meaning of a state. */
export type Tone = "good" | "warn" | "bad" | "quiet";

/** A shape for each tone, for people who can't distinguish the colours. */
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

/** How a state is shown. */
export interface Shown {
  words: string;
  tone: Tone;
}

/** The badge of a state. */
export function StateBadge({ of: { words, tone } }: { of: Shown }) {
  return <Badge tone={tone}>{words}</Badge>;
}
