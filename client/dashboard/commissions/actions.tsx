import { runBatch } from "../../ui/batch/batch.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { several } from "../../ui/format.ts";
import { Chosen, type Choice } from "../../ui/table/choice.tsx";
import { ACTIONS, type ActionName } from "./batches.ts";

/** What can be done with the chosen commissions. */
export function CommissionActions({ choice, reload }: { choice: Choice; reload: () => Promise<void> }) {
  return (
    <Chosen choice={choice} one="commission">
      {(Object.keys(ACTIONS) as ActionName[]).map((name) => (
        <button
          key={name}
          class="button little"
          onClick={() => void act(name, { ids: choice.ids.value.map(Number), begin: choice.clear, reload })}
        >
          {ACTIONS[name].verb}
          {name === "pay" && " them"}
        </button>
      ))}
    </Chosen>
  );
}

/** Asks whether it is meant, then does it part by part. */
export async function act(
  name: ActionName,
  { ids, begin, reload }: { ids: number[]; begin?: () => void; reload: () => Promise<void> },
): Promise<void> {
  const { verb, doing, done, effect, isDanger, send } = ACTIONS[name];
  const what = several(ids.length, "commission");
  const title = `${verb} ${what}`;
  if (!(await ask({ title: `${title}?`, text: effect, action: title, isDanger }))) return;
  begin?.();
  await runBatch({
    title: `${doing} ${what}`,
    done: (count) => `${several(count, "commission")} ${done}`,
    ids,
    send,
    reload,
  });
}
