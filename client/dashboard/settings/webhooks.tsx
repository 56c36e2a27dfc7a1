import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Copyable } from "../../ui/feedback/copy.tsx";
import { ask, Dialog } from "../../ui/feedback/dialog.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { several } from "../../ui/format.ts";
import { Page } from "../../ui/shell/page.tsx";
import { may } from "../session/session.ts";
import { Deliveries } from "./deliveries.tsx";
import { WebhookForm } from "./webhook-form.tsx";

export type Webhook = components["schemas"]["Webhook"];

/** `/admin/settings/webhooks` */
export function Webhooks() {
  const webhooks = useLoad((signal) =>
    page(api.GET("/api/v2/company/webhooks", { params: { query: { per_page: 100 } }, signal })),
  );
  const edited = useSignal<Webhook | "new" | null>(null);
  const followed = useSignal<Webhook | null>(null);
  const secret = useSignal<string | null>(null);
  return (
    <Page
      title="Webhooks"
      actions={
        may("manager") && (
          <button class="button main" onClick={() => (edited.value = "new")}>
            Add a webhook
          </button>
        )
      }
    >
      <Await loaded={webhooks}>
        {({ rows }) => (
          <WebhookList
            rows={rows}
            reload={webhooks.reload}
            onAdd={() => (edited.value = "new")}
            onEdit={(webhook) => (edited.value = webhook)}
            onFollow={(webhook) => (followed.value = webhook)}
          />
        )}
      </Await>
      {edited.value && (
        <WebhookForm
          webhook={edited.value === "new" ? null : edited.value}
          onClose={() => (edited.value = null)}
          onSaved={async (made) => {
            edited.value = null;
            secret.value = made;
            toast("The webhook was saved");
            await webhooks.reload();
          }}
        />
      )}
      {followed.value && <Deliveries webhook={followed.value} onClose={() => (followed.value = null)} />}
      {secret.value && <ShowSecret secret={secret.value} onClose={() => (secret.value = null)} />}
    </Page>
  );
}

interface WebhookListProps {
  rows: Webhook[];
  reload: () => Promise<void>;
  onAdd: () => void;
  onEdit: (webhook: Webhook) => void;
  onFollow: (webhook: Webhook) => void;
}

function WebhookList({ rows, reload, onAdd, onEdit, onFollow }: WebhookListProps) {
  if (rows.length === 0)
    return (
      <div class="card">
        <Empty title="No webhooks yet">
          <p>A webhook reports each lead, sale, commission and payout to another program as it happens.</p>
          {may("manager") && (
            <button class="button" onClick={onAdd}>
              Add a webhook
            </button>
          )}
        </Empty>
      </div>
    );
  return (
    <ul class="stack entries">
      {rows.map((webhook) => (
        <WebhookCard
          key={webhook.id}
          webhook={webhook}
          reload={reload}
          onEdit={() => onEdit(webhook)}
          onFollow={() => onFollow(webhook)}
        />
      ))}
    </ul>
  );
}

interface WebhookCardProps {
  webhook: Webhook;
  reload: () => Promise<void>;
  onEdit: () => void;
  onFollow: () => void;
}

function WebhookCard({ webhook, reload, onEdit, onFollow }: WebhookCardProps) {
  const { id, url, description, active, format, event_types: types } = webhook;
  const params = { path: { id } };
  const remove = async () => {
    const text = "Nothing is sent there any more, and its deliveries are deleted.";
    if (!(await ask({ title: "Delete this webhook?", text, action: "Delete it", isDanger: true }))) return;
    await tell(async () => {
      await answer(api.DELETE("/api/v2/company/webhooks/{id}", { params }));
      return "The webhook was deleted";
    });
    await reload();
  };
  const turn = async () => {
    await tell(async () => {
      await answer(api.PUT("/api/v2/company/webhooks/{id}", { params, body: { active: !active } }));
      return active ? "The webhook is off" : "The webhook is on";
    });
    await reload();
  };
  const test = () =>
    tell(async () => {
      await answer(api.POST("/api/v2/company/webhooks/{id}/test", { params, body: {} }));
      onFollow();
      return "A test event is on its way";
    });
  return (
    <li class="card row spread">
      <div class="stack tight">
        <strong>{description ?? url}</strong>
        {description !== null && <span class="small soft">{url}</span>}
        <span class="row tight small soft">
          <Badge tone={active ? "good" : "quiet"}>{active ? "On" : "Off"}</Badge>
          {several(types.length, "event type")}
          {format === "v1" && ", in V1's form"}
        </span>
      </div>
      <div class="row">
        <button class="button little" onClick={onFollow}>
          Deliveries
        </button>
        {may("manager") && (
          <>
            {active && (
              <button class="button little" onClick={() => void test()}>
                Send a test event
              </button>
            )}
            <button class="button little" onClick={onEdit}>
              Change
            </button>
            <button class="button little" onClick={() => void turn()}>
              {active ? "Turn off" : "Turn on"}
            </button>
            <button class="button little" onClick={() => void remove()}>
              Delete
            </button>
          </>
        )}
      </div>
    </li>
  );
}

function ShowSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="Copy the secret now" onClose={onClose}>
      <div class="stack">
        <p>The receiver checks the signature of each delivery with it. It is shown only now.</p>
        <Copyable text={secret} of="the secret" />
      </div>
    </Dialog>
  );
}
