import type { Selection } from "../../ui/batch/selection.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { several } from "../../ui/format.ts";
import { Checkbox, Select } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { runBatch } from "../../ui/batch/batch.ts";
import { campaignOptions, type Campaign } from "../campaigns/choices.ts";
import { ACTIONS, type ActionName } from "./batches.ts";

interface ActionDialogProps {
  name: ActionName;
  records: Selection;
  /** The name, if there is only one. */
  who?: string;
  /** The campaigns to choose from. */
  campaigns: Campaign[];
  /** The preselected campaign. If empty, the user must choose one. */
  campaignId: string;
  onClose: () => void;
  onBegin: () => void;
  reload: () => Promise<void>;
}

/** Explains an action, asks for its campaign, and runs it. */
export function ActionDialog(props: ActionDialogProps) {
  const { name, records, campaigns, campaignId, onClose, onBegin, reload } = props;
  const { who = several(records.count, "promoter") } = props;
  const { verb, doing, done, effect, isDanger, needs, send } = ACTIONS[name];
  // Promoters are never rejected in a campaign that the user has not chosen.
  const only = campaigns.length === 1 ? String(campaigns[0]!.id) : "";
  const form = useForm({ from: campaignId || only, to: only, movesLeads: false });
  const options: [string, string][] = [["", "Choose a campaign…"], ...campaignOptions(campaigns)];
  const choose = (name: "from" | "to", label: string) => (
    <Select form={form} name={name} label={label} options={options} required />
  );
  return (
    <Dialog title={`${verb} ${who}`} onClose={onClose}>
      <Form
        form={form}
        action={`${verb} ${who}`}
        isDanger={isDanger}
        others={
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        }
        onSubmit={async ({ from, to, movesLeads }) => {
          const chosen = { campaignId: Number(from), toCampaignId: Number(to), movesLeads };
          onClose();
          onBegin();
          // The dialog closes, and the progress stays visible.
          void runBatch({
            title: `${doing} ${who}`,
            done: (count) => `${records.count === 1 ? who : several(count, "promoter")} ${done}`,
            records,
            send: (part) => send({ ...chosen, ids: part }),
            reload,
          });
        }}
      >
        <p>{effect}</p>
        {needs === "campaign" && campaigns.length > 1 && choose("from", "In the campaign")}
        {needs === "new campaign" && choose("to", "Into")}
        {needs === "campaigns" && (
          <>
            {choose("from", "Out of")}
            {choose("to", "Into")}
            <Checkbox form={form} name="movesLeads" label="Move their leads, too" />
          </>
        )}
      </Form>
    </Dialog>
  );
}
