import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { answer, api, made } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Checkbox, TextField } from "../../ui/form/field.tsx";
import { Form, useForm, valuesOf } from "../../ui/form/form.tsx";
import { bodyOf, draftOf, isSimple, type Draft } from "./draft.ts";
import { Example } from "./example.tsx";
import { RewardSentence } from "./sentence-fields.tsx";
import { givenBy, sentenceOf, type Reward } from "./sentence.ts";

/** Edits a reward as a sentence, with an example. */
export function RewardDialog({
  reward,
  onSaved,
  onClose,
}: {
  /** Null for a new one. */
  reward: Reward | null;
  onSaved: (saved: Reward) => Promise<void>;
  onClose: () => void;
}) {
  const form = useForm<Draft>(draftOf(reward));
  const canEditTerms = reward === null || isSimple(reward);
  const save = async (draft: Draft) => {
    const saved = await saveReward(reward, draft);
    toast("The reward was saved");
    onClose();
    await onSaved(saved);
  };
  // Both depend on the form's values. The name is not part of the sentence.
  for (const value of Object.values(form.values)) void value.value;
  const draft = { ...bodyOf(valuesOf(form)), name: "This reward" };
  useOwnName(form.values.name, canEditTerms ? givenBy(draft) : null);
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
            {sentenceOf(reward)}. It has several amounts or rules, which can be changed through the API only.
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

async function saveReward(reward: Reward | null, draft: Draft): Promise<Reward> {
  const { schemas, ...body } = bodyOf(draft);
  if (reward === null) {
    return made(api.POST("/api/v2/company/rewards", { body: { ...body, schemas } }));
  }
  const params = { path: { id: reward.id } };
  const changes = isSimple(reward)
    ? { ...body, schemas }
    : { name: body.name, hide_reward: draft.hide_reward };
  return answer(api.PUT("/api/v2/company/rewards/{id}", { params, body: changes }));
}

/**
 * Names a reward after what it gives, until the user types another name. `given` is what it gives now, or null if that is
 * too complex for a name.
 */
function useOwnName(name: Signal<string>, given: string | null): void {
  const before = useRef(name.peek() === "" ? "" : given);
  useEffect(() => {
    if (given === null || given === before.current) return;
    if (isSame(name.peek(), before.current)) name.value = given;
    before.current = given;
  }, [given]);
}

/** Some languages write `20 %`. */
function isSame(name: string, given: string | null): boolean {
  return name.replace(/\s/g, "") === given?.replace(/\s/g, "");
}
