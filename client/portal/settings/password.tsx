import { answer, api } from "../../ui/api/client.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { begin, hasToken, session } from "../session/session.ts";

/** Changes the password, or sets the first one. */
export function Password() {
  const form = useForm({ current_password: "", password: "" });
  const hasPassword = session.value?.has_password ?? false;
  if (hasToken()) return <p class="card narrow">Sign in to the portal itself to set a password.</p>;
  return (
    <section class="card narrow" aria-label="Password">
      <Form
        form={form}
        action="Save the password"
        onSubmit={async ({ password, current_password: current }) => {
          const body = { password, ...(current !== "" && { current_password: current }) };
          begin(await answer(api.POST("/api/v2/affiliate/promoters/set_password", { body })));
          form.values.password.value = "";
          form.values.current_password.value = "";
          toast("Your password is saved. Other browsers are signed out.");
        }}
      >
        {hasPassword && (
          <TextField
            form={form}
            name="current_password"
            type="password"
            label="Current password"
            autocomplete="current-password"
            required
          />
        )}
        <TextField
          form={form}
          name="password"
          type="password"
          label="New password"
          hint="At least 8 characters."
          autocomplete="new-password"
          minLength={8}
          required
        />
      </Form>
    </section>
  );
}
