import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { SignInFields } from "../../ui/form/sign-in-fields.tsx";
import { LonePage } from "../../ui/shell/page.tsx";
import { begin, forget, hasToken, type Session } from "./session.ts";
import { at } from "../../ui/base.ts";

/** The page for promoters who are not signed in. */
export function SignIn() {
  const wantsLink = useSignal(false);
  if (hasToken()) return <TokenEnded />;
  const change = () => (wantsLink.value = !wantsLink.value);
  return (
    <LonePage title={wantsLink.value ? "Sign in by e-mail" : "Sign in"}>
      {wantsLink.value ? <LinkForm /> : <SignInForm onSignedIn={begin} />}
      <div>
        <button class="link" onClick={change}>
          {wantsLink.value ? "Sign in with your password" : "Forgot your password, or have none?"}
        </button>
      </div>
    </LonePage>
  );
}

/** E-mail address and password. */
export function SignInForm({
  email = "",
  onSignedIn,
}: {
  email?: string;
  onSignedIn: (session: Session) => void;
}) {
  const form = useForm({ email, password: "" });
  return (
    <Form
      form={form}
      action="Sign in"
      onSubmit={async (body) => onSignedIn(await answer(api.POST("/api/v2/affiliate/session", { body })))}
    >
      <SignInFields form={form} email={email} />
    </Form>
  );
}

function LinkForm() {
  const form = useForm({ email: "" });
  const sent = useSignal<string | null>(null);
  if (sent.value !== null) return <p role="status">{sent.value}</p>;
  return (
    <Form
      form={form}
      action="Send me a link"
      onSubmit={async (body) => {
        const { message } = await answer(api.POST("/api/v2/affiliate/session/link/send", { body }));
        sent.value = message;
      }}
    >
      <p class="soft">Ask for a link that signs you in. Then you can choose a new password.</p>
      <TextField form={form} name="email" type="email" label="E-mail" autocomplete="username" required />
    </Form>
  );
}

function TokenEnded() {
  return (
    <LonePage title="This view has ended">
      <p>Open the portal again from the page before.</p>
      <div>
        <button
          class="button"
          onClick={() => {
            forget();
            location.assign(at("/portal"));
          }}
        >
          Sign in instead
        </button>
      </div>
    </LonePage>
  );
}
