import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { StateBadge, type Shown } from "../../ui/feedback/badge.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { dateTime, money } from "../../ui/format.ts";
import type { PaymentsBatch } from "./words.ts";

type Payment = components["schemas"]["Payment"];

const STATES: Record<Payment["state"], Shown> = {
  intent: { words: "To send", tone: "warn" },
  asked: { words: "Sent", tone: "quiet" },
  unclaimed: { words: "Not claimed yet", tone: "warn" },
  confirmed: { words: "Arrived", tone: "good" },
  failed: { words: "Failed", tone: "bad" },
  partly_returned: { words: "Came back in part", tone: "bad" },
  returned: { words: "Came back", tone: "bad" },
};

/** How many payments of a batch are shown. Those that need a decision come first. */
const SHOWN = 100;

/** The state of each payment of a batch, with buttons for those that need a decision. */
export function Payments({ batch, onClose }: { batch: PaymentsBatch; onClose: () => void }) {
  const list = useLoad((signal) => load(batch.id, signal));
  const found = list.data.value;
  return (
    <Dialog title={`Payments of ${batch.ext_reference}`} onClose={onClose}>
      {list.refusal.value && <p role="alert">{list.refusal.value.message}</p>}
      {found?.length === 0 && <p>Nothing was sent, and no file was downloaded.</p>}
      <ul>
        {found?.map((payment) => (
          <li key={payment.id}>
            Promoter {payment.promoter_id}: {money(payment.amount)} <StateBadge of={STATES[payment.state]} />{" "}
            {dateTime(payment.steps.at(-1)?.at)}
            {payment.error && <p>{payment.error}</p>}
            <Decision payment={payment} reload={list.reload} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Decision({ payment, reload }: { payment: Payment; reload: () => Promise<void> }) {
  const { id, payer, state, needs_decision: why, reference } = payment;
  if (why === null && (payer !== "file" || state !== "asked")) return null;
  const decide = async (was_paid: boolean) => {
    await tell(async () => {
      const params = { path: { id } };
      await answer(api.POST("/api/v2/company/payments/{id}/decide", { params, body: { was_paid } }));
      return was_paid ? "It counts as paid" : "It counts as not paid";
    });
    await reload();
  };
  return (
    <>
      {why && (
        <p>
          {why}. Look for {reference} there.
        </p>
      )}
      <span class="row tight">
        <button class="button little" onClick={() => void decide(true)}>
          {why ? "It was paid" : "The file was used"}
        </button>
        <button class="button little" onClick={() => void decide(false)}>
          {why ? "It was not paid" : "The file was not used"}
        </button>
      </span>
    </>
  );
}

async function load(id: number, signal: AbortSignal): Promise<Payment[]> {
  const find = (isUndecided: boolean) => {
    const filters = { "filters[payments_batch_id]": id, "filters[needs_decision]": isUndecided };
    const query = { ...filters, per_page: SHOWN };
    return answer(api.GET("/api/v2/company/payments", { params: { query }, signal }));
  };
  const undecided = await find(true);
  return [...undecided, ...(await find(false))];
}
