import { answer, api } from "../../ui/api/client.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { LonePage } from "../../ui/shell/page.tsx";
import { begin } from "./session.ts";

/** The page after signing in with a temporary password. */
export function ChoosePassword() {
  const form = useForm({ password: "" });
  return (
    <LonePage title="Choose a password">
      <p class="soft">The password that you were given works only once. Choose your own.</p>
      <Form
        form={form}
        action="Save the password"
        onSubmit={async (body) =>
          begin(await answer(api.POST("/api/v2/affiliate/promoters/set_password", { body })))
        }
      >
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
    </LonePage>
  );
}
