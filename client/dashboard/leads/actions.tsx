import { useSignal } from "@preact/signals";
import { runBatch } from "../../ui/batch/batch.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { several } from "../../ui/format.ts";
import { Chosen, type Choice } from "../../ui/table/choice.tsx";
import { ACTIONS, type LeadActionName } from "./batches.ts";
import { MoveLeads } from "./move-leads.tsx";

/** What can be done with the chosen leads. */
export function LeadActions({ choice, reload }: { choice: Choice; reload: () => Promise<void> }) {
  const isMoving = useSignal(false);
  const ids = choice.ids.value.map(Number);
  const who = several(ids.length, "lead");
  return (
    <>
      <Chosen choice={choice} one="lead">
        {(Object.keys(ACTIONS) as LeadActionName[]).map((name) => (
          <button
            key={name}
            class="button little"
            onClick={async () => (await actOnLeads(name, { ids, who, reload })) && choice.clear()}
          >
            {ACTIONS[name].verb}
          </button>
        ))}
        <button class="button little" onClick={() => (isMoving.value = true)}>
          Move to promoter…
        </button>
      </Chosen>
      {isMoving.value && (
        <MoveLeads
          ids={ids}
          who={who}
          reload={reload}
          onBegin={choice.clear}
          onClose={() => (isMoving.value = false)}
        />
      )}
    </>
  );
}

/** Asks, and then does something with leads. Resolves with whether the reader agreed. */
export async function actOnLeads(
  name: LeadActionName,
  { ids, who, reload }: { ids: number[]; who: string; reload: () => Promise<void> },
): Promise<boolean> {
  const { verb, doing, done, effect, isDanger, send } = ACTIONS[name];
  const title = `${verb} ${who}`;
  if (!(await ask({ title, text: effect, action: title, isDanger }))) return false;
  void runBatch({
    title: `${doing} ${who}`,
    done: (count) => `${ids.length === 1 ? who : several(count, "lead")} ${done}`,
    ids,
    send,
    reload,
  });
  return true;
}
