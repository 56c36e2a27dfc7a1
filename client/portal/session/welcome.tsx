import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { LonePage } from "../../ui/shell/page.tsx";
import { begin } from "./session.ts";
import { at } from "../../ui/base.ts";
import { t } from "../../languages/messages.ts";

/** The keys of the texts of a link's page, by kind. */
const WORDS = {
  setup: { title: "welcome", action: "password.save", label: "password.choose", isNew: true },
  join: {
    title: "welcome.confirm",
    action: "welcome.confirm.action",
    label: "password.yours",
    isNew: false,
  },
  entry: { title: "sign_in", action: "sign_in", label: "password.new_optional", isNew: true },
  sign_in: { title: "sign_in", action: "sign_in", label: "password.new_optional", isNew: true },
} as const;

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
    <LonePage title={t(isPassing ? "failed" : "link.invalid")}>
      <p role="alert">{isPassing ? refusal.message : t("link.invalid.text")}</p>
      <div>
        {isPassing ? (
          <button class="button" onClick={link.reload}>
            {t("retry")}
          </button>
        ) : (
          <a class="button" href="/portal">
            {t("sign_in")}
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
    await begin(await answer(api.POST("/api/v2/affiliate/session/link", { body })));
    route(at("/portal"), true);
  };
  return (
    <LonePage title={t(title)}>
      <Form form={form} onSubmit={follow} action={t(action)}>
        <TextField
          form={form}
          name="email"
          type="email"
          label={t("email")}
          autocomplete="username"
          readOnly
        />
        <TextField
          form={form}
          name="password"
          type="password"
          label={t(label)}
          hint={t(isNew ? "password.hint" : "password.yours.hint")}
          autocomplete={isNew ? "new-password" : "current-password"}
          required={kind === "setup" || kind === "join"}
        />
      </Form>
    </LonePage>
  );
}
