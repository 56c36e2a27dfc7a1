import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { askAndAct, type Action, type Task } from "../../ui/batch/action.ts";
import type { Selection } from "../../ui/batch/selection.ts";
import type { Choice } from "../../ui/table/choice.ts";
import { ChosenActions } from "../../ui/table/chosen.tsx";
import { MoveLeads } from "./move-leads.tsx";

export type LeadActionName = "approve" | "disable" | "enable" | "delete";

/** What can be done with many leads. */
const ACTIONS: Record<LeadActionName, Action> = {
  approve: {
    verb: "Approve",
    doing: "Approving",
    done: "approved",
    effect: "Leads that promoters added by hand count from now on, and their sales earn commissions.",
    isDanger: false,
    send: (ids) => answer(api.POST("/api/v2/company/referrals/approve", { body: { ids } })),
  },
  disable: {
    verb: "Disable",
    doing: "Disabling",
    done: "disabled",
    effect:
      "Their later sales earn nothing. Commissions that they have earned stay. You can enable them again.",
    isDanger: true,
    send: (ids) => answer(api.POST("/api/v2/company/referrals/disable", { body: { ids } })),
  },
  enable: {
    verb: "Enable",
    doing: "Enabling",
    done: "enabled",
    effect: "Their sales earn commissions again.",
    isDanger: false,
    send: (ids) => answer(api.POST("/api/v2/company/referrals/enable", { body: { ids } })),
  },
  delete: {
    verb: "Delete",
    doing: "Deleting",
    done: "deleted",
    effect: "They leave all lists for good. Their sales and commissions stay, and can still be refunded.",
    isDanger: true,
    send: (ids) => answer(api.DELETE("/api/v2/company/referrals", { body: { ids } })),
  },
};

/** What can be done with the chosen leads. */
export function LeadActions({ choice, reload }: { choice: Choice; reload: () => Promise<void> }) {
  const moving = useSignal<Selection | null>(null);
  return (
    <>
      <ChosenActions actions={Object.values(ACTIONS)} choice={choice} one="lead" reload={reload}>
        <button class="button little" onClick={async () => (moving.value = await choice.records())}>
          Move to promoter…
        </button>
      </ChosenActions>
      {moving.value && (
        <MoveLeads
          records={moving.value}
          reload={reload}
          onBegin={() => choice.chooseOnly([])}
          onClose={() => (moving.value = null)}
        />
      )}
    </>
  );
}

/** Asks for confirmation, then runs an action on leads. Resolves to whether it was confirmed. */
export function actOnLeads(name: LeadActionName, task: Omit<Task, "one">): Promise<boolean> {
  return askAndAct(ACTIONS[name], { ...task, one: "lead" });
}
