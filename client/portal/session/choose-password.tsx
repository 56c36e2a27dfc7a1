import { answer, api } from "../../ui/api/client.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { LonePage } from "../../ui/shell/page.tsx";
import { begin } from "./session.ts";
import { t } from "../../languages/messages.ts";

/** The page after signing in with a temporary password. */
export function ChoosePassword() {
  const form = useForm({ password: "" });
  return (
    <LonePage title={t("password.choose")}>
      <p class="soft">{t("password.choose.text")}</p>
      <Form
        form={form}
        action={t("password.save")}
        onSubmit={async (body) =>
          begin(await answer(api.POST("/api/v2/affiliate/promoters/set_password", { body })))
        }
      >
        <TextField
          form={form}
          name="password"
          type="password"
          label={t("password.new")}
          hint={t("password.hint")}
          autocomplete="new-password"
          minLength={8}
          required
        />
      </Form>
    </LonePage>
  );
}
