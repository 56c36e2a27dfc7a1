import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { dateTime, several } from "../../ui/format.ts";
import { may } from "../session/session.ts";
import type { Webhook } from "./webhooks.tsx";

type Shown = "id" | "event_type" | "status" | "attempts" | "created_at" | "response_code" | "last_error";
/** The body is only shown, whatever it holds. */
type Delivery = Pick<components["schemas"]["WebhookDelivery"], Shown> & { payload: unknown };

/** The latest deliveries are those that somebody looks for. */
const SHOWN = 25;

const STATUSES: Record<Delivery["status"], { words: string; tone: Tone }> = {
  pending: { words: "Waits", tone: "quiet" },
  delivered: { words: "Delivered", tone: "good" },
  retrying: { words: "Is tried again", tone: "warn" },
  failed: { words: "Failed", tone: "bad" },
};

/** What was sent to a webhook, with its body, and what the receiver answered. */
export function Deliveries({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const deliveries = useLoad((signal) => {
    const params = { path: { webhook_id: webhook.id }, query: { per_page: SHOWN } };
    return page(api.GET("/api/v2/company/webhooks/{webhook_id}/webhook_deliveries", { params, signal }));
  });
  const retry = async ({ id }: Delivery) => {
    await tell(async () => {
      const params = { path: { webhook_id: webhook.id, id } };
      await answer(
        api.POST("/api/v2/company/webhooks/{webhook_id}/webhook_deliveries/{id}/retry_delivery", { params }),
      );
      return "It is sent again";
    });
    await deliveries.reload();
  };
  return (
    <Dialog title="Deliveries" onClose={onClose}>
      <p class="small soft">The latest to {webhook.url}</p>
      <Await loaded={deliveries}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p>Nothing was sent yet.</p>
          ) : (
            <ul class="stack entries">
              {rows.map((delivery) => (
                <OneDelivery key={delivery.id} delivery={delivery} retry={() => void retry(delivery)} />
              ))}
            </ul>
          )
        }
      </Await>
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
    last_error: error,
  } = delivery;
  const { words, tone } = STATUSES[status];
  return (
    <li>
      <details>
        <summary class="row spread">
          <span>
            {type} <small class="soft">{dateTime(at)}</small>
          </span>
          <Badge tone={tone}>{words}</Badge>
        </summary>
        <div class="stack tight">
          <p class="small">
            {several(attempts, "try", "tries")}
            {code !== null && `, answered with ${code}`}
            {error !== null && `: ${error}`}
          </p>
          <pre class="paste" tabIndex={0} role="region" aria-label="Body">
            {JSON.stringify(delivery.payload, null, 2)}
          </pre>
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
