import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { SignInFields } from "../../ui/form/sign-in-fields.tsx";
import { LonePage } from "../../ui/shell/page.tsx";
import { begin, forget, hasToken, type Session } from "./session.ts";
import { at } from "../../ui/base.ts";
import { said, t } from "../../languages/messages.ts";

/** The page for promoters who are not signed in. */
export function SignIn() {
  const wantsLink = useSignal(false);
  if (hasToken()) return <TokenEnded />;
  const change = () => (wantsLink.value = !wantsLink.value);
  return (
    <LonePage title={t(wantsLink.value ? "sign_in.by_email" : "sign_in")}>
      {wantsLink.value ? <LinkForm /> : <SignInForm onSignedIn={begin} />}
      <div>
        <button class="link" onClick={change}>
          {t(wantsLink.value ? "sign_in.by_password" : "sign_in.forgot")}
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
  onSignedIn: (session: Session) => unknown;
}) {
  const form = useForm({ email, password: "" });
  return (
    <Form
      form={form}
      action={t("sign_in")}
      onSubmit={async (body) => {
        await onSignedIn(await answer(api.POST("/api/v2/affiliate/session", { body })));
      }}
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
      action={t("sign_in.link")}
      onSubmit={async (body) => {
        const { message } = await answer(api.POST("/api/v2/affiliate/session/link/send", { body }));
        sent.value = said(message);
      }}
    >
      <p class="soft">{t("sign_in.link.text")}</p>
      <TextField form={form} name="email" type="email" label={t("email")} autocomplete="username" required />
    </Form>
  );
}

function TokenEnded() {
  return (
    <LonePage title={t("view_ended")}>
      <p>{t("view_ended.text")}</p>
      <div>
        <button
          class="button"
          onClick={() => {
            forget();
            location.assign(at("/portal"));
          }}
        >
          {t("sign_in.instead")}
        </button>
      </div>
    </LonePage>
  );
}
