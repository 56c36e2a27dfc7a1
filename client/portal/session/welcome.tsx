import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { LonePage } from "../../ui/shell/page.tsx";
import { begin } from "./session.ts";
import { at } from "../../ui/base.ts";

/** The texts of a link's page, by kind. */
const WORDS = {
  setup: { title: "Welcome", action: "Save the password", label: "Choose a password", isNew: true },
  join: {
    title: "Confirm your address",
    action: "Confirm and sign in",
    label: "Your password",
    isNew: false,
  },
  entry: {
    title: "Sign in",
    action: "Sign in",
    label: "New password, if you want one",
    isNew: true,
  },
  sign_in: {
    title: "Sign in",
    action: "Sign in",
    label: "New password, if you want one",
    isNew: true,
  },
};

/** Follows a link of an e-mail: it signs in, confirms an address or sets a password. */
export function Welcome() {
  // The token is removed from the URL immediately, so that it is not in the browser's history.
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(null, "", at("/portal/welcome")), []);
  const body = { token };
  const link = useLoad(() => answer(api.POST("/api/v2/affiliate/session/link/check", { body })));
  const found = link.data.value;
  if (found !== null) return <Follow token={token} kind={found.kind} email={found.email} />;
  const refusal = link.refusal.value;
  if (refusal === null) return <div aria-busy="true" />;
  const isPassing = refusal.status === null || refusal.status >= 500 || refusal.status === 429;
  return (
    <LonePage title={isPassing ? "This could not be loaded" : "This link is not valid"}>
      <p role="alert">
        {isPassing
          ? refusal.message
          : "It was used already, it is too old, or a part of it is missing. Ask for a new one on the sign-in page."}
      </p>
      <div>
        {isPassing ? (
          <button class="button" onClick={link.reload}>
            Try again
          </button>
        ) : (
          <a class="button" href="/portal">
            Sign in
          </a>
        )}
      </div>
    </LonePage>
  );
}

function Follow({ token, kind, email }: { token: string; kind: keyof typeof WORDS; email: string }) {
  const { route } = useLocation();
  const form = useForm({ email, password: "" });
  const { title, action, label, isNew } = WORDS[kind];
  const follow = async ({ password }: { password: string }) => {
    const body = { token, ...(password !== "" && { password }) };
    begin(await answer(api.POST("/api/v2/affiliate/session/link", { body })));
    route(at("/portal"), true);
  };
  return (
    <LonePage title={title}>
      <Form form={form} onSubmit={follow} action={action}>
        <TextField form={form} name="email" type="email" label="E-mail" autocomplete="username" readOnly />
        <TextField
          form={form}
          name="password"
          type="password"
          label={label}
          hint={isNew ? "At least 8 characters." : "The password that you chose when you joined."}
          autocomplete={isNew ? "new-password" : "current-password"}
          required={kind === "setup" || kind === "join"}
        />
      </Form>
    </LonePage>
  );
}
