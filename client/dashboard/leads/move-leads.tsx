import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { runBatch } from "../../ui/batch/batch.ts";
import type { Selection } from "../../ui/batch/selection.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { several } from "../../ui/format.ts";
import { Checkbox } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { PromoterPicker, type PickedPromoter } from "../promoters/picker.tsx";

/** Moves leads to another promoter. */
export function MoveLeads({
  records,
  who = several(records.count, "lead"),
  reload,
  onBegin,
  onClose,
}: {
  records: Selection;
  /** The name, if there is only one. */
  who?: string;
  reload: () => Promise<void>;
  onBegin: () => void;
  onClose: () => void;
}) {
  const to = useSignal<PickedPromoter | null>(null);
  const form = useForm({ move_associated_commissions: false });
  return (
    <Dialog title={`Move ${who}`} onClose={onClose}>
      <Form
        form={form}
        action={`Move ${who}`}
        onSubmit={async (given) => {
          if (to.value === null) return;
          const body = { ...given, promoter_campaign_id: to.value.id };
          const { name } = to.value;
          onClose();
          onBegin();
          void runBatch({
            title: `Moving ${who} to ${name}`,
            done: (count) => `${several(count, "lead")} moved to ${name}`,
            records,
            send: (part) =>
              answer(
                api.POST("/api/v2/company/referrals/move_to_promoter", { body: { ...body, ids: part } }),
              ),
            reload,
          });
        }}
      >
        <PromoterPicker label="To the promoter" picked={to} />
        <Checkbox
          form={form}
          name="move_associated_commissions"
          label="Move unpaid commissions, too"
          hint="Paid commissions stay with the promoter who was paid."
        />
      </Form>
    </Dialog>
  );
}
