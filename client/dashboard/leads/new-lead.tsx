import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { PromoterPicker, type PickedPromoter } from "../promoters/picker.tsx";

/** Adds a promoter's lead that the script has missed. */
export function NewLead({ reload, onClose }: { reload: () => Promise<void>; onClose: () => void }) {
  const promoter = useSignal<PickedPromoter | null>(null);
  const form = useForm({ email: "", uid: "" });
  return (
    <Dialog title="Add a lead" onClose={onClose}>
      <Form
        form={form}
        action="Add the lead"
        onSubmit={async ({ email, uid }) => {
          if (promoter.value === null) return;
          const named = { ...(email && { email }), ...(uid && { uid }) };
          const body = { ...named, promoter_campaign_id: promoter.value.id };
          await answer(api.POST("/api/v2/company/referrals", { body }));
          toast(`${email || uid} is a lead of ${promoter.value.name} now`);
          onClose();
          await reload();
        }}
      >
        <TextField form={form} name="email" label="E-mail" type="email" />
        <TextField
          form={form}
          name="uid"
          label="Your own id of them"
          hint="One of the two is enough. Sales find the lead by it."
        />
        <PromoterPicker label="Sent by" picked={promoter} />
      </Form>
    </Dialog>
  );
}
