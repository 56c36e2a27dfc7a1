import { answer, api } from "../../ui/api/client.ts";
import { toDisk } from "../../ui/api/download.ts";
import type { Refusal } from "../../ui/api/refusal.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import type { PaymentsBatch } from "./words.ts";

/** Whether a file was refused because the batch needs several. */
export function needsPart({ message, status }: Refusal): boolean {
  return status === 422 && /choose a part/.test(message);
}

/** Downloads the files of a large batch one by one. */
export function FileParts({ batch, onClose }: { batch: PaymentsBatch; onClose: () => void }) {
  const form = useForm({ part: "1" });
  const format = batch.method as "bank" | "paypal" | "wise";
  return (
    <Dialog title={`Files of ${batch.ext_reference}`} onClose={onClose}>
      <Form
        form={form}
        action="Download this file"
        onSubmit={async ({ part }) => {
          const params = { path: { id: batch.id }, query: { format, part: Number(part) } };
          await answer(api.GET("/api/v2/company/payments_batches/{id}/file", { params, fetch: toDisk }));
          toast(`File ${part} is being downloaded`);
          form.values.part.value = String(Number(part) + 1);
        }}
      >
        <p>This batch has too many payments for one file. Download each file, and upload all of them.</p>
        <TextField form={form} name="part" label="Which file" type="number" min={1} required />
      </Form>
    </Dialog>
  );
}
