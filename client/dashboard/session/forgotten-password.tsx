import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { LonePage } from "../../ui/shell/page.tsx";

/** Asks for a link that sets a new password. */
export function ForgottenPassword({ onBack }: { onBack: () => void }) {
  const form = useForm({ email: "" });
  const told = useSignal<string | null>(null);
  const send = async (body: { email: string }) => {
    told.value = (await answer(api.POST("/api/v2/company/session/reset", { body }))).message;
  };
  const back = (
    <button type="button" class="button plain" onClick={onBack}>
      Back
    </button>
  );
  if (told.value !== null) {
    return (
      <LonePage title="Choose a new password">
        <p role="status">{told.value}</p>
        <p class="soft small">
          No e-mail? The operator of the server can make a link with{" "}
          <code>tidemark user reset {form.values.email.value}</code>.
        </p>
        <div>{back}</div>
      </LonePage>
    );
  }
  return (
    <LonePage title="Choose a new password">
      <Form form={form} onSubmit={send} action="Send me a link" others={back}>
        <TextField form={form} name="email" type="email" label="E-mail" autocomplete="username" required />
      </Form>
    </LonePage>
  );
}
