import { answer, api } from "../../ui/api/client.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { begin, hasToken, session } from "../session/session.ts";
import { t } from "../../languages/messages.ts";

/** Changes the password. A first one is chosen by a link, because a leaked way in must not become a password. */
export function Password() {
  const form = useForm({ current_password: "", password: "" });
  if (hasToken()) return <p class="card narrow">{t("password.elsewhere")}</p>;
  if (!session.value?.has_password) return <FirstPassword />;
  return (
    <section class="card narrow" aria-label={t("password")}>
      <Form
        form={form}
        action={t("password.save")}
        onSubmit={async ({ password, current_password: current }) => {
          const body = { password, current_password: current };
          await begin(await answer(api.POST("/api/v2/affiliate/promoters/set_password", { body })));
          form.values.password.value = "";
          form.values.current_password.value = "";
          toast(t("password.saved"));
        }}
      >
        <TextField
          form={form}
          name="current_password"
          type="password"
          label={t("password.current")}
          autocomplete="current-password"
          required
        />
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

function FirstPassword() {
  const { promoter, account } = session.value!;
  const body = { email: promoter.email, account_id: account.id };
  const send = () =>
    tell(async () => (await answer(api.POST("/api/v2/affiliate/session/link/send", { body }))).message);
  return (
    <section class="card narrow stack" aria-label={t("password")}>
      <p>{t("sign_in.link.text")}</p>
      <div>
        <button class="button" onClick={() => void send()}>
          {t("sign_in.link")}
        </button>
      </div>
    </section>
  );
}
