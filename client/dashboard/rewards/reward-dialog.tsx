import { answer, api } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Checkbox, TextField } from "../../ui/form/field.tsx";
import { Form, useForm, valuesOf } from "../../ui/form/form.tsx";
import { bodyOf, draftOf, isSimple, type Draft } from "./draft.ts";
import { Example } from "./example.tsx";
import { RewardSentence } from "./sentence-fields.tsx";
import { sentenceOf, type Reward } from "./sentence.ts";

/** Makes or changes a reward, by a sentence with an example beside it. */
export function RewardDialog({
  reward,
  reload,
  onClose,
}: {
  /** null: a new one. */
  reward: Reward | null;
  reload: () => Promise<void>;
  onClose: () => void;
}) {
  const form = useForm<Draft>(draftOf(reward));
  const canEditTerms = reward === null || isSimple(reward);
  const save = async (draft: Draft) => {
    const { schemas, ...body } = bodyOf(draft);
    if (reward === null) await answer(api.POST("/api/v2/company/rewards", { body: { ...body, schemas } }));
    else {
      const params = { path: { id: reward.id } };
      const changes = canEditTerms
        ? { ...body, schemas }
        : { name: body.name, hide_reward: draft.hide_reward };
      await answer(api.PUT("/api/v2/company/rewards/{id}", { params, body: changes }));
    }
    toast("The reward was saved");
    onClose();
    await reload();
  };
  // The example follows what is typed, except for the name: it is not part of the sentence.
  for (const value of Object.values(form.values)) void value.value;
  const draft = { ...bodyOf(valuesOf(form)), name: "This reward" };
  return (
    <Dialog title={reward === null ? "Add a reward" : `Edit ${reward.name}`} onClose={onClose}>
      <Form form={form} action="Save the reward" onSubmit={save}>
        {canEditTerms ? (
          <>
            <RewardSentence form={form} />
            {form.values.who.value !== "customer" && <Example draft={draft} />}
          </>
        ) : (
          <p>
            {sentenceOf(reward)}. It has several amounts or rules, which can be changed through the interface
            only.
          </p>
        )}
        <TextField form={form} name="name" label="Name" hint="Promoters see it." required />
        <Checkbox form={form} name="hide_reward" label="Hide it from promoters" />
        {reward !== null && (
          <p class="small soft">Later sales earn what the reward gives then. Earlier commissions stay.</p>
        )}
      </Form>
    </Dialog>
  );
}
