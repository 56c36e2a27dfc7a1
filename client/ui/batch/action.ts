import { ask } from "../feedback/dialog.tsx";
import type { Way } from "../feedback/toast.tsx";
import { several } from "../format.ts";
import { runBatch, type Outcome } from "./batch.ts";
import { inWholeGroups, type FindGroups, type Selection } from "./selection.ts";

/** Something that can be done with many records. */
export interface Action {
  /** `Approve` of `Approve 3 leads`. */
  verb: string;
  /** `Approving` of `Approving 3 leads`. */
  doing: string;
  /** `approved` of `3 leads approved`. */
  done: string;
  /** ` as paid` of `Mark 3 payouts as paid`. Absent: nothing. */
  as?: string;
  /** On the button above the list. Absent: the verb, and `as`. */
  button?: string;
  /** Its consequences. */
  effect: string;
  isDanger: boolean;
  /** Where the result is. Absent: in the list itself. */
  way?: Way;
  /** Which records must be sent together. Absent if each can be sent alone. */
  findGroups?: FindGroups;
  /** Whether a record may depend on another one, so that unchanged ones are tried a second time. */
  hasSecondTurn?: boolean;
  send: (ids: number[]) => Promise<Outcome>;
}

/** The records that an action is for. */
export interface Task {
  records: Selection;
  /** What a record is. */
  one: string;
  /** The name, if there is only one. */
  who?: string | undefined;
  reload: (changedCount: number) => Promise<void>;
}

/** The action with what it is for: `Approve 3 leads`. */
export function titleOf({ verb, as = "" }: Pick<Action, "verb" | "as">, task: Task): string {
  return `${verb} ${whoOf(task)}${as}`;
}

/** Asks for confirmation, then begins. Resolves to whether it was confirmed. */
export async function askAndAct(action: Action, task: Task): Promise<boolean> {
  const title = titleOf(action, task);
  const { effect: text, isDanger } = action;
  if (!(await ask({ title: `${title}?`, text, action: title, isDanger }))) return false;
  act(action, task);
  return true;
}

/** Begins to act on the records, part by part. */
export function act(action: Action, task: Task): void {
  const { doing, done, as = "", findGroups, hasSecondTurn = false, send, way } = action;
  const { records, one, reload } = task;
  void runBatch({
    title: `${doing} ${whoOf(task)}${as}`,
    done: (count) => `${records.count === 1 ? whoOf(task) : several(count, one)} ${done}`,
    records: findGroups ? inWholeGroups(records, findGroups) : records,
    send,
    hasSecondTurn,
    way,
    reload,
  });
}

function whoOf({ records, one, who = several(records.count, one) }: Task): string {
  return who;
}
