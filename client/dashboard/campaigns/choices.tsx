import type { Signal } from "@preact/signals";
import { api, page } from "../../ui/api/client.ts";
import { useLoad, type Loaded } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import type { Filters } from "../../ui/fragment.ts";
import { Choose } from "../../ui/table/filters.tsx";

export type Campaign = components["schemas"]["Campaign"];

/** Enough for a drop-down list. */
const MOST = 100;

/** The campaigns to choose from. */
export function useCampaigns(): Loaded<Campaign[]> {
  return useLoad(async (signal) => {
    const query = { per_page: MOST };
    return (await page(api.GET("/api/v2/company/campaigns", { params: { query }, signal }))).rows;
  });
}

/** Campaigns as the options of a `Select`. */
export function campaignOptions(campaigns: Campaign[] | null): [value: string, words: string][] {
  return (campaigns ?? []).map(({ id, name }) => [String(id), name]);
}

/** A filter by campaign. */
export function ChooseCampaign<F extends { campaign: string }>({
  filters,
  campaigns,
}: {
  filters: Filters<F>;
  campaigns: Campaign[] | null;
}) {
  const options = [["", "All campaigns"] as const, ...campaignOptions(campaigns)];
  return <Choose filters={filters} name="campaign" label="Campaign" options={options} />;
}

/** Boxes for the campaigns whose promoters something is for. */
export function CampaignBoxes({
  campaigns,
  chosen,
  hint,
}: {
  campaigns: { id: number; name: string }[];
  chosen: Signal<ReadonlySet<number>>;
  hint: string;
}) {
  const mark = (id: number, isChosen: boolean) => {
    const next = new Set(chosen.value);
    if (isChosen) next.add(id);
    else next.delete(id);
    chosen.value = next;
  };
  return (
    <fieldset class="stack tight">
      <legend>For promoters of</legend>
      <span class="hint">{hint}</span>
      {campaigns.map(({ id, name }) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={chosen.value.has(id)}
            onInput={(event) => mark(id, event.currentTarget.checked)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
