import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { CopyButton } from "../../ui/feedback/copy.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import type { Promoter } from "./query.ts";

/** Gives a promoter access to the portal by a link or a first password. */
export function LetInButton({ promoter }: { promoter: Promoter }) {
  const isOpen = useSignal(false);
  return (
    <>
      <button class="button" onClick={() => (isOpen.value = true)}>
        Let them in
      </button>
      {isOpen.value && <LetIn promoter={promoter} onClose={() => (isOpen.value = false)} />}
    </>
  );
}

function LetIn({ promoter, onClose }: { promoter: Promoter; onClose: () => void }) {
  const { id, name, password_setup_url: setupUrl } = promoter;
  const link = useSignal<string | null>(null);
  const params = { path: { id } };
  const make = () =>
    tell(async () => {
      link.value = (await answer(api.POST("/api/v2/company/promoters/{id}/sign_in_link", { params }))).url;
      return "The link was made";
    });
  return (
    <Dialog title={`Let ${name} in`} onClose={onClose}>
      <div class="stack">
        <h3>A sign-in link</h3>
        <p class="soft">It opens their portal once, within 24 hours. Give it only to them.</p>
        {link.value === null ? (
          <div>
            <button class="button main" onClick={() => void make()}>
              Make a sign-in link
            </button>
          </div>
        ) : (
          <span class="copyable">
            <code title={link.value}>{link.value}</code>
            <CopyButton text={link.value} of="the sign-in link" />
          </span>
        )}
        {setupUrl !== null && <FirstPassword id={id} onSet={onClose} />}
      </div>
    </Dialog>
  );
}

/** Promoters who have chosen a password need none from the company. */
function FirstPassword({ id, onSet }: { id: number; onSet: () => void }) {
  const form = useForm({ password: "" });
  const params = { path: { id } };
  return (
    <>
      <h3>A first password</h3>
      <p class="soft">
        They sign in with it until they have chosen their own, which the portal asks them to do.
      </p>
      <Form
        form={form}
        action="Set the password"
        onSubmit={async (body) => {
          await answer(api.POST("/api/v2/company/promoters/{id}/first_password", { params, body }));
          toast("They can sign in with this password");
          onSet();
        }}
      >
        <TextField
          form={form}
          name="password"
          label="Password"
          hint="At least 8 characters. You can't see it again."
          autocomplete="off"
          minLength={8}
          required
        />
      </Form>
    </>
  );
}
