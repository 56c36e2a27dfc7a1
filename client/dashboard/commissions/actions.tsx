import { runBatch } from "../../ui/batch/batch.ts";
import { inWholeGroups } from "../../ui/batch/selection.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { several } from "../../ui/format.ts";
import type { Choice } from "../../ui/table/choice.ts";
import { Chosen } from "../../ui/table/chosen.tsx";
import { ACTIONS, type ActionName } from "./batches.ts";

interface CommissionActionsProps {
  choice: Choice;
  reload: () => Promise<void>;
}

/** What can be done with the chosen commissions. */
export function CommissionActions(props: CommissionActionsProps) {
  return (
    <Chosen choice={props.choice} one="commission">
      {(Object.keys(ACTIONS) as ActionName[]).map((name) => (
        <button key={name} class="button little" onClick={() => void act(name, props)}>
          {ACTIONS[name].verb}
          {name === "pay" && " them"}
        </button>
      ))}
    </Chosen>
  );
}

/** Asks for confirmation, then does it part by part. */
async function act(name: ActionName, { choice, reload }: CommissionActionsProps): Promise<void> {
  const records = await choice.records();
  if (records === null) return;
  const { verb, doing, done, effect, isDanger, findGroups, hasSecondTurn = false, send } = ACTIONS[name];
  const what = several(records.count, "commission");
  const title = `${verb} ${what}`;
  if (!(await ask({ title: `${title}?`, text: effect, action: title, isDanger }))) return;
  choice.chooseOnly([]);
  await runBatch({
    title: `${doing} ${what}`,
    done: (count) => `${several(count, "commission")} ${done}`,
    records: findGroups ? inWholeGroups(records, findGroups) : records,
    send,
    hasSecondTurn,
    reload,
  });
}
