import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { LonePage } from "../../ui/shell/page.tsx";
import { CodeField, unlessCodeIsWanted } from "./second-factor.tsx";
import { begin } from "./session.ts";
import { at } from "../../ui/base.ts";

/** The texts of a link's page, by kind. */
const WORDS = {
  owner: { title: "Welcome to Tidemark", action: "Create the owner", text: "You will own this account." },
  invitation: { title: "Welcome to Tidemark", action: "Accept the invitation", text: "" },
  reset: { title: "Choose a new password", action: "Save the password", text: "" },
};

/** Follows a link that makes the owner, accepts an invitation or sets a new password. */
export function Welcome() {
  // The token is removed from the URL immediately, so that it is not in the browser's history.
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(null, "", at("/admin/welcome")), []);
  const link = useLoad(() => answer(api.POST("/api/v2/company/session/link/check", { body: { token } })));
  const found = link.data.value;
  if (found !== null) return <Chosen token={token} kind={found.kind} email={found.email} />;
  const refusal = link.refusal.value;
  if (refusal === null) return <div aria-busy="true" />;
  if (refusal.status === null || refusal.status >= 500 || refusal.status === 429) {
    return (
      <LonePage title="This could not be loaded">
        <p role="alert">{refusal.message}</p>
        <div>
          <button class="button" onClick={link.reload}>
            Try again
          </button>
        </div>
      </LonePage>
    );
  }
  return (
    <LonePage title="This link is not valid">
      <p>It was used already, it is too old, or a part of it is missing. Ask for a new one.</p>
      <div>
        <a class="button" href="/admin/sign-in">
          Sign in
        </a>
      </div>
    </LonePage>
  );
}

type Values = Record<"name" | "email" | "password" | "code", string>;

function Chosen({ token, kind, email }: { token: string; kind: keyof typeof WORDS; email: string | null }) {
  const { route } = useLocation();
  const form = useForm({ name: "", email: email ?? "", password: "", code: "" });
  const wantsCode = useSignal(false);
  const { title, action, text } = WORDS[kind];
  const follow = async ({ name, email, password, code }: Values) => {
    const body = {
      token,
      password,
      ...(kind !== "reset" && name.trim() !== "" && { name: name.trim() }),
      ...(kind === "owner" && { email }),
      ...(wantsCode.value && { code }),
    };
    const begun = await unlessCodeIsWanted(wantsCode, () =>
      answer(api.POST("/api/v2/company/session/link", { body })),
    );
    if (begun === null) return;
    begin(begun);
    route(at("/admin"), true);
  };
  return (
    <LonePage title={title}>
      {text !== "" && <p class="soft">{text}</p>}
      <Form form={form} onSubmit={follow} action={action}>
        {kind !== "reset" && <TextField form={form} name="name" label="Name" autocomplete="name" />}
        <TextField
          form={form}
          name="email"
          type="email"
          label="E-mail"
          autocomplete="username"
          readOnly={email !== null}
          required
        />
        <TextField
          form={form}
          name="password"
          type="password"
          label="Password"
          hint="At least 8 characters. Several words are easier to remember."
          autocomplete="new-password"
          minLength={8}
          required
        />
        {wantsCode.value && <CodeField form={form} />}
      </Form>
    </LonePage>
  );
}
