import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { answer, api } from "../../ui/api/client.ts";
import { Form, useForm } from "../../ui/form/form.tsx";
import { SignInFields } from "../../ui/form/sign-in-fields.tsx";
import { CodeField, unlessCodeIsWanted } from "./second-factor.tsx";
import type { Session } from "./session.ts";

/** E-mail address and password, then a code if the user has a second factor. */
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
    const begun = await unlessCodeIsWanted(wantsCode, () =>
      answer(api.POST("/api/v2/company/session", { body })),
    );
    if (begun !== null) onSignedIn(begun);
  };
  if (wantsCode.value) {
    return (
      <Form form={form} onSubmit={signIn} action="Sign in" others={others}>
        <CodeField form={form} />
      </Form>
    );
  }
  return (
    <Form form={form} onSubmit={signIn} action="Sign in" others={others}>
      <SignInFields form={form} email={email} />
    </Form>
  );
}
