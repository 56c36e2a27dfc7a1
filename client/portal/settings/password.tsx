import { answer, api } from "../../ui/api/client.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { begin, hasToken, session } from "../session/session.ts";
import { t } from "../../languages/messages.ts";

/** Changes the password, or sets the first one. */
export function Password() {
  const form = useForm({ current_password: "", password: "" });
  const hasPassword = session.value?.has_password ?? false;
  if (hasToken()) return <p class="card narrow">{t("password.elsewhere")}</p>;
  return (
    <section class="card narrow" aria-label={t("password")}>
      <Form
        form={form}
        action={t("password.save")}
        onSubmit={async ({ password, current_password: current }) => {
          const body = { password, ...(current !== "" && { current_password: current }) };
          await begin(await answer(api.POST("/api/v2/affiliate/promoters/set_password", { body })));
          form.values.password.value = "";
          form.values.current_password.value = "";
          toast(t("password.saved"));
        }}
      >
        {hasPassword && (
          <TextField
            form={form}
            name="current_password"
            type="password"
            label={t("password.current")}
            autocomplete="current-password"
            required
          />
        )}
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
    </section>
  );
}
