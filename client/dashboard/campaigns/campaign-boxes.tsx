import type { Signal } from "@preact/signals";

interface CampaignBoxesProps {
  campaigns: { id: number; name: string }[];
  allowed: Signal<ReadonlySet<number>>;
  /** What no tick means. */
  hint: string;
}

/** The campaigns whose promoters something is for. */
export function CampaignBoxes({ campaigns, allowed, hint }: CampaignBoxesProps) {
  const mark = (id: number, isAllowed: boolean) => {
    const next = new Set(allowed.value);
    if (isAllowed) next.add(id);
    else next.delete(id);
    allowed.value = next;
  };
  return (
    <fieldset class="stack tight">
      <legend>For promoters of</legend>
      <span class="hint">{hint}</span>
      {campaigns.map(({ id, name }) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={allowed.value.has(id)}
            onInput={(event) => mark(id, event.currentTarget.checked)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
