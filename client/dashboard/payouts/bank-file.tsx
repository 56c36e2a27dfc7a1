import { answer, api } from "../../ui/api/client.ts";
import { toDisk } from "../../ui/api/download.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components, operations } from "../../ui/api/types.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { count, date, money, writing } from "../../ui/format.ts";
import { Select } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import type { PaymentsBatch } from "./words.ts";

type Format = NonNullable<operations["downloadPaymentFile"]["parameters"]["query"]>["format"];
type PaymentFile = components["schemas"]["PaymentFile"];

const FORMATS: Record<Format, string> = {
  sepa: "SEPA credit transfers (XML)",
  nacha: "ACH (NACHA)",
  pain001: "ISO 20022 credit transfers (XML)",
  bank: "Bank accounts (CSV)",
  paypal: "PayPal (CSV)",
  wise: "Wise (CSV)",
};

/** The bank formats for the account's currency, the usual one first. */
function formatsFor(currency: string): Format[] {
  if (currency === "EUR") return ["sepa", "pain001", "bank"];
  return currency === "USD" ? ["nacha", "pain001", "bank"] : ["pain001", "bank"];
}

/** Downloads the files that pay a batch of bank transfers. */
export function BankFile({ batch, onClose }: { batch: PaymentsBatch; onClose: () => void }) {
  const path = { id: batch.id };
  const files = useLoad((signal) =>
    answer(api.GET("/api/v2/company/payments_batches/{id}/files", { params: { path }, signal })),
  );
  const options = formatsFor(writing.value.currency);
  const form = useForm({ format: options[0] as string });
  const download = (query: { format: Format; file_id?: number }) => {
    const params = { path, query };
    return answer(api.GET("/api/v2/company/payments_batches/{id}/file", { params, fetch: toDisk }));
  };
  return (
    <Dialog title={`Bank files of ${batch.ext_reference}`} onClose={onClose}>
      <Await loaded={files}>{(known) => <FormerFiles files={known} onDownload={download} />}</Await>
      <Form
        form={form}
        action="Download the file"
        onSubmit={async ({ format }) => {
          await download({ format: format as Format });
          await files.reload();
        }}
      >
        <Select
          form={form}
          name="format"
          label="Format"
          options={options.map((format): [string, string] => [format, FORMATS[format]])}
        />
        <p class="hint">
          The file has the payouts that no other file pays, and otherwise is the latest file again. It pays
          from your <a href="/admin/settings/bank-account">bank account</a>. Mark the payouts when the bank
          has paid them.
        </p>
      </Form>
    </Dialog>
  );
}

function FormerFiles({
  files,
  onDownload,
}: {
  files: PaymentFile[];
  onDownload: (query: { format: Format; file_id: number }) => Promise<unknown>;
}) {
  if (files.length === 0) return null;
  return (
    <ul class="items">
      {files.map(({ id, format, payments_count: payments, open_count: open, total, created_at: at }) => (
        <li key={id} class="row spread">
          <span>
            {format === null ? "File" : FORMATS[format]} of {date(at)}: {count(payments)} payments,{" "}
            {money(total)}
          </span>
          {format !== null && open > 0 && (
            <button
              class="button plain little"
              onClick={() =>
                void tell(async () => {
                  await onDownload({ format, file_id: id });
                  return "The file is being downloaded";
                })
              }
            >
              Download again
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
