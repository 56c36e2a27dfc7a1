import { useSignal } from "@preact/signals";
import { runBatch } from "../../ui/batch/batch.ts";
import type { Selection } from "../../ui/batch/selection.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { several } from "../../ui/format.ts";
import type { Choice } from "../../ui/table/choice.ts";
import { Chosen } from "../../ui/table/chosen.tsx";
import { ACTIONS, type LeadActionName } from "./batches.ts";
import { MoveLeads } from "./move-leads.tsx";

/** What can be done with the chosen leads. */
export function LeadActions({ choice, reload }: { choice: Choice; reload: () => Promise<void> }) {
  const moving = useSignal<Selection | null>(null);
  const clear = () => choice.chooseOnly([]);
  const act = async (name: LeadActionName) => {
    const records = await choice.records();
    if (records !== null && (await actOnLeads(name, { records, reload }))) clear();
  };
  return (
    <>
      <Chosen choice={choice} one="lead">
        {(Object.keys(ACTIONS) as LeadActionName[]).map((name) => (
          <button key={name} class="button little" onClick={() => void act(name)}>
            {ACTIONS[name].verb}
          </button>
        ))}
        <button class="button little" onClick={async () => (moving.value = await choice.records())}>
          Move to promoter…
        </button>
      </Chosen>
      {moving.value && (
        <MoveLeads
          records={moving.value}
          reload={reload}
          onBegin={clear}
          onClose={() => (moving.value = null)}
        />
      )}
    </>
  );
}

/** Asks for confirmation, then runs an action on leads. Resolves to whether it was confirmed. */
export async function actOnLeads(
  name: LeadActionName,
  {
    records,
    who = several(records.count, "lead"),
    reload,
  }: {
    records: Selection;
    /** The name, if there is only one. */
    who?: string;
    reload: (changedCount: number) => Promise<void>;
  },
): Promise<boolean> {
  const { verb, doing, done, effect, isDanger, send } = ACTIONS[name];
  const title = `${verb} ${who}`;
  if (!(await ask({ title, text: effect, action: title, isDanger }))) return false;
  void runBatch({
    title: `${doing} ${who}`,
    done: (count) => `${records.count === 1 ? who : several(count, "lead")} ${done}`,
    records,
    send,
    reload,
  });
  return true;
}
