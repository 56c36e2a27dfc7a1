import { useSignal } from "@preact/signals";
import type { Selection } from "../../ui/batch/selection.ts";
import type { Choice } from "../../ui/table/choice.ts";
import { Chosen } from "../../ui/table/chosen.tsx";
import type { Campaign } from "../campaigns/choices.ts";
import { ActionDialog } from "./action-dialog.tsx";
import { ACTIONS, type ActionName } from "./batches.ts";

/** How many campaigns an action needs. There are none until they are loaded. */
const CAMPAIGNS_NEEDED = { nothing: 0, campaign: 1, "new campaign": 1, campaigns: 2 };

/** What can be done with the chosen promoters. */
export function PromoterActions({
  choice,
  campaigns,
  campaignId,
  reload,
}: {
  choice: Choice;
  campaigns: Campaign[];
  /** The campaign that the list is filtered by, or empty. */
  campaignId: string;
  reload: () => Promise<void>;
}) {
  const asked = useSignal<{ name: ActionName; records: Selection } | null>(null);
  const begin = async (name: ActionName) => {
    const records = await choice.records();
    if (records !== null) asked.value = { name, records };
  };
  const names = (Object.keys(ACTIONS) as ActionName[]).filter(
    (name) => campaigns.length >= CAMPAIGNS_NEEDED[ACTIONS[name].needs],
  );
  return (
    <>
      <Chosen choice={choice} one="promoter">
        {names.map((name) => (
          <button key={name} class="button little" onClick={() => void begin(name)}>
            {ACTIONS[name].button}
          </button>
        ))}
      </Chosen>
      {asked.value && (
        <ActionDialog
          {...asked.value}
          campaigns={campaigns}
          campaignId={campaignId}
          onClose={() => (asked.value = null)}
          onBegin={() => choice.chooseOnly([])}
          reload={reload}
        />
      )}
    </>
  );
}
