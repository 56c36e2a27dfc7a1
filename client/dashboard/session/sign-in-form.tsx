import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { answer, api } from "../../ui/api/client.ts";
import { asRefusal } from "../../ui/api/refusal.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import type { Session } from "./session.ts";

/** E-mail address and password, and after them a code for those who have a second factor. */
export function SignInForm({
  email = "",
  onSignedIn,
  others,
}: {
  email?: string;
  onSignedIn: (session: Session) => void;
  others?: ComponentChildren;
}) {
  const form = useForm({ email, password: "", code: "" });
  const wantsCode = useSignal(false);
  const signIn = async ({ email, password, code }: { email: string; password: string; code: string }) => {
    const body = { email, password, ...(wantsCode.value && { code }) };
    try {
      onSignedIn(await answer(api.POST("/api/v2/company/session", { body })));
    } catch (error) {
      if (asRefusal(error).code !== "second_factor_required" || wantsCode.value) throw error;
      wantsCode.value = true;
    }
  };
  if (wantsCode.value) {
    return (
      <Form form={form} onSubmit={signIn} action="Sign in" others={others}>
        <TextField
          form={form}
          name="code"
          label="Code from your authenticator app"
          inputMode="numeric"
          autocomplete="one-time-code"
          autoFocus
          required
        />
      </Form>
    );
  }
  return (
    <Form form={form} onSubmit={signIn} action="Sign in" others={others}>
      <TextField form={form} name="email" type="email" label="E-mail" autocomplete="username" required />
      <TextField
        form={form}
        name="password"
        type="password"
        label="Password"
        autocomplete="current-password"
        required
      />
    </Form>
  );
}
