import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { asRefusal } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import { useLoad } from "../../ui/api/load.ts";
import { toDisk } from "../../ui/api/download.ts";
import { StateBadge } from "../../ui/feedback/badge.tsx";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toastRefusal } from "../../ui/feedback/toast.tsx";
import { count, money } from "../../ui/format.ts";
import type { Filters } from "../../ui/fragment.ts";
import { useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { may } from "../session/session.ts";
import { markBatchAsPaid } from "./actions.ts";
import { Payments } from "./payments.tsx";
import { loadBatches, USUAL, type PayoutFilters } from "./query.ts";
import { BankFile } from "./bank-file.tsx";
import { FileParts, needsPart } from "./file-parts.tsx";
import { SendMoney } from "./send-money.tsx";
import { BATCH_STATUSES, METHODS, type PaymentsBatch } from "./words.ts";

const COLUMNS: Column<PaymentsBatch>[] = [
  {
    id: "reference",
    title: "Batch",
    cell: ({ id, ext_reference: reference }) => (
      <a href={`/admin/payouts#tab=all&batch=${id}`} title="Show its payouts">
        {reference}
      </a>
    ),
  },
  {
    id: "status",
    title: "State",
    cell: ({ status }) => <StateBadge of={BATCH_STATUSES[status]} />,
  },
  { id: "method", title: "Paid by", cell: ({ method }) => METHODS[method] },
  {
    id: "promoters",
    title: "Promoters",
    isNumber: true,
    cell: ({ promoters_count: promoters }) => count(promoters),
  },
  { id: "total", title: "With tax", isNumber: true, cell: ({ total }) => money(total) },
];

/** The payout method that each provider pays. */
const PAID_BY: Record<components["schemas"]["PaymentConnection"]["provider"], PaymentsBatch["method"]> = {
  paypal: "paypal",
  wise: "wise",
  stripe: "custom",
  tremendous: "custom",
};

/** The payments batches. */
export function BatchList({
  filters,
  changed,
}: {
  filters: Filters<PayoutFilters>;
  changed: () => Promise<void>;
}) {
  const list = useList(filters, loadBatches);
  const opened = useSignal<Opened | null>(null);
  const connections = useLoad((signal) => answer(api.GET("/api/v2/company/payment_connections", { signal })));
  const providers = connections.data.value?.map(({ provider }) => provider) ?? [];
  const reload = async () => {
    await Promise.all([list.reload(), changed()]);
  };
  const actions: Column<PaymentsBatch> = {
    id: "actions",
    title: "What to do",
    cell: (batch) => (
      <Actions
        batch={batch}
        isConnected={providers.some((provider) => PAID_BY[provider] === batch.method)}
        reload={reload}
        onOpen={(what) => (opened.value = { what, batch })}
      />
    ),
  };
  return (
    <>
      <Table
        caption="Payments batches"
        columns={may("owner") ? [...COLUMNS, actions] : COLUMNS}
        list={list}
        empty={
          <Empty title="No batches yet">
            <p>A batch gathers the payouts that one file pays: a bank transfer, PayPal or Wise.</p>
            <button class="button" onClick={() => filters.set(USUAL)}>
              Show what is to be paid
            </button>
          </Empty>
        }
      />
      {opened.value && (
        <BatchDialog
          {...opened.value}
          onClose={() => {
            const mayHaveChanged = opened.value?.what === "payments" || opened.value?.what === "send";
            opened.value = null;
            if (mayHaveChanged) void reload();
          }}
        />
      )}
    </>
  );
}

/** A dialog about a batch. */
interface Opened {
  what: "send" | "payments" | "parts" | "bank";
  batch: PaymentsBatch;
}

function BatchDialog({ what, ...props }: Opened & { onClose: () => void }) {
  if (what === "send") return <SendMoney {...props} />;
  if (what === "payments") return <Payments {...props} />;
  return what === "parts" ? <FileParts {...props} /> : <BankFile {...props} />;
}

interface ActionsProps {
  batch: PaymentsBatch;
  /** Whether a provider pays it. */
  isConnected: boolean;
  reload: () => Promise<void>;
  onOpen: (what: Opened["what"]) => void;
}

function Actions({ batch, isConnected, reload, onOpen }: ActionsProps) {
  const { method, is_payable: isPayable, is_retriable: isRetriable, status } = batch;
  return (
    <span class="row tight no-wrap">
      {isConnected && (isPayable || isRetriable) && (
        <button class="button little" onClick={() => onOpen("send")}>
          Send the money
        </button>
      )}
      <button class="button little" onClick={() => onOpen("payments")}>
        Payments
      </button>
      {(isPayable || isRetriable) && (
        <button class="button little" onClick={() => void confirm(batch, reload)}>
          {isRetriable ? "Try again" : "Confirm"}
        </button>
      )}
      {method === "bank" && (
        <button class="button little" onClick={() => onOpen("bank")}>
          Bank file
        </button>
      )}
      {(method === "bank" || method === "paypal" || method === "wise") && (
        <button class="button little" onClick={() => void saveFile(batch, method, () => onOpen("parts"))}>
          CSV file
        </button>
      )}
      {(status === "pending" || status === "processing") && (
        <button class="button little" onClick={() => void markAsPaid(batch, reload)}>
          Mark as paid…
        </button>
      )}
      {(status === "awaiting_confirmation" || status === "failed") && (
        <button class="button plain little" onClick={() => void remove(batch, reload)}>
          Delete
        </button>
      )}
    </span>
  );
}

/** Its payouts are loaded first, which may fail. */
async function markAsPaid(batch: PaymentsBatch, reload: () => Promise<void>): Promise<void> {
  try {
    await markBatchAsPaid(batch, reload);
  } catch (error) {
    toastRefusal(asRefusal(error));
  }
}

/** A batch with too many payments for one file is downloaded in parts. */
async function saveFile(batch: PaymentsBatch, format: "bank" | "paypal" | "wise", onParts: () => void) {
  await tell(async () => {
    const params = { path: { id: batch.id }, query: { format } };
    try {
      await answer(api.GET("/api/v2/company/payments_batches/{id}/file", { params, fetch: toDisk }));
    } catch (error) {
      if (!needsPart(asRefusal(error))) throw error;
      onParts();
      return "The batch needs several files";
    }
    return "The file is being downloaded";
  });
}

async function confirm(
  { id, ext_reference: name }: PaymentsBatch,
  reload: () => Promise<void>,
): Promise<void> {
  const isMeant = await ask({
    title: `Confirm ${name}?`,
    text: "Its payouts count as being paid from now on. Upload the file to your bank or wallet, then mark them as paid.",
    action: `Confirm ${name}`,
  });
  if (!isMeant) return;
  await tell(async () => {
    const params = { path: { id } };
    await answer(api.POST("/api/v2/company/payments_batches/{id}/pay", { params, body: {} }));
    return `${name} was confirmed`;
  });
  await reload();
}

async function remove(
  { id, ext_reference: name }: PaymentsBatch,
  reload: () => Promise<void>,
): Promise<void> {
  const isMeant = await ask({
    title: `Delete ${name}?`,
    text: "Its payouts stay, and wait to be paid.",
    action: `Delete ${name}`,
    isDanger: true,
  });
  if (!isMeant) return;
  await tell(async () => {
    await answer(api.DELETE("/api/v2/company/payments_batches/{id}", { params: { path: { id } } }));
    return `${name} was deleted`;
  });
  await reload();
}
