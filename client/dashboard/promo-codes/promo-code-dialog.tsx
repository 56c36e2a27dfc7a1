import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Select, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { PromoterPicker, type PickedPromoter } from "../promoters/picker.tsx";
import { useRewards } from "../rewards/choices.ts";
import type { PromoCode } from "./query.ts";

interface PromoCodeDialogProps {
  /** Null for a new one. */
  code: PromoCode | null;
  reload: () => Promise<void>;
  onClose: () => void;
}

/** Gives a promoter a code, or changes one. */
export function PromoCodeDialog({ code, reload, onClose }: PromoCodeDialogProps) {
  const rewards = useRewards("referrals");
  const promoter = useSignal<PickedPromoter | null>(null);
  const form = useForm({ code: code?.code ?? "", reward_id: "", description: code?.description ?? "" });
  const save = async ({
    reward_id: rewardId,
    ...given
  }: {
    code: string;
    reward_id: string;
    description: string;
  }) => {
    if (code === null) {
      const owner = { reward_id: Number(rewardId), promoter_campaign_id: promoter.value?.id ?? 0 };
      await answer(api.POST("/api/v2/company/promo_codes", { body: { ...given, ...owner } }));
    } else {
      const params = { path: { id: code.id } };
      await answer(api.PUT("/api/v2/company/promo_codes/{id}", { params, body: given }));
    }
    toast(`${given.code} was saved`);
    onClose();
    await reload();
  };
  const options = (rewards.data.value ?? []).map(({ id, name }): [string, string] => [String(id), name]);
  return (
    <Dialog title={code === null ? "Add a promo code" : `Edit ${code.code}`} onClose={onClose}>
      <Form form={form} action="Save the promo code" onSubmit={save}>
        <TextField
          form={form}
          name="code"
          label="Code"
          hint="What customers type. Upper and lower case are the same."
          required
        />
        {code === null && (
          <>
            <PromoterPicker label="Promoter" picked={promoter} />
            <Select
              form={form}
              name="reward_id"
              label="What the customer gets"
              required
              options={[["", "Choose a reward…"], ...options]}
              hint={
                rewards.data.value?.length === 0 && (
                  <>
                    There is no reward for customers yet. <a href="/admin/rewards">Add one</a> first.
                  </>
                )
              }
            />
          </>
        )}
        <TextField form={form} name="description" label="Description" hint="For your team." />
      </Form>
    </Dialog>
  );
}
