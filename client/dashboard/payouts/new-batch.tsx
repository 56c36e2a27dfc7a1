import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { several } from "../../ui/format.ts";
import { Select } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { METHODS, type PaymentsBatch } from "./words.ts";

const OPTIONS = Object.entries(METHODS);

interface Made {
  id: number;
  leftOut: LeftOut[];
}

/** A pending payout that a new batch leaves out. */
interface LeftOut {
  payout_id: number;
  message: string;
}

type Method = PaymentsBatch["method"];

/** Puts everything that can be paid by one method into a batch. */
export function NewBatch({ method, onMade }: { method: Method; onMade: (id: number) => Promise<void> }) {
  const isOpen = useSignal(false);
  const made = useSignal<Made | null>(null);
  const close = async () => {
    const id = made.value?.id;
    isOpen.value = false;
    made.value = null;
    if (id !== undefined) await onMade(id);
  };
  return (
    <>
      <button class="button" onClick={() => (isOpen.value = true)}>
        Make a batch
      </button>
      {isOpen.value && made.value === null && (
        <Dialog title="Make a batch" onClose={close}>
          <BatchForm
            method={method}
            onMade={async (batch) => {
              made.value = batch;
              if (batch.leftOut.length === 0) await close();
            }}
          />
        </Dialog>
      )}
      {made.value && made.value.leftOut.length > 0 && (
        <LeftOutDialog leftOut={made.value.leftOut} onClose={close} />
      )}
    </>
  );
}

function BatchForm({ method, onMade }: { method: Method; onMade: (made: Made) => Promise<void> }) {
  const form = useForm<{ method: string }>({ method });
  return (
    <Form
      form={form}
      action="Make the batch"
      onSubmit={async (values) => {
        const { data, meta } = await answer(
          api.POST("/api/v2/company/payouts/create_payments_batch", {
            body: { method: values.method as Method },
          }),
        );
        await onMade({ id: data.id, leftOut: meta.failed });
      }}
    >
      <p>
        A batch gathers all payouts that can be paid by one payout method. You download its file, upload it to
        your bank or wallet, and mark the payouts as paid. Or a provider sends the money: PayPal, Wise, or by
        “Another way” Stripe and Tremendous.
      </p>
      <Select form={form} name="method" label="Payout method" options={OPTIONS} />
    </Form>
  );
}

function LeftOutDialog({ leftOut, onClose }: { leftOut: LeftOut[]; onClose: () => void }) {
  return (
    <Dialog title={`The batch was made without ${several(leftOut.length, "payout")}`} onClose={onClose}>
      <LeftOutList leftOut={leftOut} />
      <div class="dialog-foot">
        <button class="button main" onClick={onClose}>
          Show the batch
        </button>
      </div>
    </Dialog>
  );
}

/** The payouts that a batch does not pay, and why. */
export function LeftOutList({ leftOut }: { leftOut: LeftOut[] }) {
  return (
    <ul>
      {leftOut.map(({ payout_id: id, message }) => (
        <li key={id}>
          Payout {id}: {message}.
        </li>
      ))}
    </ul>
  );
}
