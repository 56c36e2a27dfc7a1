import { useSignal } from "@preact/signals";
import { several } from "../../ui/format.ts";
import { Chosen, type Choice } from "../../ui/table/choice.tsx";
import type { Campaign } from "../campaigns/choices.ts";
import { ActionDialog } from "./action-dialog.tsx";
import { ACTIONS, type ActionName } from "./batches.ts";

/** What can be done with the chosen promoters. */
export function PromoterActions({
  choice,
  campaigns,
  campaignId,
  reload,
}: {
  choice: Choice;
  campaigns: Campaign[];
  /** The campaign that the list is narrowed down to. Empty: none. */
  campaignId: string;
  reload: () => Promise<void>;
}) {
  const asked = useSignal<ActionName | null>(null);
  const ids = choice.ids.value.map(Number);
  const names = (Object.keys(ACTIONS) as ActionName[]).filter(
    (name) => ACTIONS[name].needs !== "campaigns" || campaigns.length > 1,
  );
  return (
    <>
      <Chosen choice={choice} one="promoter">
        {names.map((name) => (
          <button key={name} class="button little" onClick={() => (asked.value = name)}>
            {ACTIONS[name].button}
          </button>
        ))}
      </Chosen>
      {asked.value && (
        <ActionDialog
          name={asked.value}
          ids={ids}
          who={several(ids.length, "promoter")}
          campaigns={campaigns}
          campaignId={campaignId}
          onClose={() => (asked.value = null)}
          onBegin={choice.clear}
          reload={reload}
        />
      )}
    </>
  );
}
