import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad, useRepeat } from "../../ui/api/load.ts";
import { asRefusal, type Refusal } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, type Shown } from "../../ui/feedback/badge.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { dateTime, several } from "../../ui/format.ts";
import { PAGE_LENGTH } from "../../ui/table/list.ts";
import { PageTurner } from "../../ui/table/pager.tsx";
import { may } from "../session/session.ts";
import { eventWords } from "./event-words.ts";
import type { Webhook } from "./webhooks.tsx";

type ShownField =
  | "id"
  | "event_type"
  | "status"
  | "attempts"
  | "created_at"
  | "response_code"
  | "response_body"
  | "last_error";
/** The body is shown as it is. */
type Delivery = Pick<components["schemas"]["WebhookDelivery"], ShownField> & { payload: unknown };

/** Deliveries are attempted within seconds. */
const LOOK_MS = 5_000;

const STATUSES: Record<Delivery["status"], Shown> = {
  pending: { words: "Waiting", tone: "quiet" },
  delivered: { words: "Delivered", tone: "good" },
  retrying: { words: "Retrying", tone: "warn" },
  failed: { words: "Failed", tone: "bad" },
};

/** What was sent to a webhook, with its body, and what the receiver answered. */
export function Deliveries({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const number = useSignal(1);
  const refusal = useSignal<Refusal | null>(null);
  const deliveries = useLoad(
    (signal) => {
      const query = { page: number.value, per_page: PAGE_LENGTH };
      const params = { path: { webhook_id: webhook.id }, query };
      return page(api.GET("/api/v2/company/webhooks/{webhook_id}/webhook_deliveries", { params, signal }));
    },
    [number.value],
  );
  useRepeat(deliveries.reload, LOOK_MS);
  const retry = async ({ id }: Delivery) => {
    refusal.value = null;
    try {
      const params = { path: { webhook_id: webhook.id, id } };
      await answer(
        api.POST("/api/v2/company/webhooks/{webhook_id}/webhook_deliveries/{id}/retry_delivery", { params }),
      );
    } catch (error) {
      refusal.value = asRefusal(error);
    }
    await deliveries.reload();
  };
  return (
    <Dialog title="Deliveries" onClose={onClose}>
      <div class="stack">
        <p class="small soft">To {webhook.url}, newest first</p>
        {refusal.value && <Notice refusal={refusal.value} />}
        <Await loaded={deliveries}>
          {({ rows, total }) => (
            <>
              {total === 0 && <p>Nothing was sent yet.</p>}
              <ul class="stack entries">
                {rows.map((delivery) => (
                  <OneDelivery key={delivery.id} delivery={delivery} retry={() => void retry(delivery)} />
                ))}
              </ul>
              <PageTurner page={number.value} total={total} turn={(to) => (number.value = to)} />
            </>
          )}
        </Await>
      </div>
    </Dialog>
  );
}

function OneDelivery({ delivery, retry }: { delivery: Delivery; retry: () => void }) {
  const {
    event_type: type,
    status,
    attempts,
    created_at: at,
    response_code: code,
    response_body: answered,
    last_error: error,
  } = delivery;
  const { words, tone } = STATUSES[status];
  return (
    <li>
      <details>
        <summary class="row spread">
          <span>
            <span title={type}>{eventWords(type)}</span> <small class="soft">{dateTime(at)}</small>
          </span>
          <Badge tone={tone}>{words}</Badge>
        </summary>
        <div class="stack tight">
          <p class="small">
            {several(attempts, "try", "tries")}
            {error === null ? code !== null && `, answered with ${code}` : `: ${error}`}
          </p>
          <pre class="paste" tabIndex={0} role="region" aria-label="Body">
            {JSON.stringify(delivery.payload, null, 2)}
          </pre>
          {answered && (
            <>
              <p class="small">The receiver answered:</p>
              <pre class="paste" tabIndex={0} role="region" aria-label="Answer">
                {answered}
              </pre>
            </>
          )}
          {may("manager") && status !== "delivered" && (
            <div>
              <button class="button little" onClick={retry}>
                Send again now
              </button>
            </div>
          )}
        </div>
      </details>
    </li>
  );
}
