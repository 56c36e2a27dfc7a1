import { answer, api } from "../../ui/api/client.ts";
import { toDisk } from "../../ui/api/download.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import type { PaymentsBatch } from "./words.ts";

/** Asks for the debtor's account of a SEPA file. */
export function SepaFile({ batch, onClose }: { batch: PaymentsBatch; onClose: () => void }) {
  const form = useForm({ debtor_name: "", debtor_iban: "", debtor_bic: "", part: "" });
  return (
    <Dialog title={`SEPA file of ${batch.ext_reference}`} onClose={onClose}>
      <Form
        form={form}
        action="Download the file"
        onSubmit={async ({ debtor_name: name, debtor_iban: iban, debtor_bic: bic, part }) => {
          const query = {
            format: "sepa" as const,
            debtor_iban: iban,
            ...(name && { debtor_name: name }),
            ...(bic && { debtor_bic: bic }),
            ...(part && { part: Number(part) }),
          };
          const params = { path: { id: batch.id }, query };
          await answer(api.GET("/api/v2/company/payments_batches/{id}/file", { params, fetch: toDisk }));
          onClose();
        }}
      >
        <TextField form={form} name="debtor_iban" label="IBAN of your account" required autoFocus />
        <TextField form={form} name="debtor_bic" label="BIC of your bank" hint="If your bank asks for it." />
        <TextField
          form={form}
          name="debtor_name"
          label="Your name"
          hint="Leave it empty for the name of your account here."
        />
        <TextField
          form={form}
          name="part"
          label="Which file"
          type="number"
          min={1}
          hint="Only if the batch needs several."
        />
      </Form>
    </Dialog>
  );
}
