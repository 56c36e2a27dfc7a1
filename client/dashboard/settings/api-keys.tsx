import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Copyable } from "../../ui/feedback/copy.tsx";
import { ask, Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { date } from "../../ui/format.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";

type ApiKey = components["schemas"]["ApiKey"];

/** The API keys. */
export function ApiKeys() {
  const keys = useLoad((signal) => answer(api.GET("/api/v2/company/api_keys", { signal })));
  const isMaking = useSignal(false);
  return (
    <section class="card stack">
      <div class="row spread">
        <h2>API keys</h2>
        <button class="button" onClick={() => (isMaking.value = true)}>
          Make a key
        </button>
      </div>
      <Await loaded={keys}>
        {(all) => (
          <ul class="stack tight entries">
            {all.map((key) => (
              <KeyItem key={key.id} of={key} reload={keys.reload} />
            ))}
          </ul>
        )}
      </Await>
      {isMaking.value && (
        <NewKey
          onClose={async () => {
            isMaking.value = false;
            await keys.reload();
          }}
        />
      )}
    </section>
  );
}

function KeyItem({ of, reload }: { of: ApiKey; reload: () => Promise<void> }) {
  const { id, name, created_at: createdAt, revoked_at: revokedAt } = of;
  const revoke = async () => {
    const title = `Revoke ${name}?`;
    const text = "Programs that use this key are refused immediately.";
    if (!(await ask({ title, text, action: "Revoke the key", isDanger: true }))) return;
    await tell(async () => {
      await answer(api.DELETE("/api/v2/company/api_keys/{id}", { params: { path: { id } } }));
      return `${name} was revoked`;
    });
    await reload();
  };
  return (
    <li class="row spread">
      <span>
        <strong>{name}</strong> <small class="soft">made on {date(createdAt)}</small>
      </span>
      {revokedAt === null ? (
        <button class="button little" onClick={() => void revoke()}>
          Revoke
        </button>
      ) : (
        <Badge>Revoked</Badge>
      )}
    </li>
  );
}

/** Makes a key and shows it once. */
function NewKey({ onClose }: { onClose: () => Promise<void> }) {
  const form = useForm({ name: "" });
  const made = useSignal<string | null>(null);
  return (
    <Dialog title={made.value === null ? "Make a key" : "Copy the key now"} onClose={onClose}>
      {made.value === null ? (
        <Form
          form={form}
          action="Make the key"
          onSubmit={async ({ name }) => {
            const { key } = await answer(api.POST("/api/v2/company/api_keys", { body: { name } }));
            made.value = key;
          }}
        >
          <TextField
            form={form}
            name="name"
            label="Name"
            hint="Which program will use it."
            required
            autoFocus
          />
        </Form>
      ) : (
        <div class="stack">
          <p>
            It gives access to your whole account and is shown only now. Keep it where your backend keeps its
            secrets.
          </p>
          <Copyable text={made.value} of="the key" />
          <div class="dialog-foot">
            <button class="button main" onClick={onClose}>
              I have copied it
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
