import { TextField } from "./field.tsx";
import type { FormState } from "./form.tsx";
import { t } from "../../languages/messages.ts";

/** E-mail address and password. The first empty field gets the focus. `email` is the known address. */
export function SignInFields({
  form,
  email,
}: {
  form: FormState<Record<"email" | "password", string>>;
  email: string;
}) {
  return (
    <>
      <TextField
        form={form}
        name="email"
        type="email"
        label={t("email")}
        autocomplete="username"
        required
        autoFocus={email === ""}
      />
      <TextField
        form={form}
        name="password"
        type="password"
        label={t("password")}
        autocomplete="current-password"
        required
        autoFocus={email !== ""}
      />
    </>
  );
}
