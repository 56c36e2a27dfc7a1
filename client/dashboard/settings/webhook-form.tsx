import { useSignal, type Signal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { several } from "../../ui/format.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { may } from "../session/session.ts";
import { eventWords } from "./event-words.ts";
import type { Webhook } from "./webhooks.tsx";

interface WebhookFormProps {
  /** Null for a new one. */
  webhook: Webhook | null;
  onClose: () => void;
  /** Called with the secret of a new webhook. */
  onSaved: (secret: string | null) => Promise<void>;
}

type WebhookChanges = Pick<Webhook, "url" | "description" | "event_types" | "max_retries" | "timeout">;

/** Makes or changes a webhook. */
export function WebhookForm({ webhook, onClose, onSaved }: WebhookFormProps) {
  const given = {
    url: webhook?.url ?? "",
    description: webhook?.description ?? "",
    max_retries: String(webhook?.max_retries ?? 10),
    timeout: String(webhook?.timeout ?? 10),
  };
  const form = useForm(given);
  const chosen = useSignal<string[]>(webhook?.event_types ?? []);
  const save = async ({ url, description, max_retries: retries, timeout }: typeof given) => {
    const secret = await saveWebhook(webhook, {
      url,
      description: description || null,
      event_types: chosen.peek(),
      max_retries: Number(retries),
      timeout: Number(timeout),
    });
    await onSaved(secret);
  };
  return (
    <Dialog title={webhook === null ? "Add a webhook" : "Change the webhook"} onClose={onClose}>
      <Form form={form} action="Save the webhook" onSubmit={save}>
        <TextField
          form={form}
          name="url"
          label="Address"
          type="url"
          hint="It receives a POST for each event."
          required
        />
        <TextField form={form} name="description" label="What it is for" />
        <div class="grid" style={{ "--column": "10rem" }}>
          <TextField form={form} name="timeout" label="Seconds to wait" type="number" min={1} max={120} />
          <TextField form={form} name="max_retries" label="Retries" type="number" min={0} max={10} />
        </div>
        <EventTypes format={webhook?.format ?? "v2"} chosen={chosen} />
      </Form>
    </Dialog>
  );
}

/** Returns the secret of a new webhook. */
async function saveWebhook(webhook: Webhook | null, body: WebhookChanges): Promise<string | null> {
  if (webhook === null) {
    const made = await answer(api.POST("/api/v2/company/webhooks", { body }));
    return made.secret_key;
  }
  const params = { path: { id: webhook.id } };
  await answer(api.PUT("/api/v2/company/webhooks/{id}", { params, body }));
  return null;
}

/** Events with the details of payout methods are for owners. */
const HAS_DETAILS = /^(?:payout|payout_method)\./;

function EventTypes({ format, chosen }: { format: Webhook["format"]; chosen: Signal<string[]> }) {
  const known = useLoad(async (signal) => {
    const params = { query: { format } };
    const { data } = await answer(api.GET("/api/v2/company/webhooks/event_types", { params, signal }));
    return { data: data.filter((type) => may("owner") || !HAS_DETAILS.test(type)) };
  });
  return (
    <fieldset class="stack tight">
      <legend class="row spread">
        <strong>Events</strong> <span class="small soft">{several(chosen.value.length, "type")} chosen</span>
      </legend>
      <Await loaded={known}>
        {({ data }) => (
          <>
            <div>
              <button
                type="button"
                class="button little"
                onClick={() => (chosen.value = chosen.value.length === data.length ? [] : data)}
              >
                {chosen.value.length === data.length ? "Choose none" : "Choose all"}
              </button>
            </div>
            <div class="choices">
              {data.map((type) => (
                <label key={type} class="check">
                  <input
                    type="checkbox"
                    checked={chosen.value.includes(type)}
                    onInput={() => (chosen.value = toggled(chosen.value, type))}
                  />
                  <span>
                    {eventWords(type)} <code class="small faint">{type}</code>
                  </span>
                </label>
              ))}
            </div>
          </>
        )}
      </Await>
    </fieldset>
  );
}

function toggled(all: string[], one: string): string[] {
  return all.includes(one) ? all.filter((each) => each !== one) : [...all, one];
}
